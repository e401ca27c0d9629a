"""Every litmus test of the public collections, where they lie beside the repository: all answers of herd7, exactly.

`bench/run corpus` does the same with the time that it takes.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from support.corpus import FOLDERS, differences

CORPUS = Path(__file__).parents[2] / "shared" / "corpora" / "litmus"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the public litmus tests do not lie beside the repository")
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_answers_are_those_of_herd(folder: str) -> None:
    with (CORPUS / folder / "expected.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    differing = [f"{row['file']}: {what}" for row in rows for what in differences(CORPUS, row)]
    assert len(rows) > 200
    assert not differing, "\n".join(differing)
