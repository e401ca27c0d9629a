"""Repairs under RC20: no cheaper one exists, whatever the costs."""

import os
from fractions import Fraction
from random import Random

import pytest
from support.random_programs import Options, random_program
from support.repairs import agrees, is_robust, model, problem_of, search_of

from fencepost.fences.optimum import Choice
from fencepost.fences.rc20 import COSTS
from fencepost.fences.synthesis import Found, NoneFound
from fencepost.frontends import loads
from fencepost.models import Unsupported
from fencepost.program.orders import FenceKind
from fencepost.verdict.types import Notion

RC20 = model("rc20")
KINDS = {
    "plain": Options(max_prefixes=40),
    "non-atomics": Options(max_prefixes=40, non_atomics=True),
    "loops": Options(max_prefixes=40, loops=True),
}
PROGRAMS = int(os.environ.get("FENCEPOST_REPAIRS", "34"))  # for each kind and notion
MOST_REPAIRS = 250  # that brute force checks for one program


@pytest.mark.parametrize("notion", [Notion.ROBUST, Notion.OBSERVATIONAL])
@pytest.mark.parametrize("kind", KINDS)
def test_no_repair_is_cheaper(kind, notion):
    compared = 0
    seed = 0
    while compared < PROGRAMS:
        seed += 1
        program = random_program(seed, KINDS[kind])
        try:
            if is_robust(program, RC20, notion):
                continue
        except Unsupported:
            continue
        problem = problem_of(program, RC20, notion)
        random = Random(seed)
        by_size = [COSTS[edit.what] for edit in problem.edits]
        by_chance = [Fraction(random.randint(1, 6)) for _ in problem.edits]
        for costs in (by_size, by_chance):
            agreed = agrees(problem, costs, MOST_REPAIRS)
            assert agreed is not False, f"a cheaper repair of random program {seed} ({kind}, {notion.value}, {costs})"
            compared += agreed is True


def test_answers_do_not_depend_on_what_was_asked_before():
    program = random_program(3, KINDS["plain"])
    answers = set()
    for _ in range(3):
        problem = problem_of(program, RC20, Notion.ROBUST)
        answers.add(search_of(problem, [COSTS[edit.what] for edit in problem.edits]).find())
    assert len(answers) == 1


def test_sc_fences_can_do_harm():
    """semantics.md 1: a second SC fence makes threads that never met come one after the other under SC."""
    before = """\
max_value 1;
global x, y;
fn first { fence(seq_cst); y.store(1, rlx); }
fn second { x.store(1, rlx); }
fn third { local c, a; c = y.load(rlx); a = x.load(rlx); }
"""
    after = before.replace("x.store(1, rlx);", "x.store(1, rlx); fence(seq_cst);")
    assert is_robust(loads(before, "before.tpl"), RC20, Notion.ROBUST)
    assert not is_robust(loads(after, "after.tpl"), RC20, Notion.ROBUST)


def test_what_cannot_be_repaired():
    program = loads("max_value 1; na d; fn a { d.nastore(1); } fn b { local r; r = d.naload(); }", "race.tpl")
    problem = problem_of(program, RC20, Notion.ROBUST)
    answer = search_of(problem, [Fraction(1)] * len(problem.edits)).find()
    assert isinstance(answer, NoneFound)
    assert "race" in answer.witness.headline


def test_counting_repairs():
    """Two threads with three places each between their accesses, any of which will do."""
    program = loads(
        """\
max_value 1; global x, y;
fn a { local r; x.store(1); skip; r = r + 1; r = y.load(); }
fn b { local r; y.store(1); r = x.load(); }
""",
        "sb.tpl",
    )
    problem = problem_of(program, RC20, Notion.ROBUST)
    costs = [COSTS[edit.what] for edit in problem.edits]
    search = search_of(problem, costs)
    answer = search.find()
    assert isinstance(answer, Found)
    assert {problem.edits[index].what for index in answer.chosen} == {FenceKind.SEQ_CST}
    assert search.count(Fraction(10), 100) == (2, False)
    assert search.count(Fraction(10), 1) == (1, True)
    assert search.witness_without(answer.chosen, Choice({min(answer.chosen)})) is not None
