"""The examples for TSO get the answers that they announce, and as many fences as in the thesis (Table 7.3)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.tso_families import FAMILIES

from fencepost import api
from fencepost.engines.options import SearchOptions
from fencepost.fences.types import Repaired
from fencepost.frontends import loads
from fencepost.frontends.automata.writer import to_automata
from fencepost.program.form import Fence
from fencepost.reports.repairs import diff
from fencepost.verdict.types import Notion, NotRobust, Robust

FOLDER = Path(__file__).parent.parent / "examples" / "tso"
EXAMPLES = sorted(FOLDER.glob("*.txt"))

TABLE_7_3 = {  # threads, fences
    "dekker": (2, 4),
    "dekker-fenced": (2, 0),
    "peterson": (2, 2),
    "peterson-fenced": (2, 0),
    "burns": (2, 3),
    "burns-fenced": (2, 0),
    "lamport": (3, 6),
    "lamport-fenced": (3, 0),
    "clh-lock": (3, 0),
    "mcs-lock": (2, 0),
    "cilk-queue-misused": (5, 3),
    "cilk-queue": (3, 0),
    "lock-free-stack": (4, 0),
    "parker": (2, 1),
    "parker-fenced": (2, 0),
    "nbw-spinlock": (4, 0),
}


def announced(path: Path) -> tuple[bool, int, int]:
    """Whether it is robust, how many fences it needs, and how many against triangular races as far as it says so."""
    text = path.read_text(encoding="utf-8")
    match = re.search(
        r"^# TSO: (?:(robust)(?:; (\d+) fences? against triangular races)?|NOT robust, (\d+) fences?)$", text, re.M
    )
    assert match, f"{path.name} does not announce an answer"
    return match[1] is not None, int(match[3] or 0), int(match[2] or 0)


def fences(program: api.Program) -> int:
    return sum(isinstance(instruction, Fence) for thread in program.threads for instruction in thread.code)


@pytest.mark.parametrize("name", TABLE_7_3)
def test_the_table_of_the_thesis(name: str) -> None:
    program = api.load(FOLDER / f"{name}.txt")
    threads, expected = TABLE_7_3[name]
    assert len(program.threads) == threads
    assert announced(FOLDER / f"{name}.txt")[:2] == (expected == 0, expected)
    assert isinstance(api.check(program).verdict, NotRobust if expected else Robust)
    outcome = api.fence(program).outcome
    assert isinstance(outcome, Repaired)
    assert len(outcome.changes) == outcome.cost == expected


@pytest.mark.parametrize("name", ["dekker", "peterson", "burns", "lamport", "parker"])
def test_those_with_fences_have_no_superfluous_one(name: str) -> None:
    assert fences(api.load(FOLDER / f"{name}-fenced.txt")) == TABLE_7_3[name][1]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("notion", [Notion.ROBUST, Notion.TRIANGULAR])
def test_repairs(path: Path, notion: Notion) -> None:
    """Applied and checked again, from the text; the diff puts one mfence before one state for each fence."""
    _, needed, against_races = announced(path)
    result = api.fence(path, notion=notion)
    outcome = result.outcome
    assert isinstance(outcome, Repaired)
    assert outcome.text is not None
    patched = loads(outcome.text, path.name)
    assert isinstance(api.check(patched, notion=notion).verdict, Robust)
    assert isinstance(api.check(patched).verdict, Robust)
    if notion is Notion.TRIANGULAR:
        assert len(outcome.changes) >= (against_races or needed)
    else:
        assert len(outcome.changes) == needed
    for change in outcome.changes:
        assert change.without is not None
        assert len(change.edits) == 1
    lines = [line for line in diff(result).splitlines() if re.match(r"[+-](?![+-])", line)]
    added, removed = ([line[1:].split() for line in lines if line[0] == sign] for sign in "+-")
    mfences = [line for line in added if line[-1] == "mfence"]
    states = [edit.name for change in outcome.changes for edit in change.edits]
    assert sorted(line[1] for line in mfences) == sorted(str(state) for state in states)
    fresh = {line[2]: line[1] for line in mfences}
    others = [line for line in added if line not in mfences]
    assert [[*line[:1], fresh[line[1]], *line[2:]] for line in others] == removed


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_is_written_in_automata_text_is_the_same_program(path: Path) -> None:
    program = api.load(path)
    again = loads(to_automata(program), path.name)
    assert type(api.check(again).verdict) is type(api.check(program).verdict)
    outcomes = [api.fence(one).outcome for one in (program, again)]
    assert all(isinstance(outcome, Repaired) for outcome in outcomes)
    assert len({len(outcome.changes) for outcome in outcomes if isinstance(outcome, Repaired)}) == 1


@pytest.mark.parametrize(("family", "threads", "needed"), [("filter lock", 3, 6), ("bakery", 2, 4), ("stealers", 2, 3)])
def test_families_that_are_measured(family: str, threads: int, needed: int) -> None:
    outcome = api.fence(loads(FAMILIES[family][0](threads), f"{family}.txt")).outcome
    assert isinstance(outcome, Repaired)
    assert len(outcome.changes) == needed


@pytest.mark.parametrize("name", ["seqlock-ra", "seqlock_fence", "arc"])
def test_speculative_reads_are_forgotten(name: str) -> None:
    """Three threads that read and write under a version number up to 30: old versions are not kept apart."""
    path = FOLDER.parent / "rc20" / f"{name}.tpl"
    result = api.check(path, model="tso", options=SearchOptions(max_states=100_000))
    assert isinstance(result.verdict, Robust)
