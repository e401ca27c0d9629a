"""Random programs: the definition of RC20, its two witness searches and the core agree (support/agreement.py).

FENCEPOST_RC20_PROGRAMS=100000 runs more programs than CI does; `python -m support.agreement` does, on all processors.
"""

from __future__ import annotations

import os

import pytest
from support.agreement import KINDS, core, differences, is_robust
from support.random_programs import random_program

from fencepost.verdict.types import Notion, NotRobust

PROGRAMS = int(os.environ.get("FENCEPOST_RC20_PROGRAMS", "3000"))
PARTS = 10


def part(number: int, programs: int) -> range:
    return range(number, programs, PARTS)


@pytest.mark.parametrize("number", range(PARTS))
def test_definition_witness_searches_and_core_agree(number: int) -> None:
    assert differences("plain", part(number, PROGRAMS)) == []


@pytest.mark.parametrize("number", range(PARTS))
def test_races_are_those_of_the_definition(number: int) -> None:
    assert differences("races", part(number, PROGRAMS // 3)) == []


@pytest.mark.parametrize("number", range(PARTS))
def test_no_reduction_and_no_number_of_workers_changes_a_verdict(number: int) -> None:
    assert differences("reductions", part(number, PROGRAMS * 2 // 3)) == []


@pytest.mark.parametrize("number", range(PARTS))
def test_programs_with_loops_are_decided_as_by_the_monitor_in_python(number: int) -> None:
    assert differences("loops", part(number, PROGRAMS // 6)) == []


@pytest.mark.parametrize("number", range(PARTS))
def test_assertions_and_deadlocks_are_those_of_all_interleavings(number: int) -> None:
    assert differences("sc", part(number, PROGRAMS // 6)) == []


def test_a_stale_value_may_make_a_wait_end_that_no_value_ends_now() -> None:
    """Def 4.9 is violated although the wait enables no label under SC: MODEL.md, 6."""
    assert differences("plain", range(3971, 3972)) == []
    program = random_program(3971, KINDS["plain"])
    assert not is_robust(core(program, Notion.OBSERVATIONAL))


@pytest.mark.parametrize("seed", [1186, 2175])
def test_a_use_that_only_another_value_would_allow_is_told_as_doubtful(seed: int) -> None:
    """SC_T errs on every label that the program enables (Fig 4), also one that the memory never offers."""
    result = core(random_program(seed, KINDS["plain"]), Notion.OBSERVATIONAL)
    assert isinstance(result.verdict, NotRobust)
    assert not result.verdict.witness.confirmed
