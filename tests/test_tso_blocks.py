"""Blocks under a lock that access several locations: check and fence against all executions (MODEL.md of x86)."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from support import oracles

from fencepost import NotRobust, Robust, check, fence
from fencepost.fences.types import Repaired
from fencepost.frontends import loads
from fencepost.models.registry import MODELS
from fencepost.models.tso.prepare import prepare

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
        split += isinstance(verdict, NotRobust) and verdict.witness.axiom == "locked-blocks"
    assert split >= 5  # programs in which no cycle is the reason


WAITING = """thread reader
initial q0
transition q0 q1 lock
transition q1 q2 read a 1
transition q2 q3 read b 2
transition q3 q4 unlock
transition q4 q0 noop
end
thread writer
initial q0
transition q0 q1 write 1 1
transition q1 q2 write 1 2
transition q2 q0 noop
end
"""


def test_where_no_load_overtakes_a_store_no_executions_are_looked_at() -> None:
    """Its loops have endless executions, which would take all the time that there is, and leave a warning."""
    result = check(loads(WAITING, "waiting.txt"))
    assert isinstance(result.verdict, Robust)
    assert result.statistics.executions == 0
    assert not result.warnings


def test_where_loops_have_more_executions_than_were_looked_at_both_say_so() -> None:
    program = loads(
        WAITING + "thread other\ninitial q0\ntransition q0 q1 write 1 3\ntransition q1 q0 read r 4\nend\n", "x.txt"
    )
    result, repair = check(program), fence(program)
    assert isinstance(result.verdict, Robust)
    assert "accesses several locations" in result.warnings[-1]
    assert isinstance(repair.outcome, Repaired)
    assert not repair.outcome.changes
    assert result.warnings[-1] in repair.warnings
