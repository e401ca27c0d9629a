"""What herd7 says of the public collection of litmus tests, beside what we say."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fencepost import frontends
from fencepost.engines.graphs.enumerate import Ending, Enumeration, enumerate_executions
from fencepost.models.axiomatic.paths import Unrolling
from fencepost.models.registry import MODELS
from fencepost.program.condition import holds, occurrence
from fencepost.program.form import Program

FOLDERS = ("x86", "aarch64", "armv7", "ppc", "c11")
MODEL = {
    "x86tso": "tso",
    "aarch64.cat": "armv8",
    "arm.cat": "armv7",
    "ppc.cat": "power",
    "rc20": "rc20",
    "rc11": "rc11",
}
NAMED = {"SC": "sc", "x86": "tso", "aarch64": "armv8", "armv7": "armv7", "ppc": "power", "rc20": "rc20", "rc11": "rc11"}

CORPUS = Path(__file__).parents[3] / "shared" / "corpora" / "litmus"  # beside the repository, if at all

Row = Mapping[str, str]


def rows(folder: str, corpus: Path = CORPUS) -> list[dict[str, str]]:
    """The table of a folder."""
    with (corpus / folder / "expected.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def differences(corpus: Path, row: Row) -> Iterator[str]:
    """Every column of the table, computed again."""
    program = frontends.load(corpus / row["file"])
    under = {"sc": _enumerated(program, "sc", ())}
    asked = dict(_questions(row))
    own = MODEL[row["model"]]
    for weaker in dict.fromkeys((own, *(pair[1] for pair in asked))):
        against = [pair[0] for pair in asked if pair[1] == weaker]
        under[weaker] = _enumerated(program, weaker, against)
        yield from _robustness(row, asked, weaker, against, under[weaker])
    for column, name in (("model", own), ("sc", "sc")):
        yield from _answer(program, row, column, under[name])
    if row.get("llsc") == "1":
        yield from _if_they_succeed(program, row, asked, own)


def _questions(row: Row) -> Iterator[tuple[tuple[str, str], str]]:
    """The models that are compared, stronger and weaker, and their name in the table."""
    for column in row:
        if column.startswith("violations_") and row[column] not in ("", "NA"):
            pair = column.removeprefix("violations_")
            stronger, weaker = pair.split("-")
            yield (NAMED[stronger], NAMED[weaker]), pair


def _enumerated(
    program: Program, model: str, against: Sequence[str], unrolling: Unrolling | None = None
) -> Enumeration:
    assert program.final is not None
    return enumerate_executions(
        program,
        MODELS[model].rules(program.isa),
        against=[MODELS[name].rules(program.isa) for name in against],
        observed=program.final.observed,
        unrolling=unrolling,
    )


def _answer(program: Program, row: Row, column: str, found: Enumeration) -> Iterator[str]:
    final = program.final
    assert final is not None
    states = [state for state in found.states if holds(final.filter, state)]
    answer = occurrence(final.proposition, states).value
    if answer != row[f"under_{column}"]:
        yield f"{answer} under {column}, not {row[f'under_{column}']}"
    if str(found.executions) != row[f"executions_{column}"]:
        yield f"{found.executions} executions under {column}, not {row[f'executions_{column}']}"
    if found.ending is not Ending.EXHAUSTED or found.cut or found.failed:
        yield f"{column}: {found.ending.value}, {found.cut} cut, {found.failed} failed"


def _robustness(
    row: Row, asked: Mapping[tuple[str, str], str], weaker: str, against: Sequence[str], found: Enumeration
) -> Iterator[str]:
    for stronger, judged in zip(against, found.judgements, strict=True):
        pair = asked[stronger, weaker]
        if str(judged.violations) != row[f"violations_{pair}"]:
            yield f"{pair}: {judged.violations} violations, not {row[f'violations_{pair}']}"
        answer = "no" if judged.violations else "yes"
        if answer != row[f"robust_{pair}"]:
            yield f"{pair}: robust {answer}, not {row[f'robust_{pair}']}"


def _if_they_succeed(program: Program, row: Row, asked: Mapping[tuple[str, str], str], weaker: str) -> Iterator[str]:
    """The same when no store-conditional fails."""
    against = [pair[0] for pair in asked if pair[1] == weaker]
    found = _enumerated(program, weaker, against, Unrolling(store_conditionals_fail=False))
    for stronger, judged in zip(against, found.judgements, strict=True):
        expected = row[f"if_store_exclusives_succeed_{asked[stronger, weaker]}"]
        answer = "no" if judged.violations else "yes"
        if expected and answer != expected:
            yield f"{asked[stronger, weaker]}: robust {answer} if no store-conditional fails, not {expected}"
