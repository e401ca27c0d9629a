"""A search that is cut off answers what the whole search answers, or unknown: never robust for want of a violation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from support.random_templates import random_template_program
from support.random_tso import random_tso_program

from fencepost.engines import attacks, templates
from fencepost.engines.options import SearchOptions
from fencepost.fences.repair import cost_called, repair_program
from fencepost.fences.types import Repaired, Undecided
from fencepost.models.registry import MODELS
from fencepost.program.form import Program
from fencepost.verdict.types import Answer, CheckResult, Notion, NotRobust, Unknown

ONE = SearchOptions(jobs=1)


def limited(random: Random) -> SearchOptions:
    """One limit that small programs are likely to reach."""
    match random.randrange(3):
        case 0:
            return replace(ONE, max_states=random.choice((1, 2, 3, 5, 8, 20, 60)))
        case 1:
            return replace(ONE, memory=random.choice((1, 1000, 100_000)))
    return replace(ONE, timeout=random.choice((1e-9, 1e-6, 1e-5, 1e-4)))


@pytest.mark.parametrize(
    ("program_of", "check", "notions"),
    [
        (lambda seed: random_tso_program(seed, loops=True), attacks.check_program, tuple(Notion)),
        (random_template_program, templates.check_program, (Notion.ROBUST, Notion.TRIANGULAR)),
    ],
    ids=["threads", "templates"],
)
def test_checks(
    program_of: Callable[[int], Program], check: Callable[..., CheckResult], notions: tuple[Notion, ...]
) -> None:
    unknown = 0
    for seed in range(150):
        random = Random(seed)
        program = program_of(seed)
        notion = random.choice([notion for notion in notions if notion is not Notion.OBSERVATIONAL])
        full = check(program, model="tso", notion=notion, options=ONE)
        for _ in range(4):
            options = limited(random)
            result = check(program, model="tso", notion=notion, options=options)
            if isinstance(result.verdict, Unknown):
                unknown += 1
            else:
                assert type(result.verdict) is type(full.verdict), (seed, notion, options)
            if result.assertions is not Answer.UNKNOWN and not isinstance(full.verdict, NotRobust):
                assert result.assertions is full.assertions, (seed, notion, options)
    assert unknown > 100


def test_repairs() -> None:
    """A set of fences that is handed out was checked to the end, and so was that there is no cheaper one."""
    undecided = 0
    for seed in range(60):
        random = Random(seed)
        program = random_template_program(seed) if seed % 3 == 0 else random_tso_program(seed, loops=True)

        def repaired(program: Program, options: SearchOptions, *, count: bool) -> object:
            cost = cost_called("size")
            return repair_program(
                program,
                info=MODELS["tso"],
                notion=Notion.ROBUST,
                blocking=False,
                cost=cost,
                count=count,
                options=options,
            ).outcome

        full = repaired(program, ONE, count=False)
        assert isinstance(full, Repaired)
        for _ in range(4):
            found = repaired(program, limited(random), count=random.random() < 0.5)
            assert isinstance(found, Repaired | Undecided)
            undecided += isinstance(found, Undecided)
            if isinstance(found, Repaired):
                assert found.cost == full.cost, seed
    assert undecided > 20
