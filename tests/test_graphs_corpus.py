"""Every litmus test of the public collections, where they lie beside the repository: all answers of herd7, exactly.

`bench/run corpus` does the same with the time that it takes.
"""

from __future__ import annotations

import pytest
from support.corpus import CORPUS, FOLDERS, differences, rows


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the public litmus tests do not lie beside the repository")
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_answers_are_those_of_herd(folder: str) -> None:
    table = rows(folder)
    differing = [f"{row['file']}: {what}" for row in table for what in differences(CORPUS, row)]
    assert len(table) > 200
    assert not differing, "\n".join(differing)
