"""ARMv7's conditional instructions: one that computes has its condition, and what it would overwrite, for sources.

It makes no branch: what does not use the result does not depend on the condition.
"""

from __future__ import annotations

import pytest

from fencepost import litmus
from fencepost.frontends import loads

# What P1 does after it has read y = 1 into R0, and whether it may miss P0's earlier write of x.
MISSES = {
    "address by the condition": ("CMP R0,#1 ; MOVEQ R4,R3 ; LDR R5,[R4]", False),
    "address that would be overwritten": ("EOR R6,R0,R0 ; ADD R4,R3,R6 ; CMP R7,#1 ; MOVEQ R4,R3 ; LDR R5,[R4]", False),
    "another address": ("CMP R0,#1 ; MOVEQ R6,#1 ; LDR R5,[R3]", True),
    "address of a conditional computation": ("CMP R0,#1 ; ADDEQ R6,R6,#0 ; LDR R5,[R3,R6]", False),
}
# What P1 does after it has read y = 1 into R0, and whether its write of x may come before that.
EARLY = {
    "value by the condition": ("CMP R0,#1 ; MOVEQ R4,#1 ; STR R4,[R3]", False),
    "another value": ("CMP R0,#1 ; MOVEQ R4,#1 ; MOV R6,#1 ; STR R6,[R3]", True),
    "a conditional store": ("MOV R6,#1 ; CMP R0,#1 ; STREQ R6,[R3]", False),
}


def test_of(first: str, code: str, condition: str) -> str:
    left, right = first.split(" ; "), f"LDR R0,[R1] ; {code}".split(" ; ")
    pairs = zip(left + [""] * len(right), right + [""] * len(left), strict=True)
    rows = "".join(f" {a} | {b} ;\n" for a, b in pairs if a or b)
    start = "0:R1=y; 0:R3=x; 1:R1=y; 1:R3=x; 1:R4=z; 1:R8=w;"
    return f"ARM T\n{{ {start} }}\n P0 | P1 ;\n{rows}exists ({condition})\n"


test_of.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", MISSES)
def test_reads(name: str) -> None:
    code, allowed = MISSES[name]
    text = test_of("MOV R0,#1 ; STR R0,[R3] ; DMB ; STR R0,[R1]", code, "1:R0=1 /\\ 1:R5=0")
    assert litmus(loads(text, "t.litmus"), model="armv7").is_satisfied is allowed


@pytest.mark.parametrize("name", EARLY)
def test_writes(name: str) -> None:
    code, allowed = EARLY[name]
    text = test_of("LDR R0,[R3] ; DMB ; MOV R2,#1 ; STR R2,[R1]", code, "0:R0=1 /\\ 1:R0=1")
    assert litmus(loads(text, "t.litmus"), model="armv7").is_satisfied is allowed
