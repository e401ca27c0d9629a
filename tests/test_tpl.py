"""The TPL language, construct by construct: what each one becomes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fencepost.frontends import load, loads
from fencepost.program.expr import Binary, Const, ReadValue, Reg, Unary, evaluate
from fencepost.program.form import (
    Assert,
    Assign,
    Assume,
    BlockingCas,
    Branch,
    Cas,
    Choose,
    Expectation,
    Fence,
    Instruction,
    Jump,
    Load,
    Location,
    Program,
    Ref,
    Rmw,
    RmwOp,
    Span,
    Store,
    Use,
    Wait,
)
from fencepost.program.lts import FAILED, ThreadState, initial_state, is_over, steps
from fencepost.program.orders import FenceKind, Order

RLX, ACQ, REL = Order.RELAXED, Order.ACQUIRE, Order.RELEASE
X, Y, D, LOCK = Ref("x"), Ref("y"), Ref("d"), Ref("l")
DECLARATIONS = "max_value 7; global x, y = 5, l; na d = 2, e;"


def parse(text: str) -> Program:
    return loads(text, "test.tpl")


def code(body: str, *, locals_: str = "local r, s = 1, t;") -> tuple[Instruction, ...]:
    """The instructions of a function with this body."""
    return parse(f"{DECLARATIONS} fn f {{ {locals_} {body} }}").threads[0].code


def value_is(*values: Const | Reg) -> Binary:
    condition = Binary("==", ReadValue(), values[0])
    for value in values[1:]:
        condition = Binary("||", condition, Binary("==", ReadValue(), value))
    return condition


def expression(text: str) -> object:
    (assign,) = code(f"r = {text};")
    assert isinstance(assign, Assign)
    return assign.value


def final_registers(text: str, memory: dict[str, int] | None = None) -> dict[str, int] | None:
    """What the registers of the only thread hold at its end; None if an assertion fails. The memory never changes."""
    program = parse(text)
    (thread,) = program.threads
    state: ThreadState = initial_state(thread)
    values = memory or {}
    for _ in range(10_000):
        if state.pc == FAILED:
            return None
        if is_over(thread, state):
            return dict(zip(thread.registers, state.registers, strict=True))
        state = next(iter(steps(program, thread, state, lambda cell: [values[cell.location]]))).after
    raise AssertionError("the thread does not end")


# Declarations


def test_declarations() -> None:
    program = parse(DECLARATIONS + " track x: all; track y: 0, 1; fn f { local r, s = 3; local t; } fn g { }")
    assert program.name == "test"
    assert program.language == "tpl"
    assert program.max_value == 7
    assert program.locations == (
        Location("x", (0,)),
        Location("y", (5,)),
        Location("l", (0,)),
        Location("d", (2,), atomic=False),
        Location("e", (0,), atomic=False),
    )
    first, second = program.threads
    assert (first.name, first.registers, first.initial_registers()) == ("f", ("r", "s", "t"), {"r": 0, "s": 3, "t": 0})
    assert (second.name, second.registers, second.code) == ("g", (), ())


def test_defaults() -> None:
    program = parse("fn f { }")
    assert program.max_value == 255
    assert program.locations == ()
    assert program.expectations == ()


def test_true_and_false_are_values() -> None:
    program = parse("global x = true; fn f { local r = true, s = false; x.store(true); r = false; }")
    assert program.location("x").initial == (1,)
    assert program.threads[0].initial_registers() == {"r": 1, "s": 0}
    assert program.threads[0].code == (Store(X, Const(1), RLX), Assign("r", Const(0)))


def test_functions_may_share_local_and_label_names() -> None:
    program = parse("fn f { local r; l: goto l; } fn g { local r; r = 1; l: goto l; }")
    assert program.threads[0].code == (Jump(0),)
    assert program.threads[1].code == (Assign("r", Const(1)), Jump(1))


def test_words_of_the_declarations_are_names_elsewhere() -> None:
    program = parse("global track, load; fn store { local upd; upd = load.load(); all: track.store(upd); goto all; }")
    assert program.threads[0].code == (
        Load("upd", Ref("load"), RLX),
        Store(Ref("track"), Reg("upd"), RLX),
        Jump(1),
    )


def test_expectations() -> None:
    program = parse(
        "// ROBUSTNESS egr: robust: ra. not: rlx.\n"
        "// ROBUSTNESS wegr: robust: ra, rlx.\n"
        "// The ROBUSTNESS of this program is no expectation, nor is the next line.\n"
        "// ROBUST\n"
        "fn f { }"
    )
    assert program.expectations == (
        Expectation("robust", True, ("ra",)),
        Expectation("robust", False, ("rlx",)),
        Expectation("observational", True, ("ra", "rlx")),
    )
    assert program.expectations[2].span == Span(2, 1)


@pytest.mark.parametrize(("mark", "robust"), [("// ROBUST", True), ("// NOTROBUST", False)])
def test_the_first_line_of_files_from_before_rc20_is_an_expectation_for_ra(mark: str, robust: bool) -> None:
    program = parse(f"{mark}\nfn f {{ }}")
    assert program.expectations == (Expectation("robust", robust, ("ra",)),)
    assert program.expectations[0].span == Span(1, 1)
    assert parse(f"// a comment\n{mark}\nfn f {{ }}").expectations == ()
    assert parse(f"{mark} as far as I know\nfn f {{ }}").expectations == ()


def test_comments_are_skipped() -> None:
    assert code("// r = 1; }\n r = 2; // }\n") == (Assign("r", Const(2)),)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_counted_for_every_kind_of_newline(newline: str) -> None:
    program = parse(newline.join(["global x;", "fn f {", "\tx.store(1); // a", "  x.store(2);", "}"]))
    assert [instruction.span for instruction in program.threads[0].code] == [Span(3, 2), Span(4, 3)]
    assert program.threads[0].span == Span(2, 1)
    assert program.source_line(Span(4, 3)) == "x.store(2);"


# Accesses


@pytest.mark.parametrize(
    ("statement", "instruction"),
    [
        ("r = x.load();", Load("r", X, RLX)),
        ("r = x.load(rlx);", Load("r", X, RLX)),
        ("r = x.load(acq);", Load("r", X, ACQ)),
        ("x.store(1);", Store(X, Const(1), RLX)),
        ("x.store(r, rlx);", Store(X, Reg("r"), RLX)),
        ("x.store(r + 1, rel);", Store(X, Binary("+", Reg("r"), Const(1)), REL)),
        ("r = d.naload();", Load("r", D, Order.NON_ATOMIC)),
        ("d.nastore(3);", Store(D, Const(3), Order.NON_ATOMIC)),
        ("r = FADD(x, 1);", Rmw("r", RmwOp.ADD, X, Const(1), RLX)),
        ("FADD(x, -1);", Rmw(None, RmwOp.ADD, X, Const(-1), RLX)),
        ("FADD(x, 1, acq);", Rmw(None, RmwOp.ADD, X, Const(1), ACQ)),
        ("FADD(x, 1, rlx, rel);", Rmw(None, RmwOp.ADD, X, Const(1), REL)),
        ("r = exchange(x, s, acq, rel);", Rmw("r", RmwOp.EXCHANGE, X, Reg("s"), Order.ACQ_REL)),
        ("exchange(x, s);", Rmw(None, RmwOp.EXCHANGE, X, Reg("s"), RLX)),
        ("r = CAS(x, 0, 1);", Cas("r", X, Const(0), Const(1), RLX, RLX)),
        ("r = CAS(x, 0, 1, acq, rlx);", Cas("r", X, Const(0), Const(1), ACQ, ACQ)),
        ("CAS(x, 0, 1, rlx, rel);", Cas(None, X, Const(0), Const(1), REL, RLX)),
        ("r = CAS(x, r, r + 1, acq, rel);", Cas("r", X, Reg("r"), Binary("+", Reg("r"), Const(1)), Order.ACQ_REL, ACQ)),
        ("BCAS(x, 0, 1);", BlockingCas(X, Const(0), Const(1), RLX)),
        ("BCAS(x, r, s, acq, rel);", BlockingCas(X, Reg("r"), Reg("s"), Order.ACQ_REL)),
        ("lock(l);", BlockingCas(LOCK, Const(0), Const(1), ACQ)),
        ("unlock(l);", Store(LOCK, Const(0), REL)),
        ("wait(x, 1);", Wait(None, X, value_is(Const(1)), RLX)),
        ("wait (x, 1, acq);", Wait(None, X, value_is(Const(1)), ACQ)),
        ("r = wait(x, 1, 2, s);", Wait("r", X, value_is(Const(1), Const(2), Reg("s")), RLX)),
        ("r = wait(x, 1, s, rlx);", Wait("r", X, value_is(Const(1), Reg("s")), RLX)),
        ("fence(acq);", Fence(FenceKind.ACQUIRE)),
        ("fence(rel);", Fence(FenceKind.RELEASE)),
        ("fence(acq_rel);", Fence(FenceKind.ACQ_REL)),
        ("fence(seq_cst);", Fence(FenceKind.SEQ_CST)),
        ("fence(upd);", Fence(FenceKind.SEQ_CST)),
        ("fence;", Fence(FenceKind.SEQ_CST)),
        ("assert(r == 1);", Assert(Binary("==", Reg("r"), Const(1)))),
        ("assume(r);", Assume(Reg("r"))),
        ("verify(r);", Use(Reg("r"))),
        ("verify(r + s);", Use(Binary("+", Reg("r"), Reg("s")))),
    ],
)
def test_one_statement(statement: str, instruction: Instruction) -> None:
    assert code(statement) == (instruction,)


def test_values_to_wait_for_are_wrapped() -> None:
    """A wait compares with a value of the program, so -1 is 7 and r + 1 is taken modulo 8 before the wait."""
    assert code("wait(x, -1, 9, 2 * 2);") == (Wait(None, X, value_is(Const(7), Const(1), Const(4)), RLX),)
    program = parse(f"{DECLARATIONS} fn f {{ local r; wait(x, r + 1, r, acq); wait(y, r - 1); }}")
    (thread,) = program.threads
    first, second = thread.registers[1:]
    assert first.startswith(".")
    assert thread.code == (
        Assign(first, Binary("+", Reg("r"), Const(1))),
        Wait(None, X, value_is(Reg(first), Reg("r")), ACQ),
        Assign(second, Binary("-", Reg("r"), Const(1))),
        Wait(None, Y, value_is(Reg(second)), RLX),
    )


def test_a_wait_for_a_sum_wraps_around() -> None:
    text = "max_value 3; global x; fn f { local r = 3, s; s = wait(x, r + 1); }"
    registers = final_registers(text, {"x": 0})
    assert registers is not None
    assert registers["s"] == 0


def test_a_value_named_twice_is_awaited_once() -> None:
    assert code("wait(x, 1, 9);") == code("wait(x, 1);")


def test_many_values() -> None:
    (wait,) = code(f"wait(x, {', '.join(['0', '1', '2', '3', '4', '5', '6', '7'] * 12)});")
    assert isinstance(wait, Wait)
    assert all(evaluate(wait.until, {}, value) for value in range(8))


# Expressions


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("r & 1 == 1", "r & (1 == 1)"),
        ("r || s && t", "r || (s && t)"),
        ("r | s ^ t & 1", "r | (s ^ (t & 1))"),
        ("r == s < t", "r == (s < t)"),
        ("r < s + t", "r < (s + t)"),
        ("r - s - t", "(r - s) - t"),
        ("r - s * t % 3", "r - ((s * t) % 3)"),
        ("!r == s", "(!r) == s"),
        ("-r + s", "(-r) + s"),
        ("!-r", "!(-r)"),
        ("r != s >= t", "r != (s >= t)"),
        ("r && s | t", "r && (s | t)"),
        ("r <= s > t", "(r <= s) > t"),
    ],
)
def test_precedence_is_that_of_c(text: str, grouped: str) -> None:
    assert expression(text) == expression(grouped)
    assert expression(text) != Reg("r")


def test_constants() -> None:
    assert expression("-1") == Const(-1)
    assert expression("- 1") == Const(-1)
    assert expression("-(-1)") == Const(1)
    assert expression("!true") == Unary("!", Const(1))
    assert expression("9223372036854775807") == Const(2**63 - 1)
    assert expression("-9223372036854775808") == Const(-(2**63))


def test_random_expressions_mean_what_python_says() -> None:
    """Expressions without parentheses, where Python groups as C does: + - * only, and one comparison."""
    seed = random.randrange(2**32)
    generator = random.Random(seed)
    for _ in range(300):
        terms = [str(generator.randrange(8)) for _ in range(generator.randrange(1, 8))]
        text = terms[0] + "".join(f" {generator.choice('+-*')} {term}" for term in terms[1:])
        expr = expression(text)
        assert isinstance(expr, Const | Binary)
        assert evaluate(expr, {}) == eval(text), f"seed {seed}: {text}"


def test_only_the_whole_value_wraps() -> None:
    registers = final_registers("max_value 7; fn f { local r, s = 7, t; r = (s + s) / 2; t = s + 2; }")
    assert registers == {"r": 7, "s": 7, "t": 1}


def test_conditions_are_tested_unwrapped() -> None:
    registers = final_registers("max_value 7; fn f { local r = 7, s; if (r + 1) { s = 1; } }")
    assert registers == {"r": 7, "s": 1}


# Divisions


def test_a_division_is_guarded() -> None:
    guard, assign = code("r = s / t;")
    assert guard == Assert(Binary("!=", Reg("t"), Const(0)), why="division by zero in s / t")
    assert assign == Assign("r", Binary("/", Reg("s"), Reg("t")))
    assert guard.span == assign.span


@pytest.mark.parametrize("statement", ["r = s / 2;", "r = s % (1 + 1);", "r = s / -3;", "wait(x, 5 / 2);"])
def test_a_division_by_a_constant_needs_no_guard(statement: str) -> None:
    assert len(code(statement)) == 1


@pytest.mark.parametrize(
    "body",
    [
        "r = 1 / 0;",
        "r = 5 % (s - 1);",
        "x.store(1 / (s - 1));",
        "FADD(x, 1 % 0);",
        "BCAS(x, 1 / 0, 1);",
        "wait(x, 1 / (s - 1));",
        "if (1 / 0) { r = 1; }",
        "while (1 / (s - 1) == 7) { skip; }",
        "assume(s % 0);",
        "if (s && 1 / (s - 1)) goto end; end:",
    ],
)
def test_a_division_by_zero_is_a_failed_assertion(body: str) -> None:
    assert final_registers(f"max_value 7; global x; fn f {{ local r, s = 1; {body} }}", {"x": 0}) is None


def test_a_division_that_is_not_reached_does_not_fail() -> None:
    registers = final_registers("fn f { local r, s, t; r = s != 0 && 10 / s; t = s == 0 || 10 % s; }")
    assert registers == {"r": 0, "s": 0, "t": 1}


def test_the_guard_of_a_loop_condition_is_tested_each_time() -> None:
    assert final_registers("fn f { local r = 3; while (6 / r) { r = r - 1; } }") is None


# Flow


def test_if_goto() -> None:
    expected = (Branch(Reg("r"), 0), Assign("r", Const(1)))
    assert code("again: if (r) goto again; r = 1;") == expected
    assert code("again: if r goto again; r = 1;") == expected
    assert code("again: if (r) { goto again; } r = 1;") == expected


def test_if_else() -> None:
    assert code("if (r == 0) { s = 1; } else { s = 2; } t = 3;") == (
        Branch(Binary("!=", Reg("r"), Const(0)), 3),
        Assign("s", Const(1)),
        Jump(4),
        Assign("s", Const(2)),
        Assign("t", Const(3)),
    )


def test_else_if_and_else_goto() -> None:
    text = "fn f {{ local r = {r}, s; {body} }}"
    chain = "if (r == 0) { s = 1; } else if (r == 1) goto one; else if (r == 2) { s = 3; } else goto other; goto end;"
    body = chain + " one: s = 2; goto end; other: s = 4; end:"
    results = [final_registers(text.format(r=r, body=body)) for r in range(4)]
    assert results == [{"r": r, "s": r + 1} for r in range(4)]


def test_else_after_goto() -> None:
    text = "fn f {{ local r = {r}, s; if (r) goto end; else {{ s = 1; }} end: }}"
    assert [final_registers(text.format(r=r)) for r in (0, 1)] == [{"r": 0, "s": 1}, {"r": 1, "s": 0}]


def test_an_empty_if_is_still_a_use_of_its_condition() -> None:
    assert code("if (r) { } s = 1;") == (Branch(Unary("!", Reg("r")), 1), Assign("s", Const(1)))


def test_while() -> None:
    assert code("while (r < 3) { r = r + 1; } s = 1;") == (
        Branch(Binary(">=", Reg("r"), Const(3)), 3),
        Assign("r", Binary("+", Reg("r"), Const(1))),
        Jump(0),
        Assign("s", Const(1)),
    )
    assert code("while r { skip; }") == (Branch(Unary("!", Reg("r")), 2), Jump(0))


def test_constant_conditions_make_no_branch() -> None:
    assert code("while (true) { r = r + 1; }") == (Assign("r", Binary("+", Reg("r"), Const(1))), Jump(0))
    assert code("while (0) { r = 1; } s = 1;") == (Assign("s", Const(1)),)
    assert code("if (1) { r = 1; } else { r = 2; }") == (Assign("r", Const(1)),)
    assert code("if (2 - 2) { r = 1; } else { r = 2; }") == (Assign("r", Const(2)),)
    assert code("if (0) goto end; r = 1; end:") == (Assign("r", Const(1)),)


def test_an_empty_endless_loop_is_a_jump_to_itself() -> None:
    assert code("while (1) { }") == (Jump(0),)
    assert code("r = 1; a: goto b; b: goto a;") == (Assign("r", Const(1)), Jump(1))
    assert code("if (r) goto a; s = 1; a: goto b; b: goto a;") == (Branch(Reg("r"), 2), Assign("s", Const(1)), Jump(2))


def test_jumps_go_straight_to_where_they_lead() -> None:
    assert code("if (r) goto a; s = 1; goto c; a: goto b; s = 2; b: goto c; c: t = 1;") == (
        Branch(Reg("r"), 2),
        Assign("s", Const(1)),
        Assign("t", Const(1)),
    )


def test_code_that_cannot_be_reached_is_left_out() -> None:
    assert code("goto end; r = 1; x.store(1); end: s = 1; goto out; s = 2; out:") == (Assign("s", Const(1)),)


def test_labels() -> None:
    assert code("a: b: r = 1; goto b;") == (Assign("r", Const(1)), Jump(0))
    assert code("{ a: r = 1; } goto a;") == (Assign("r", Const(1)), Jump(0))
    assert code("unused: r = 1; end: }  fn g {") == (Assign("r", Const(1)),)


def test_blocks_and_empty_statements() -> None:
    assert code("; { r = 1; {} ;; { s = 2; } } skip;") == (Assign("r", Const(1)), Assign("s", Const(2)))


@pytest.mark.parametrize("text", ["oneof({A}{B}{});", "oneof({A}{B}{})", "oneof {A} {B} {};", "oneof {A} {B} {}"])
def test_oneof(text: str) -> None:
    statement = text.replace("A", "r = 1;").replace("B", "s = 2; s = 3;")
    assert code(f"{statement} t = 1;") == (
        Choose((1, 3, 5)),
        Assign("r", Const(1)),
        Jump(5),
        Assign("s", Const(2)),
        Assign("s", Const(3)),
        Assign("t", Const(1)),
    )


def test_every_instruction_knows_its_statement() -> None:
    text = """global x;
fn f {
  local r, s;
  r = x.load();
  if (r) {
    x.store(1);
  } else if (r / s == 2) {
    FADD(x, 1);
  }
  while (r) { oneof({ skip; } { r = wait(x, r + 1); }); }
  lab: fence;  assert(r);  CAS(x, 0, 1);  goto lab;
}"""
    lines = text.splitlines()
    instructions = parse(text).threads[0].code
    starts = []
    for instruction in instructions:
        assert instruction.span is not None
        starts.append(lines[instruction.span.line - 1][instruction.span.column - 1 :].split("(")[0].split()[0])
    # The guard of r / s, and the hidden assignment before the wait, stand where their statement does.
    assert starts == [
        *("r", "if", "x.store", "if", "if", "if", "FADD"),
        *("while", "oneof", "r", "r", "oneof"),
        *("fence;", "assert", "CAS", "goto"),
    ]


# A whole program, and its behaviour


def test_a_seqlock_reader() -> None:
    text = """
    max_value 12;
    global counter, x, y;
    fn reader {
        local before, after, a, b, rounds;
    again:
        rounds = rounds + 1;
        if (rounds > 3) goto end;
        before = counter.load(acq);
        if (before % 2 == 1) goto again;
        a = x.load();
        b = y.load();
        fence(acq);
        after = counter.load();
        if (before != after) goto again;
        assert(a == b);
    end:
    }"""
    quiet = final_registers(text, {"counter": 4, "x": 2, "y": 2})
    assert quiet == {"before": 4, "after": 4, "a": 2, "b": 2, "rounds": 1}
    assert final_registers(text, {"counter": 4, "x": 2, "y": 3}) is None
    busy = final_registers(text, {"counter": 5, "x": 2, "y": 3})
    assert busy == {"before": 5, "after": 0, "a": 0, "b": 0, "rounds": 4}


def test_load(tmp_path: Path) -> None:
    file = tmp_path / "store buffer.tpl"
    text = "global x; fn f { x.store(1); }\r\n"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    program = load(file)
    assert program.name == "store buffer"
    assert program.source == text
    assert program == load(str(file))


@pytest.mark.parametrize(
    "text", ["// about\n\nglobal x; fn f { }", "max_value 3; fn f { }", "na d; fn f { }", "fn f{}"]
)
def test_tpl_is_recognised_by_its_content(text: str) -> None:
    assert loads(text, "<stdin>").language == "tpl"
    assert loads(text, "a.txt", language="tpl").language == "tpl"


def test_a_label_may_have_the_name_of_a_location_as_in_c() -> None:
    program = loads("global x; fn a { local r; x: x.store(1); if (r) goto x; }", "labels.tpl")
    assert program.threads[0].code[1] == Branch(Reg("r"), 0)
