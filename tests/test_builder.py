"""Programs written in Python: short, the same as in TPL, and wrong arguments refused where they stand."""

import pytest

import fencepost
from fencepost import ACQ, ACQ_REL, REL, SC, NotRobust, ProgramBuilder, Robust, check
from fencepost.frontends import loads
from fencepost.program.form import RmwOp
from fencepost.program.printer import show_program


def test_a_litmus_test_in_five_lines():
    p = ProgramBuilder("sb")
    x, y = p.atomic("x", "y")
    for mine, other in ((x, y), (y, x)):
        with p.thread() as t:
            t.store(mine, 1), t.fence(), t.load(other)
    assert isinstance(check(p.build()).verdict, Robust)


def test_the_builder_can_go_on():
    p = ProgramBuilder("sb")
    x, y = p.atomic("x", "y")
    with p.thread() as t:
        t.store(x, 1)
        t.load(y)
    assert isinstance(check(p.build()).verdict, Robust)
    with p.thread() as t:
        t.store(y, 1)
        t.load(x)
    assert isinstance(check(p.build()).verdict, NotRobust)


def everything():
    p = ProgramBuilder("all", max_value=7)
    x, y = p.atomic("x", "y", initial=2)
    d = p.non_atomic("d")
    mutex = p.atomic("mutex")
    with p.thread("a") as t:
        t.store(x, 1)
        r = t.load(y, ACQ, into="r")
        with t.if_(r == 1):
            t.store(d, r + 2)
        with t.else_():
            t.lock(mutex)
            t.unlock(mutex)
        with t.while_(r < 3):
            t.load(y, into=r)
        t.fetch_add(x, r, ACQ_REL, into=r)
        t.cas(x, 1, r + 1, REL, into=r)
        s = t.exchange(x, 3, into="s")
        t.wait(x, 1, 2, order=ACQ, into=r)
        t.wait(x, r + 1)
        t.blocking_cas(y, r, s, ACQ)
        t.fence(SC)
        t.fence(ACQ)
        t.fence()
        t.assume((r != 0).and_(s > 1))
        t.assert_(r.or_(1 - s))  # noqa: PT009
        t.use(r)
        t.assign(s, (-r * 2) ^ (s | 1))
        with t.choose() as either:
            with either.alternative():
                t.goto("end")
            with either.alternative():
                t.store(x, 3 // r)
        t.goto_if((s % 2 == 0).not_(), "end")
        t.load(d, into=s)
        t.label("end")
    return p.build()


def test_the_same_program_as_in_tpl():
    source = """
    max_value 7; global x = 2, y = 2; na d; global mutex;
    fn a {
        local r, s;
        x.store(1);
        r = y.load(acq);
        if (r == 1) { d.nastore(r + 2); } else { lock(mutex); unlock(mutex); }
        while (r < 3) { r = y.load(); }
        r = FADD(x, r, acq, rel);
        r = CAS(x, 1, r + 1, rlx, rel);
        s = exchange(x, 3);
        r = wait(x, 1, 2, acq);
        wait(x, r + 1);
        BCAS(y, r, s, acq, rlx);
        fence(seq_cst); fence(acq); fence;
        assume(r != 0 && s > 1);
        assert(r || 1 - s);
        verify(r);
        s = (-r * 2) ^ (s | 1);
        oneof ( { goto end; } { x.store(3 / r); } );
        if (!(s % 2 == 0)) goto end;
        s = d.naload();
        end: skip;
    }
    """
    assert everything() == loads(source, "all.tpl")


def test_the_printer_shows_everything_once():
    text = show_program(everything())
    assert text.startswith(
        "program all: values 0 to 7\natomic x = 2\natomic y = 2\nnon-atomic d = 0\natomic mutex = 0\n"
        "\nthread a (r, s, .0)\n"
    )
    for line in (
        "r = y.load(acq)",
        "d.store(r + 2, na)",
        "BCAS(mutex, 0, 1, acq)",
        "r = FADD(x, r, acq_rel)",
        "r = CAS(x, 1, r + 1, rel, rlx)",
        "s = exchange(x, 3, rlx)",
        "r = wait(x == 1 || x == 2, acq)",
        "fence(seq_cst)",
        "assume(r != 0 && s > 1)",
        "assert(r || 1 - s)",
        "use(r)",
        "s = -r * 2 ^ (s | 1)",
        "goto one of ",
        "x.store(3 / r, rlx)",
        "s = d.load(na)",
    ):
        assert f" {line}" in text, line


def test_arrays_and_other_read_modify_writes():
    p = ProgramBuilder("array", max_value=3)
    slots = p.atomic_array("slots", [1, 2])
    with p.thread("t") as t:
        i = t.rmw(RmwOp.XOR, slots[1], 3)
        t.wait_until(slots[i - 1], lambda value: value > 0, ACQ)
        t.assert_(i == 2)  # noqa: PT009
    result = check(p.build())
    assert isinstance(result.verdict, Robust)
    assert result.assertions is fencepost.Answer.HOLD
    assert "r0 = FXOR(slots[1], 3, rlx)" in show_program(p.build())


def test_registers_are_named_as_they_come_or_as_asked():
    p = ProgramBuilder("names")
    x = p.atomic("x")
    with p.thread() as t:
        t.load(x)
        t.load(x, into="mine")
        t.load(x)
    assert p.build().threads[0].registers == ("r0", "mine", "r1")
    assert p.build().threads[0].name == "t0"


def wrong(build):
    p = ProgramBuilder("wrong", max_value=7)
    x = p.atomic("x")
    d = p.non_atomic("d")
    slots = p.atomic_array("slots", [0, 0])
    with p.thread("t") as t:
        build(p, t, x, d, slots)
    p.build()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda p, t, x, d, a: p.atomic("x"), "there is already a location 'x'"),
        (lambda p, t, x, d, a: p.atomic("y", initial=8), "8 is not a value of this program: values are 0 to 7"),
        (lambda p, t, x, d, a: p.atomic_array("empty", []), "the array 'empty' is empty"),
        (lambda p, t, x, d, a: p.thread("t"), "there is already a thread 't'"),
        (lambda p, t, x, d, a: p.thread(""), "'' is no name for a thread"),
        (lambda p, t, x, d, a: t.load(x, REL), "the order of a load of an atomic location is one of rlx, acq, seq_cst"),
        (
            lambda p, t, x, d, a: t.store(x, 1, ACQ),
            "the order of a store of an atomic location is one of rlx, rel, seq_cst",
        ),
        (lambda p, t, x, d, a: t.load(d, ACQ), "'d' is non-atomic: a load has no order"),
        (lambda p, t, x, d, a: t.fetch_add(d, 1), "'d' is non-atomic: there is no read-modify-write for it"),
        (lambda p, t, x, d, a: t.load(a), "'slots' is an array: an access needs an index"),
        (lambda p, t, x, d, a: t.load(x[0]), "'x' is no array: an access has no index"),
        (lambda p, t, x, d, a: t.load(a[2]), "the array 'slots' has slots 0 to 1, not 2"),
        (lambda p, t, x, d, a: t.load("x"), "expected a shared location, got 'x'"),
        (lambda p, t, x, d, a: t.load(ProgramBuilder("q").atomic("x")), "the location 'x' belongs to another program"),
        (lambda p, t, x, d, a: t.use(p.thread("u").load(x)), "thread 't' cannot use registers of 'u'"),
        (lambda p, t, x, d, a: t.goto("nowhere"), "thread 't' goes to labels that it does not have: nowhere"),
        (lambda p, t, x, d, a: t.label("l") or t.label("l"), "the label 'l' is already defined in thread 't'"),
        (lambda p, t, x, d, a: t.wait(x), "a wait needs at least one value to wait for"),
        (lambda p, t, x, d, a: t.fence(fencepost.RLX), "there is no rlx fence"),
        (lambda p, t, x, d, a: t.else_().__enter__(), "else_ stands right after if_"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(build, message):
    with pytest.raises(ValueError, match="^" + message.replace("(", r"\(").replace("[", r"\[")):
        wrong(build)


def test_a_program_has_a_thread():
    with pytest.raises(ValueError, match="a program has at least one thread"):
        ProgramBuilder("none").build()


def test_registers_have_no_truth_in_python():
    p = ProgramBuilder("truth")
    x = p.atomic("x")
    with p.thread() as t, pytest.raises(TypeError, match="known when the program runs: use if_, while_"):
        assert t.load(x) == 1 or True


def test_the_public_names_are_all_there():
    for name in fencepost.__all__:
        assert getattr(fencepost, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'chek'"):
        fencepost.chek  # noqa: B018
