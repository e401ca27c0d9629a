"""Our own litmus files: what they do under SC."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost.frontends import load
from fencepost.models.sc.litmus import answer, executions
from fencepost.program.condition import InMemory, Occurrence
from fencepost.program.form import Isa

FILES = Path(__file__).resolve().parents[1] / "examples" / "litmus-files"

NEVER, SOMETIMES, ALWAYS = Occurrence.NEVER, Occurrence.SOMETIMES, Occurrence.ALWAYS

# The processor, how often the proposition holds, the numbers of final states and of graphs.
EXPECTED = {
    "sb-x86": (Isa.X86, NEVER, 3, 3),
    "sb-locked-x86_64": (Isa.X86, NEVER, 3, 3),
    "mp-aarch64": (Isa.AARCH64, NEVER, 3, 3),
    "counter-aarch64": (Isa.AARCH64, ALWAYS, 4, 7),
    "pointer-aarch64": (Isa.AARCH64, NEVER, 2, 2),
    "lb-arm": (Isa.ARMV7, NEVER, 1, 1),
    "iriw-ppc": (Isa.POWER, NEVER, 15, 15),
    "lock-ppc": (Isa.POWER, NEVER, 3, 5),
    "mp-c": (Isa.C11, ALWAYS, 2, 2),
    "cas-c": (Isa.C11, ALWAYS, 2, 2),
}


def test_every_file_is_expected() -> None:
    assert {path.stem for path in FILES.glob("*.litmus")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_under_sc(name: str) -> None:
    program = load(FILES / f"{name}.litmus")
    isa, occurrence, states, graphs = EXPECTED[name]
    found = answer(program)
    assert program.isa is isa
    assert (found.occurrence, len(found.states)) == (occurrence, states)
    assert executions(program) == graphs


def test_a_listed_location_is_observed() -> None:
    program = load(FILES / "cas-c.litmus")
    assert program.final is not None
    assert InMemory("x", None, 32) in program.final.observed
