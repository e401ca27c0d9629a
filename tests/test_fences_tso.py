"""Fences under TSO: no smaller set of them is enough, whatever they cost, and each is there for a reason."""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from support.random_tso import random_tso_program
from support.repairs import agrees, is_robust, model, problem_of, search_of

from fencepost import api
from fencepost.fences.synthesis import Found
from fencepost.fences.tso import hint
from fencepost.fences.types import Repaired
from fencepost.frontends import loads
from fencepost.frontends.automata.writer import to_automata
from fencepost.models.tso.machine import computations
from fencepost.models.tso.prepare import prepare
from fencepost.program.form import Fence, Store
from fencepost.program.orders import Order
from fencepost.verdict.types import Notion, NotRobust, Robust

TSO = model("tso")
PROGRAMS = int(os.environ.get("FENCEPOST_TSO_REPAIRS", "500"))
PARTS = 10
MOST_SETS = 5000  # that brute force checks for one program

SB = """\
global x, y;
fn left {
    local r;
    x.store(1, rlx);
    r = y.load(rlx);
}
fn right {
    local r;
    y.store(1, rlx);
    r = x.load(rlx);
}
"""


@pytest.mark.parametrize("part", range(PARTS))
def test_no_repair_is_cheaper(part: int) -> None:
    """Every set of fences that costs less is tried. Half of the programs are not robust to begin with."""
    compared = 0
    seed = part
    while compared < PROGRAMS // PARTS:
        seed += PARTS
        program = random_tso_program(seed)
        notion = Notion.TRIANGULAR if seed % 5 == 0 else Notion.ROBUST
        if is_robust(program, TSO, notion):
            continue
        problem = problem_of(program, TSO, notion)
        random = Random(seed)
        by_size = [Fraction(1)] * len(problem.edits)
        by_chance = [Fraction(random.randint(1, 6)) for _ in problem.edits]
        agreed = [agrees(problem, costs, MOST_SETS) for costs in (by_size, by_chance)]
        assert False not in agreed, f"a cheaper repair of random program {seed}"
        compared += None not in agreed


@pytest.mark.parametrize("part", range(4))
def test_the_machine_confirms_repairs(part: int) -> None:
    """All TSO computations of repaired programs."""
    for seed in range(part, 200, 4):
        program = random_tso_program(seed)
        problem = problem_of(program, TSO, Notion.ROBUST)
        answer = search_of(problem, [Fraction(1)] * len(problem.edits)).find()
        assert isinstance(answer, Found)
        repaired = prepare(problem.apply(answer.chosen).program)
        assert computations(repaired).violation is None, f"seed {seed}"


@pytest.mark.parametrize("seed", range(0, 300, 3))
def test_automata_are_repaired_in_their_text(seed: int) -> None:
    text = to_automata(replace(random_tso_program(seed), max_value=3))  # automata text has no other modulus
    program = loads(text, "random.txt")
    result = api.fence(program)
    assert isinstance(result.outcome, Repaired)
    assert result.outcome.text is not None
    again = loads(result.outcome.text, "repaired.txt")
    assert isinstance(api.check(again).verdict, Robust)
    assert result.outcome.text.count("mfence") == text.count("mfence") + len(result.outcome.changes)
    for change in result.outcome.changes:
        assert change.without is not None


def test_locked_stores_are_mentioned() -> None:
    result = api.fence(loads(SB, "sb.tpl"), model="tso")
    assert isinstance(result.outcome, Repaired)
    assert [change.what for change in result.outcome.changes] == ["put fence(seq_cst) before this"] * 2
    for change, store in zip(result.outcome.changes, ("x.store(1, rlx);", "y.store(1, rlx);"), strict=True):
        assert change.hint is not None
        assert change.hint.endswith(f"does the same: {store}")


def test_a_locked_store_in_place_of_a_fence_does_the_same() -> None:
    """What the hint says, on random programs: stores of which it speaks become locked, and no fence is put there."""
    tried = 0
    for seed in range(400):
        program = random_tso_program(seed)
        result = api.fence(program, busy_waits="keep")
        assert isinstance(result.outcome, Repaired)
        if not result.outcome.changes or any(change.hint is None for change in result.outcome.changes):
            continue
        tried += 1
        threads = [list(thread.code) for thread in program.threads]
        for change in result.outcome.changes:
            edit = change.edits[0]
            store = threads[edit.thread][edit.pc - 1]
            assert isinstance(store, Store)
            threads[edit.thread][edit.pc - 1] = replace(store, order=Order.SEQ_CST)
        code = zip(program.threads, threads, strict=True)
        locked = replace(program, threads=tuple(replace(thread, code=tuple(new)) for thread, new in code))
        assert is_robust(locked, TSO, Notion.ROBUST), f"seed {seed}"
    assert tried > 50


@pytest.mark.parametrize(
    ("before", "replaceable"),
    [
        ("x.store(1);", True),
        ("oneof({ x.store(1); } { x.store(2); });", True),
        ("oneof({ x.store(1); } { skip; });", False),  # an earlier store would not be flushed
        ("r = y.load();", False),
        ("while (r) { x.store(1); }", False),
    ],
)
def test_only_a_store_right_before_a_fence_can_replace_it(before: str, replaceable: bool) -> None:
    program = loads(f"global x, y, z; fn t {{ local r; z.store(1); {before} fence; r = z.load(); }}", "p.tpl")
    (place,) = [pc for pc, instruction in enumerate(program.threads[0].code) if isinstance(instruction, Fence)]
    assert (hint(program, (0, place)) is not None) is replaceable


def test_fences_in_loops_cost_more() -> None:
    """One before the loop or in it: which is cheaper depends on how often it is run."""
    text = """\
thread left
initial a
transition a b write 1 0
transition b c check == i 3
transition b d check != i 3
transition d b local i + i 1
transition c e read r 1
end
thread right
initial a
transition a b write 1 1
transition b c read r 0
end
"""
    program = loads(text, "loop.txt")
    states = {}
    for cost in ("size", "frequency"):
        outcome = api.fence(program, cost=cost, count=True).outcome
        assert isinstance(outcome, Repaired)
        states[cost] = [change.edits[0].name for change in outcome.changes], outcome.optimal
    assert states == {"size": (["b", "b"], 3), "frequency": (["c", "b"], 1)}


def test_triangular_races_need_other_fences() -> None:
    """Robust: nobody can tell. But the load may overtake the store, and another thread writes what it reads."""
    text = """\
thread t1
initial q0
transition q0 q1 write 1 0
transition q1 q2 read r 1
end
thread t2
initial q0
transition q0 q1 write 1 1
end
"""
    program = loads(text, "trf.txt")
    assert isinstance(api.check(program).verdict, Robust)
    assert isinstance(api.check(program, notion=Notion.TRIANGULAR).verdict, NotRobust)
    outcome = api.fence(program, notion=Notion.TRIANGULAR).outcome
    assert isinstance(outcome, Repaired)
    assert [change.edits[0].name for change in outcome.changes] == ["q1"]
    assert isinstance(api.check(outcome.program, notion=Notion.TRIANGULAR).verdict, Robust)
