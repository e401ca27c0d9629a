"""The models in examples/models: the same numbers as our own, on our litmus files and on the public collection."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest
from support.random_programs import Options, random_program
from test_graphs_corpus import CORPUS

import fencepost
from fencepost.engines.graphs.enumerate import enumerate_executions
from fencepost.models.axiomatic.candidates import candidates
from fencepost.models.axiomatic.execution import is_consistent
from fencepost.models.mappings import compiled
from fencepost.models.registry import MODELS, ModelInfo, named
from fencepost.program.form import Isa, Program, StoreConditional

EXAMPLES = Path(__file__).parent.parent / "examples"
OURS = {path.stem: MODELS[path.stem] for path in sorted((EXAMPLES / "models").glob("*.cat"))}
EVERYTHING = "FENCEPOST_WHOLE_CORPUS"  # set: all tests of the collection, else every twentieth
FOLDER = {Isa.X86: "x86", Isa.AARCH64: "aarch64", Isa.ARMV7: "armv7", Isa.POWER: "ppc", Isa.C11: "c11"}


def theirs(name: str) -> ModelInfo:
    model = named(str(EXAMPLES / "models" / f"{name}.cat"))
    assert model is not None
    return model


def own_files(isas: frozenset[Isa]) -> list[Program]:
    programs = [fencepost.load(path) for path in sorted((EXAMPLES / "litmus-files").glob("*.litmus"))]
    return [program for program in programs if program.isa in isas]


@pytest.mark.parametrize("name", OURS)
def test_our_litmus_files_have_the_same_executions(name: str) -> None:
    programs = own_files(OURS[name].judges if name == "sc" else frozenset({theirs(name).target}))
    assert programs
    for program in programs:
        ours = enumerate_executions(program, OURS[name].rules(program.isa))
        found = enumerate_executions(program, theirs(name).rules(program.isa), against=[OURS[name].rules(program.isa)])
        assert (found.executions, found.cut) == (ours.executions, ours.cut), program.name
        assert found.judgements[0].violations == 0


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("seed", range(10))
def test_the_definition_and_the_core_agree(name: str, seed: int) -> None:
    """On C11 programs, as they are compiled for the model."""
    program = compiled(random_program(seed, Options(max_events=5)), theirs(name).target)
    rules = theirs(name).rules(program.isa)
    if any(isinstance(step, StoreConditional) for thread in program.threads for step in thread.code):
        pytest.skip("the loops of its updates have too many candidates for the definition")
    everything = []
    for candidate in candidates(program):
        everything.append(candidate)
        if len(everything) > 150:
            pytest.skip("too many candidates for the definition")
    expected = sum(is_consistent(rules, each.execution) for each in everything)
    assert enumerate_executions(program, rules).executions == expected


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the public litmus tests do not lie beside the repository")
@pytest.mark.parametrize("name", OURS)
def test_the_public_collection_has_the_same_executions(name: str) -> None:
    isas = set(FOLDER) if name == "sc" else {theirs(name).target}
    for isa in sorted(isas, key=lambda isa: isa.value):
        with (CORPUS / FOLDER[isa] / "expected.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for row in rows if os.environ.get(EVERYTHING) else rows[::20]:
            program = fencepost.load(CORPUS / row["file"])
            ours, other = OURS[name].rules(isa), theirs(name).rules(isa)
            found = enumerate_executions(program, other, against=[ours])
            assert found.executions == enumerate_executions(program, ours).executions, row["file"]
            assert found.judgements[0].violations == 0, row["file"]
