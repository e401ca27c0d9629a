"""SC is what others are compared with: nothing in it needs explaining."""

from __future__ import annotations

from collections.abc import Iterable

from fencepost.models.evidence import Change, Evidence, Link, Places
from fencepost.models.notions import Notion
from fencepost.program.form import Program
from fencepost.program.lts import Cell


def explain(
    kind: str, program: Program, run: Iterable[tuple[int, int]], thread: int, notion: Notion
) -> Evidence | None:
    return None


def repairs(evidence: Evidence, cycle: tuple[Link, ...], places: Places) -> tuple[tuple[Change, ...], ...]:
    return ()


def is_hidden(cell: Cell | None) -> bool:
    return False
