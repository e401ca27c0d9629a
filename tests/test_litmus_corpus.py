"""The public collection of litmus tests beside the project: every file parses to what its table says it is.

`under_sc` and `executions_sc` are herd7's: what it observes under SC, and how many execution graphs it finds.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from fencepost.frontends import load
from fencepost.models.sc.litmus import answer, executions
from fencepost.program.form import Access, Cas, Fence, Isa, Program, Rmw, StoreConditional
from fencepost.program.orders import FenceKind, Order

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpora" / "litmus"
FOLDERS = ("x86", "aarch64", "armv7", "ppc", "c11")

# __atomic_add_unless counts as no read-modify-write there, and as one here.
COUNTED_AS_RMW = {"c11/C17.litmus"}


def rows(folder: str) -> list[dict[str, str]]:
    with (CORPUS / folder / "expected.csv").open() as file:
        return list(csv.DictReader(file))


def columns(program: Program) -> dict[str, bool]:
    code = [instruction for thread in program.threads for instruction in thread.code]
    orders = {
        order
        for instruction in code
        if isinstance(instruction, Access)
        for order in (
            (instruction.success, instruction.failure) if isinstance(instruction, Cas) else (instruction.order,)
        )
    }
    linked = any(isinstance(instruction, StoreConditional) for instruction in code)
    return {
        "llsc": linked,
        "rmw": linked or any(isinstance(instruction, Rmw | Cas) for instruction in code),
        "sc_access": Order.SEQ_CST in orders,
        "sc_fence": any(isinstance(i, Fence) and i.kind is FenceKind.SEQ_CST for i in code),
        "nonatomic": Order.NON_ATOMIC in orders,
    }


def graphs_with_cas(program: Program) -> bool:
    """herd7 counts several graphs for one run of an AArch64 CAS (see program.form.Cas)."""
    return program.isa is Isa.AARCH64 and any(isinstance(i, Cas) for thread in program.threads for i in thread.code)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the collection of litmus tests is not beside the project")
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_is_what_its_table_says(folder: str) -> None:
    differences: list[str] = []
    seen = 0
    for row in rows(folder):
        program = load(CORPUS / row["file"])
        assert program.final is not None
        found = {
            "threads": str(len(program.threads)),
            "condition": program.final.quantifier.value,
            "under_sc": answer(program).occurrence.value,
        }
        if not graphs_with_cas(program):
            found["executions_sc"] = str(executions(program))
        found |= {name: str(int(value)) for name, value in columns(program).items() if name in row}
        if row["file"] in COUNTED_AS_RMW:
            assert found.pop("rmw") == "1"
        seen += 1
        differences += [
            f"{row['file']}: {name} is {value}, expected {row[name]}"
            for name, value in found.items()
            if value != row[name]
        ]
    assert seen > 200
    assert differences == []
