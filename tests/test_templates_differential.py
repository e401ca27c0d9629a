"""Any number of threads, three times over on random templates: the core, the version to read, and instances of 1 to 4.

FENCEPOST_TEMPLATES=2000 compares more programs with their instances than CI does.
"""

from __future__ import annotations

import os
from fractions import Fraction
from random import Random

import pytest
from support.random_templates import random_template_program
from support.repairs import agrees, is_robust, model, problem_of

from fencepost.engines import attacks, templates
from fencepost.engines.options import ALL_REDUCTIONS, Reduction, SearchOptions
from fencepost.models.tso.attacks import Goal
from fencepost.models.tso.crowd import coverage
from fencepost.models.tso.prepare import prepare
from fencepost.program.templates import instances
from fencepost.verdict.types import Answer, Notion, NotRobust, Robust, Unknown

PROGRAMS = int(os.environ.get("FENCEPOST_TEMPLATES", "200"))
PARTS = 4
TSO = model("tso")
OPTIONS = SearchOptions(jobs=1, timeout=60)
FEW = SearchOptions(jobs=1, max_states=100_000)


@pytest.mark.parametrize("part", range(PARTS))
def test_instances_agree(part: int) -> None:
    """Robustness and assertions; all instances of 1 to 4 copies decide within 100,000 states."""
    for seed in range(part, PROGRAMS, PARTS):
        program = random_template_program(seed)
        answer = templates.check_program(program, model="tso", options=OPTIONS)
        assert isinstance(answer.verdict, Robust | NotRobust), f"seed {seed}: {answer.verdict}"
        assert answer.assertions is not Answer.UNKNOWN, f"seed {seed}: {answer.warnings}"
        for each in (1, 2, 3, 4):
            one = attacks.check_program(instances(program, each), model="tso", options=FEW)
            enough = all(count <= each for _, count in answer.copies)
            assert not isinstance(one.verdict, Unknown), f"seed {seed}, {each} copies: {one.verdict}"
            if isinstance(answer.verdict, Robust):
                assert isinstance(one.verdict, Robust), f"seed {seed}, {each} copies"
            elif enough:
                assert isinstance(one.verdict, NotRobust), f"seed {seed}, {each} copies"
            if one.assertions is Answer.FAIL:
                assert answer.assertions is Answer.FAIL, f"seed {seed}, {each} copies"
            elif enough and answer.assertions is Answer.FAIL and isinstance(one.verdict, Robust):
                raise AssertionError(f"seed {seed}, {each} copies: the assertion should fail")


@pytest.mark.parametrize(("part", "goal"), [*((part, Goal.CYCLE) for part in range(PARTS)), (0, Goal.TRIANGLE)])
def test_the_version_to_read_agrees(part: int, goal: Goal) -> None:
    notion = Notion.ROBUST if goal is Goal.CYCLE else Notion.TRIANGULAR
    for seed in range(part, 150, PARTS):
        program = random_template_program(seed)
        expected = coverage(prepare(program), goal)
        answer = templates.check_program(program, model="tso", notion=notion, options=OPTIONS)
        assert isinstance(answer.verdict, NotRobust) is (expected.attack is not None), f"seed {seed}: {answer.verdict}"
        assert (answer.assertions is Answer.FAIL) is (expected.assertion is not None), f"seed {seed}"


@pytest.mark.parametrize("without", [Reduction.PAIRS, Reduction.LIVENESS, Reduction.FUSE])
def test_no_reduction_changes_a_verdict(without: Reduction) -> None:
    options = SearchOptions(jobs=1, timeout=60, reductions=ALL_REDUCTIONS - {without})
    for seed in range(100):
        program = random_template_program(seed, most_threads=3)
        with_all = templates.check_program(program, model="tso", options=OPTIONS)
        fewer = templates.check_program(program, model="tso", options=options)
        assert isinstance(fewer.verdict, Robust) is isinstance(with_all.verdict, Robust), f"seed {seed}"
        assert fewer.assertions is with_all.assertions, f"seed {seed}"


@pytest.mark.parametrize("part", range(PARTS))
def test_no_repair_is_cheaper(part: int) -> None:
    """Every set of fences that costs less is tried."""
    compared = 0
    seed = part
    while compared < 25:
        seed += PARTS
        program = random_template_program(seed)
        if is_robust(program, TSO, Notion.ROBUST):
            continue
        problem = problem_of(program, TSO, Notion.ROBUST)
        random = Random(seed)
        costs = [Fraction(random.randint(1, 4)) for _ in problem.edits]
        agreed = agrees(problem, costs, 200)
        assert agreed is not False, f"a cheaper repair of random templates {seed}"
        compared += agreed is not None
