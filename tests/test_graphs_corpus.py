"""Every litmus test of the public collections, where they lie beside the repository: all answers of herd7, exactly."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fencepost import frontends
from fencepost.engines.graphs.enumerate import Ending, enumerate_executions
from fencepost.models.axiomatic.paths import Unrolling
from fencepost.models.registry import MODELS
from fencepost.program.condition import holds, occurrence

CORPUS = Path(__file__).parents[2] / "shared" / "corpora" / "litmus"
FOLDERS = ("x86", "aarch64", "armv7", "ppc", "c11")
EVERYTHING = "FENCEPOST_WHOLE_CORPUS"  # set: all tests (20 s), else every fifth
OURS = {"x86tso": "tso", "aarch64.cat": "armv8", "arm.cat": "armv7", "ppc.cat": "power", "rc20": "rc20", "rc11": "rc11"}
AGAINST = {"SC": "sc", "x86": "tso", "aarch64": "armv8"}


def rows(folder: str) -> list[dict[str, str]]:
    with (CORPUS / folder / "expected.csv").open(encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    return found if os.environ.get(EVERYTHING) else found[::5]


def comparisons(row: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """The columns about robustness that hold for the model of the row: prefix, stronger model, column."""
    name = OURS[row["model"]]
    for column in row:
        prefix, _, pair = column.rpartition("_")
        if prefix in ("violations", "if_store_exclusives_succeed") and row[column]:
            stronger, weaker = pair.split("-")
            if folder_model(weaker) == name:
                yield prefix, AGAINST[stronger], row[column]


def folder_model(name: str) -> str:
    return {"aarch64": "armv8", "ppc": "power", "x86": "tso"}.get(name, name)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the public litmus tests do not lie beside the repository")
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_answers_are_those_of_herd(folder: str) -> None:
    differing = [f"{row['file']}: {what}" for row in rows(folder) for what in differences(row)]
    assert not differing, "\n".join(differing)


def differences(row: dict[str, str]) -> Iterator[str]:
    program = frontends.load(CORPUS / row["file"])
    final = program.final
    assert final is not None
    model, asked = MODELS[OURS[row["model"]]].rules(program.isa), list(comparisons(row))
    against = {name: MODELS[name].rules(program.isa) for _, name, _ in asked}
    weak = enumerate_executions(program, model, against=list(against.values()), observed=final.observed)
    strong = enumerate_executions(program, MODELS["sc"].rules(program.isa), observed=final.observed)
    for name, found in (("model", weak), ("sc", strong)):
        states = [state for state in found.states if holds(final.filter, state)]
        answer = occurrence(final.proposition, states).value
        if answer != row[f"under_{name}"]:
            yield f"{answer} under {name}, not {row[f'under_{name}']}"
        if str(found.executions) != row[f"executions_{name}"]:
            yield f"{found.executions} executions under {name}, not {row[f'executions_{name}']}"
        if found.ending is not Ending.EXHAUSTED or found.cut or found.failed:
            yield f"{name}: {found.ending.value}, {found.cut} cut, {found.failed} failed"
    violations = dict(zip(against, (judged.violations for judged in weak.judgements), strict=True))
    for prefix, name, expected in asked:
        if prefix == "violations" and str(violations[name]) != expected:
            yield f"{violations[name]} violations against {name}, not {expected}"
    if row.get("llsc") == "1":
        unfailing = Unrolling(store_conditionals_fail=False)
        found = enumerate_executions(program, model, against=list(against.values()), unrolling=unfailing)
        for name, judged in zip(against, found.judgements, strict=True):
            answer = "no" if judged.violations else "yes"
            for prefix, stronger, expected in asked:
                if prefix != "violations" and stronger == name and answer != expected:
                    yield f"{answer} against {name} if no store-conditional fails, not {expected}"
