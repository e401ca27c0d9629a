"""TSO three times over on random loop-free programs: all computations of the store-buffer machine, the attack search in
Python, and the core.

FENCEPOST_TSO_PROGRAMS=50000 runs more programs than CI does.
"""

from __future__ import annotations

import os

import pytest
from support.random_tso import random_tso_program

from fencepost.engines.attacks import check_program
from fencepost.engines.options import SearchOptions
from fencepost.models.registry import find
from fencepost.models.tso.attacks import Goal, find_attack
from fencepost.models.tso.machine import computations
from fencepost.models.tso.prepare import prepare
from fencepost.verdict.types import Notion, NotRobust, Robust

PROGRAMS = int(os.environ.get("FENCEPOST_TSO_PROGRAMS", "3000"))
PARTS = 20
OPTIONS = SearchOptions(jobs=1)


@pytest.mark.parametrize("part", range(PARTS))
def test_machine_attacks_and_core_agree(part: int) -> None:
    for seed in range(part, PROGRAMS, PARTS):
        program = random_tso_program(seed)
        prepared = prepare(program)
        expected = computations(prepared).violation is None
        assert (find_attack(prepared).attack is None) is expected, f"attack search, seed {seed}"
        verdict = check_program(program, model="tso", options=OPTIONS).verdict
        assert isinstance(verdict, Robust | NotRobust), f"core, seed {seed}: {verdict}"
        assert isinstance(verdict, Robust) is expected, f"core, seed {seed}: {verdict}"


@pytest.mark.parametrize("part", range(4))
def test_triangular_races_agree(part: int) -> None:
    for seed in range(part, PROGRAMS // 5, 4):
        program = random_tso_program(seed)
        expected = find_attack(prepare(program), Goal.TRIANGLE).attack is None
        verdict = check_program(program, model="tso", notion=Notion.TRIANGULAR, options=OPTIONS).verdict
        assert isinstance(verdict, Robust) is expected, f"seed {seed}: {verdict}"
        if expected:  # it is the stronger property
            assert isinstance(check_program(program, model="tso", options=OPTIONS).verdict, Robust), f"seed {seed}"


def test_the_model_is_registered() -> None:
    info = find("x86")
    assert info is not None
    assert info.name == "tso"
