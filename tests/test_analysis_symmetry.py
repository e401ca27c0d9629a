from dataclasses import replace

from fencepost.program.analysis.symmetry import symmetric_groups
from fencepost.program.expr import Binary, Const, ReadValue, Reg
from fencepost.program.form import (
    Assert,
    Cas,
    Instruction,
    Load,
    Location,
    Program,
    Ref,
    Rmw,
    RmwOp,
    Span,
    Store,
    Thread,
    Use,
    Wait,
)
from fencepost.program.orders import Order

RLX, ACQ = Order.RELAXED, Order.ACQUIRE


def groups(*threads: Thread) -> tuple[tuple[int, ...], ...]:
    return symmetric_groups(Program("p", (Location("x"), Location("y"), Location("z", (0, 0))), threads))


def copy(r: str, s: str, number: int = 1, line: int = 0) -> Thread:
    """Every place where a register may stand."""
    code: tuple[Instruction, ...] = (
        Load(r, Ref("z", Reg(s)), ACQ),
        Rmw(s, RmwOp.ADD, Ref("x"), Reg(r), RLX),
        Rmw(None, RmwOp.ADD, Ref("x"), Const(number), RLX),
        Cas(s, Ref("x"), Reg(r), Binary("+", Reg(s), Const(1)), RLX, RLX),
        Wait(r, Ref("y"), Binary("==", ReadValue(), Reg(s)), RLX),
        Assert(Reg(r), why=f"{r} is zero"),
        Use(Reg(s)),
    )
    return Thread(r + s, (r, s), tuple(replace(i, span=Span(line, pc + 1)) for pc, i in enumerate(code)), (0, 1))


def test_copies_with_other_register_names_spans_and_texts():
    assert groups(copy("a", "b", line=1), copy("c", "d", line=9), copy("b", "a", line=17)) == ((0, 1, 2),)


def test_a_thread_that_names_its_own_constant_is_no_copy():
    assert groups(copy("a", "b", 1), copy("a", "b", 2)) == ()


def test_several_groups_and_a_single_thread():
    assert groups(copy("a", "b", 1), copy("a", "b", 2), copy("c", "d", 1), copy("a", "b", 3), copy("e", "f", 2)) == (
        (0, 2),
        (1, 4),
    )


def test_registers_must_be_used_in_the_same_way():
    uses_first = Thread("t", ("a", "b"), (Load("a", Ref("x"), RLX), Use(Reg("a"))))
    uses_second = Thread("u", ("a", "b"), (Load("a", Ref("x"), RLX), Use(Reg("b"))))
    assert groups(uses_first, uses_second) == ()


def test_registers_must_stand_at_the_same_positions():
    """States can only be swapped as they are then."""
    first = Thread("t", ("a", "b"), (Use(Reg("a")),))
    second = Thread("u", ("b", "a"), (Use(Reg("a")),))
    assert groups(first, second) == ()


def test_initial_values_count_and_missing_ones_are_zero():
    def thread(*initial: int) -> Thread:
        return Thread("t", ("a", "b"), (Use(Reg("a")),), initial)

    assert groups(thread(), thread(1), thread(0, 0), thread(1, 0)) == ((0, 2), (1, 3))


def test_locations_and_orders_count():
    base = Thread("t", ("r",), (Load("r", Ref("x"), RLX),))
    assert groups(base, replace(base, code=(Load("r", Ref("y"), RLX),))) == ()
    assert groups(base, replace(base, code=(Load("r", Ref("x"), ACQ),))) == ()
    assert groups(base, replace(base, code=(Store(Ref("x"), Reg("r"), RLX),))) == ()
