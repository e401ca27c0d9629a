"""State-robustness: where threads come to under TSO and under SC, with a bound on the buffers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.random_tso import random_tso_program

from fencepost import api
from fencepost.engines.attacks import check_program
from fencepost.engines.options import SearchOptions
from fencepost.frontends import loads
from fencepost.models.tso.machine import Machine, State
from fencepost.models.tso.prepare import prepare
from fencepost.models.tso.states import control_states
from fencepost.program.expr import Binary, Const, Reg, Unary
from fencepost.program.form import (
    Branch,
    Fence,
    Instruction,
    Load,
    Location,
    Program,
    Ref,
    Store,
    Use,
)
from fencepost.program.orders import FenceKind, Order
from fencepost.reports import render
from fencepost.verdict.types import Answer, CheckResult, Notion, NotRobust, Robust, Unknown

# Figure 2.1 of the thesis: thread 2 comes to q5 only if both have read 0.
SB_PLUS = """\
thread one
initial q0
transition q0 q1 write 1 0
transition q1 q2 read r 1
transition q2 q3 check == r 0
transition q3 q4 write 1 2
end
thread two
initial q0
transition q0 q1 write 1 1
transition q1 q2 read r 0
transition q2 q3 check == r 0
transition q3 q4 read s 2
transition q4 q5 check == s 1
end
"""


def check(program: Program, **options: int) -> CheckResult:
    return api.check(program, model="tso", notion=Notion.STATE, options=SearchOptions(**options))


def test_the_example_of_the_thesis() -> None:
    result = check(loads(SB_PLUS, "sb-plus.txt"))
    assert isinstance(result.verdict, NotRobust)
    witness = result.verdict.witness
    assert witness.headline == "thread two comes to state q5, where it never comes under SC"
    assert [step.effect for step in witness.trace if "buffer" in step.effect]
    report = render(result)
    assert "How TSO leads there" in report
    assert "state-robustness (threads must come only to where they come under SC)" in report
    fenced = SB_PLUS.replace("q1 q2 read", "q1 f mfence\ntransition f q2 read")
    assert check(loads(fenced, "fenced.txt")).verdict == Robust(
        "it is even robust: fences stand between every store and every later load of other memory"
    )


def test_store_buffering_itself_is_state_robust() -> None:
    """Nobody looks at what was read: Theorem 2.19 does not hold the other way round."""
    text = SB_PLUS.replace("transition q2 q3 check == r 0\n", "transition q2 q3 noop\n").replace("== s 1", "== s 0")
    program = loads(text, "sb.txt")
    assert isinstance(api.check(program).verdict, NotRobust)
    assert isinstance(check(program).verdict, Robust)


def test_assertions_are_places() -> None:
    text = """\
max_value 1; global x, y, z;
fn one { local r; x.store(1); r = y.load(); z.store(1 - r); }
fn two { local r, s; y.store(1); r = x.load(); s = z.load(); assert(r | !s); }
"""
    result = check(loads(text, "p.tpl"))
    assert isinstance(result.verdict, NotRobust)
    assert (
        result.verdict.witness.headline == "thread two comes to an assertion that fails, where it never comes under SC"
    )
    assert result.assertions is Answer.HOLD


def test_the_bound_is_part_of_the_verdict() -> None:
    """Thread two sees the first store's absence only if it waits behind another one: with room for one, it does not."""
    text = SB_PLUS.replace("q0 q1 write 1 0", "q0 p write 1 3\ntransition p q1 write 1 0", 1)
    text = text.replace(
        "transition q1 q2 read r 0",
        "transition q1 m mfence\ntransition m n read t 3\ntransition n o check == t 0\ntransition o q2 read r 0",
    )
    program = loads(text, "p.txt")
    narrow, wide = (check(program, buffer=buffer).verdict for buffer in (1, 2))
    assert isinstance(narrow, Unknown)
    assert "store buffers of at most one store, but some would hold more (--buffer N" in narrow.reason
    assert isinstance(wide, NotRobust)
    assert isinstance(api.check(program, notion=Notion.STATE).verdict, NotRobust), "without loops there is no bound"


def test_loops_have_a_bound() -> None:
    text = SB_PLUS.replace("q0 q1 write 1 0", "q0 q1 write 1 0\ntransition q1 q0 noop", 1).replace("== r 0", "== r 7")
    result = api.check(loads(text, "loop.txt"), notion=Notion.STATE)
    assert isinstance(result.verdict, Unknown)
    assert "at most 4 stores" in result.verdict.reason


def test_limits_give_unknown() -> None:
    program = loads(SB_PLUS, "sb-plus.txt")
    assert check(program, max_states=10).verdict == Unknown(
        "the limit of 10 states was reached; no violation after 12 states"
    )


@pytest.mark.parametrize("part", range(4))
def test_places_that_are_reached(part: int) -> None:
    """Against a plain enumeration of everything; and robust programs are state-robust (Theorem 2.19)."""
    different = 0
    for seed in range(part, 160, 4):
        program = random_tso_program(seed)
        if len(program.threads) > 2:
            continue
        program = observed(program)
        prepared = prepare(program)
        expected = places(prepared, delayed=True) <= places(prepared, delayed=False)
        result = check_program(program, model="tso", notion=Notion.STATE, options=SearchOptions(buffer=20))
        assert isinstance(result.verdict, Robust if expected else NotRobust), f"seed {seed}"
        different += not expected
        if isinstance(check_program(program, model="tso").verdict, Robust):
            assert expected, f"seed {seed}"
    assert different > 0


def observed(program: Program) -> Program:
    """At its end the first thread tells what it has read, and the second one goes to a place for each combination."""
    one, two, *others = program.threads
    told = Location("[9]", address=9)
    telling = (Fence(FenceKind.MFENCE), Store(Ref("[9]"), Binary("+", Reg("a"), Const(1)), Order.RELAXED))
    looking: list[Instruction] = [Fence(FenceKind.MFENCE), Load("c", Ref("[9]"), Order.RELAXED)]
    for mine in range(3):
        for its in range(1, 4):
            combination = Binary("&&", Binary("==", Reg("a"), Const(mine)), Binary("==", Reg("c"), Const(its)))
            looking += [Branch(Unary("!", combination), len(two.code) + len(looking) + 2), Use(Const(0))]
    threads = (
        replace(one, code=(*one.code, *telling)),
        replace(two, registers=(*two.registers, "c"), code=(*two.code, *looking)),
        *others,
    )
    return replace(program, threads=threads, locations=(*program.locations, told), max_value=9)


def places(program: Program, *, delayed: bool) -> set[tuple[int, int]]:
    """Where threads are in final states. Without delays, every store is flushed before anything else happens."""
    machine = Machine(program, traces=False)
    interesting = control_states(program)
    seen: set[State] = set()
    todo = [machine.initial()]
    found = set()
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        if state.is_final:
            found |= {(t, local.pc) for t, local in enumerate(state.threads) if local.pc in interesting[t]}
        for action, after in machine.successors(state):
            if delayed or action.flush or state.is_final:
                todo.append(after)
    return found
