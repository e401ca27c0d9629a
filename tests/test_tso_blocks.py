"""Blocks under a lock that access several locations: check and fence against all executions (MODEL.md of x86)."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from support import oracles
from support.tso_agreement import differences

from fencepost import NotRobust, Robust, check, fence
from fencepost.fences.types import Repaired
from fencepost.frontends import loads
from fencepost.models.registry import MODELS
from fencepost.models.tso.machine import computations
from fencepost.models.tso.prepare import prepare
from fencepost.reports.text import render as render_text

Code = list[list[str]]  # the instructions of each thread, one after the other
Place = tuple[int, int]  # a thread, and the instruction that a fence goes before


def text(code: Code, fences: tuple[Place, ...] = ()) -> str:
    """Each thread from q0 on, in one line; `fences` between."""
    threads = []
    for number, instructions in enumerate(code):
        fenced = [
            word
            for pc, instruction in enumerate(instructions)
            for word in (["mfence", instruction] if (number, pc) in fences else [instruction])
        ]
        lines = [f"transition q{at} q{at + 1} {word}" for at, word in enumerate(fenced)]
        threads.append("\n".join([f"thread t{number}", "initial q0", *lines, "end"]))
    return "\n".join(threads) + "\n"


def random_code(random: Random) -> Code:
    """A thread whose block may access several locations, and one or two others, which begin with a store."""

    locations = random.randint(1, 2)

    def access(*kinds: str) -> str:
        return f"{random.choice(kinds or ('read r', 'write 1', 'write 2'))} {random.randint(0, locations)}"

    def some(least: int, most: int) -> list[str]:
        return [access() for _ in range(random.randint(least, most))]

    code = [[*some(0, 1), "lock", *some(1, 3), "unlock", *some(0, 1)]]
    return code + [[access("write 1"), *some(1, 2)] for _ in range(random.choice([1, 1, 2]))]


def is_robust(program: str) -> bool:
    """By all executions that the axioms of TSO allow."""
    prepared = prepare(loads(program, "random.txt"))
    found = oracles.enumerated(prepared, "tso", [MODELS["sc"].rules_for(prepared)])
    return not found.judgements[0].violations


def least_fences(code: Code) -> int:
    places = [(thread, pc) for thread, instructions in enumerate(code) for pc in range(len(instructions))]
    return next(
        number
        for number in range(len(places) + 1)
        if any(is_robust(text(code, chosen)) for chosen in combinations(places, number))
    )


@pytest.mark.parametrize("part", range(2))
def test_check_and_fence_say_what_all_executions_say(part: int) -> None:
    random, split = Random(part), 0
    for _ in range(250):
        code = random_code(random)
        program = text(code)
        verdict = check(loads(program, "random.txt")).verdict
        assert isinstance(verdict, Robust | NotRobust)
        assert isinstance(verdict, Robust) == is_robust(program), program
        outcome = fence(loads(program, "random.txt")).outcome
        assert isinstance(outcome, Repaired), program
        assert outcome.cost == least_fences(code), program
        split += isinstance(verdict, NotRobust) and any(edge.kind == "block" for edge in verdict.witness.cycle)
    assert split >= 5  # programs in which no cycle of the accesses alone is the reason


SPLIT = """thread reader{mark}
initial q0
transition q0 q1 lock
transition q1 q2 read a 1
transition q2 q3 write 1 0
transition q3 q4 unlock
end
thread writer{mark}
initial q0
transition q0 q1 write 1 1
transition q1 q2 read b 0
{more}end
"""


def test_the_cycle_goes_through_the_block() -> None:
    """No cycle of po, rf, co, fr, and yet not what SC can do: MODEL.md of x86."""
    result = check(loads(SPLIT.format(mark="", more=""), "split.txt"))
    assert isinstance(result.verdict, NotRobust)
    witness = result.verdict.witness
    assert [edge.kind for edge in witness.cycle] == ["po", "fr", "block", "fr"]
    events = {event.number: event for event in witness.events}
    before, after = next((events[edge.source], events[edge.target]) for edge in witness.cycle if edge.kind == "block")
    assert (before.label.kind, str(before.label.cell)) == ("W", "[0]")
    assert (after.label.kind, str(after.label.cell)) == ("R", "[1]")
    told = render_text(result)
    assert "line 5 (reader) is one step with line 4, in a block under a lock" in told


def test_a_block_on_one_location_is_one_step_anyhow() -> None:
    narrow = SPLIT.format(mark="", more="").replace("write 1 0", "write 1 1").replace("read b 0", "read b 1")
    assert isinstance(check(loads(narrow, "narrow.txt")).verdict, Robust)


@pytest.mark.parametrize("mark", ["", " *"])
def test_loops_have_no_bound(mark: str) -> None:
    """Also where any number of copies run: the execution is found after any number of rounds, or there is none."""
    again = "transition q2 q0 noop\n"
    program = SPLIT.format(mark=mark, more=again)
    result = check(loads(program, "endless.txt"))
    assert isinstance(result.verdict, NotRobust)
    assert any(edge.kind == "block" for edge in result.verdict.witness.cycle)
    repair = fence(loads(program, "endless.txt"))
    assert isinstance(repair.outcome, Repaired)
    assert repair.outcome.cost == 1
    assert isinstance(check(repair.outcome.program).verdict, Robust)
    elsewhere = program.replace("read b 0", "read b 2")
    result = check(loads(elsewhere, "endless.txt"))
    assert isinstance(result.verdict, Robust)
    assert not result.warnings


def test_a_block_that_does_not_end_is_none() -> None:
    """It stays locked, so the delayed store never leaves its buffer: nobody can tell."""
    stuck = SPLIT.format(mark="", more="").replace("q3 q4 unlock", "q3 q4 check 0\ntransition q4 q5 unlock")
    assert isinstance(check(loads(stuck, "stuck.txt")).verdict, Robust)
    assert computations(prepare(loads(stuck, "stuck.txt"))).violation is None


def test_nobody_acts_where_a_long_block_is_cut() -> None:
    """A block with many choices is several steps of the search; another thread could close the cycle between them."""
    choices = "".join(
        f"transition c{at} c{at + 1} noop\ntransition c{at} c{at + 1} local b {at}\n" for at in range(10)
    ).replace("c10", "last")
    text = SPLIT.format(mark="", more="").replace("q3 q4 unlock", f"q3 c0 noop\n{choices}transition last q4 unlock")
    program = loads("thread other\ninitial q0\ntransition q0 q1 write 2 1\nend\n" + text, "long.txt")
    result = check(program)
    assert isinstance(result.verdict, NotRobust)
    assert any(edge.kind == "block" for edge in result.verdict.witness.cycle)


def test_nobody_acts_within_a_block_without_fusion() -> None:
    assert differences("loops", range(100810, 100811)) == []
