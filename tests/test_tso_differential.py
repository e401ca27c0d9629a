"""TSO three times over on random programs: the store-buffer machine, the attacks in Python, the core.

`python -m support.tso_agreement 50000` in this folder tries more programs.
"""

from __future__ import annotations

import os

import pytest
from support.tso_agreement import differences

from fencepost.models.registry import find

PROGRAMS = int(os.environ.get("FENCEPOST_TSO_PROGRAMS", "3000"))
PARTS = 10


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize(
    ("check", "share"), [("machine", 1), ("triangles", 5), ("loops", 5), ("versions", 5), ("blocks", 5)]
)
def test_all_agree(check: str, share: int, part: int) -> None:
    assert differences(check, range(part, PROGRAMS // share, PARTS)) == []


def test_the_model_is_registered() -> None:
    info = find("x86")
    assert info is not None
    assert info.name == "tso"
