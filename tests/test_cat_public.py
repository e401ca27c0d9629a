"""Public `.cat` files give herd's numbers, which are those of our own models, on the public collections.

The files are not part of fencepost: the folders that FENCEPOST_CAT_FILES names (as in PATH) have them. docs/cat.md says
which were tried.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest
from support.corpus import CORPUS, FOLDERS

from fencepost import frontends
from fencepost.engines.graphs.enumerate import Ending, enumerate_executions
from fencepost.models.cat.load import load

FILES = "FENCEPOST_CAT_FILES"
# Which collections a file of this name speaks about, and the column with its number of executions
TESTS = {
    "sc.cat": (FOLDERS, "executions_sc"),
    "sc2.cat": (FOLDERS, "executions_sc"),
    "x86tso.cat": (("x86",), "executions_model"),
    "tso.cat": (("x86",), "executions_model"),
    "arm.cat": (("armv7",), "executions_model"),
    "ppc.cat": (("ppc",), "executions_model"),
    "power.cat": (("ppc",), "executions_model"),
    "aarch64.cat": (("aarch64",), "executions_model"),
    "rc11.cat": (("c11",), "executions_model"),
}


def files() -> list[Path]:
    folders = [Path(folder) for folder in os.environ.get(FILES, "").split(os.pathsep) if folder]
    return [folder / name for folder in folders for name in TESTS if (folder / name).is_file()]


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the public litmus tests do not lie beside the repository")
@pytest.mark.skipif(not files(), reason=f"{FILES} names no folder with public .cat files")
@pytest.mark.parametrize("path", files(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_public_file_counts_as_herd_does(path: Path) -> None:
    folders, column = TESTS[path.name]
    model = load(path)
    differing, count = [], 0
    for folder in folders:
        with (CORPUS / folder / "expected.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            if path.name == "rc11.cat" and row["model"] != "rc11":
                continue
            program = frontends.load(CORPUS / row["file"])
            found = enumerate_executions(program, model.rules(program.isa))
            assert found.ending is Ending.EXHAUSTED
            count += 1
            if str(found.executions) != row[column]:
                differing.append(f"{row['file']}: {found.executions}, not {row[column]}")
    assert count
    assert not differing, f"{len(differing)} of {count}\n" + "\n".join(differing)
