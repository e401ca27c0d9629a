"""AArch64's conditional selects: what is picked by a condition orders less than what is computed from it.

Arm ARM, B2.3: a pick dependency orders a write that it leads to, and no read; the value that was not chosen orders
nothing.
"""

from __future__ import annotations

import pytest

from fencepost import NotRobust, check, litmus
from fencepost.frontends import loads

# P0 writes x, then (released) y; what P1 does after it has read y = 1 from y into W0, and whether it may miss x.
MISSES = {
    "computed address": ("EOR W6,W0,W0 ; LDR W9,[X3,W6,SXTW]", False),
    "picked address": ("CMP W0,#1 ; CSEL X6,X3,X4,EQ ; LDR W9,[X6]", True),
    "picked offset": ("CMP W0,#1 ; CSEL W6,WZR,W5,EQ ; LDR W9,[X3,W6,SXTW]", True),
    "picked address, then a barrier": ("CMP W0,#1 ; CSEL X6,X3,X4,EQ ; LDR W7,[X6] ; ISB ; LDR W9,[X3]", False),
    "picked, then a branch": ("CMP W0,#1 ; CSET W6,EQ ; CBNZ W6,L ; L: LDR W9,[X3]", True),
    "picked, then a branch and a barrier": ("CMP W0,#1 ; CSET W6,EQ ; CBNZ W6,L ; L: ISB ; LDR W9,[X3]", False),
}
# What P1 does after it has read y = 1 into W0, and whether its write of 1 to x may come before that.
EARLY = {
    "computed value": ("EOR W6,W0,W0 ; ADD W6,W6,#1 ; STR W6,[X3]", False),
    "picked value": ("CMP W0,#1 ; CSET W6,EQ ; STR W6,[X3]", False),
    "picked twice": ("CMP W0,#1 ; CSET W6,EQ ; CMP W6,#1 ; CSET W6,EQ ; STR W6,[X3]", False),
    "picked by a flag that is clear anyway": ("TST W0,W0 ; CSET W6,CC ; STR W6,[X3]", False),
    "picked for another register": ("CMP W0,#1 ; CSET W6,EQ ; MOV W7,#1 ; STR W7,[X3]", True),
    "chosen value": ("CMP W5,#0 ; CSEL W6,W0,W5,EQ ; STR W6,[X3]", False),
    "value that is not chosen": ("CMP W5,#0 ; MOV W7,#1 ; CSEL W6,W7,W0,EQ ; STR W6,[X3]", True),
    "picked address of an earlier write": (
        "CMP W0,#1 ; CSEL X6,X4,X8,EQ ; STR W5,[X6] ; MOV W7,#1 ; STR W7,[X3]",
        False,
    ),
    "picked value of an earlier write": ("CMP W0,#1 ; CSET W6,EQ ; STR W6,[X4] ; MOV W7,#1 ; STR W7,[X3]", True),
    "picked value, read back": ("CMP W0,#1 ; CSET W6,EQ ; STR W6,[X4] ; LDR W7,[X4] ; STR W7,[X3]", False),
}
INITIAL = "0:X1=y; 0:X3=x; 1:X1=y; 1:X3=x; 1:X4=z; 1:X8=w;"


def test_of(first: str, code: str, condition: str) -> str:
    left = first.split(" ; ")
    right = f"LDR W0,[X1] ; {code}".replace("L: ", "L: ; ").split(" ; ")
    rows = [(a, b) for a, b in zip(left + [""] * len(right), right + [""] * len(left), strict=True) if a or b]
    return "".join(
        (
            f"AArch64 T\n{{ {INITIAL} }}\n P0 | P1 ;\n",
            *(f" {a} | {b} ;\n" for a, b in rows),
            f"exists ({condition})\n",
        )
    )


test_of.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", MISSES)
def test_reads(name: str) -> None:
    code, allowed = MISSES[name]
    text = test_of("MOV W0,#1 ; STR W0,[X3] ; STLR W0,[X1]", code, "1:X0=1 /\\ 1:X9=0")
    assert litmus(loads(text, "t.litmus"), model="armv8").is_satisfied is allowed


@pytest.mark.parametrize("name", EARLY)
def test_writes(name: str) -> None:
    code, allowed = EARLY[name]
    text = test_of("LDR W0,[X3] ; MOV W2,#1 ; STLR W2,[X1]", code, "0:X0=1 /\\ 1:X0=1")
    assert litmus(loads(text, "t.litmus"), model="armv8").is_satisfied is allowed


def test_a_picture_shows_what_picked() -> None:
    text = test_of("MOV W0,#1 ; STR W0,[X3] ; STLR W0,[X1]", MISSES["picked address"][0], "true")
    verdict = check(loads(text, "t.litmus"), model="armv8", against="sc").verdict
    assert isinstance(verdict, NotRobust)
    events = {event.number: event for event in verdict.witness.events}
    picks = [(events[edge.source], events[edge.target]) for edge in verdict.witness.edges if edge.kind == "pick"]
    assert [(str(first.label.cell), str(second.label.cell)) for first, second in picks] == [("y", "x")]
