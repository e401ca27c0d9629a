"""How relations are drawn: by dashes, arrow heads and labels. Colours only repeat that."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """How a relation is drawn."""

    dashes: str
    colour: str
    head: str  # a path in a 12 by 12 field that points to the right and ends at (11, 6)
    filled: bool
    meaning: str  # in the legend


_TRIANGLE, _CHEVRON, _DOUBLE = "M2 2 L11 6 L2 10 Z", "M4 2 L11 6 L4 10", "M6 2 L11 6 L6 10 M1 2 L6 6 L1 10"
_BAR = "M11 1 L11 11"
_DIAMOND = "M1 6 L6 2 L11 6 L6 10 Z"

LINES = {
    "po": Line("", "#404040", _TRIANGLE, filled=True, meaning="po: program order"),
    "rf": Line("8 4", "#00664d", _TRIANGLE, filled=False, meaning="rf: a read takes its value from this write"),
    "mo": Line("12 4 2 4", "#9a4d00", _DOUBLE, filled=False, meaning="mo: the order of the writes to a location"),
    "fr": Line("2 4", "#a0122d", _CHEVRON, filled=False, meaning="fr: a read, and a later write that it does not see"),
    "addr": Line("10 3", "#44337a", _CHEVRON, filled=False, meaning="addr: the address depends on what is read"),
    "data": Line("6 3 6 3 2 3", "#44337a", _CHEVRON, filled=False, meaning="data: the value depends on what is read"),
    "ctrl": Line(
        "3 3",
        "#44337a",
        _DIAMOND,
        filled=False,
        meaning="ctrl: whether this, and all later, runs depends on what is read",
    ),
    "pick": Line("1 3", "#44337a", _CHEVRON, filled=False, meaning="pick: what is read decides which value is taken"),
    "rmw": Line("", "#00505c", _DIAMOND, filled=True, meaning="rmw: read and write of one atomic step"),
    "block": Line("2 2 8 2", "#00505c", _DOUBLE, filled=False, meaning="block: one step, in a block under a lock"),
    "sc": Line("16 4", "#3b3b8f", _TRIANGLE, filled=True, meaning="sc: the order in which SC fences run"),
    "race": Line("1 3 1 3 8 3", "#a0122d", _BAR, filled=False, meaning="race: two accesses that nothing orders"),
}
OTHER = Line("4 2", "#3b3b8f", _TRIANGLE, filled=True, meaning="")


def line_of(kind: str) -> Line:
    return LINES.get(kind, OTHER)


def name_of(kind: str) -> str:
    """What its line is called among the markers of a picture."""
    return kind if kind in LINES else "other"
