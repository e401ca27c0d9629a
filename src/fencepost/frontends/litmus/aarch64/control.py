"""AArch64: branches and barriers."""

from __future__ import annotations

from functools import partial

from fencepost.program.expr import Binary, Const
from fencepost.program.orders import FenceKind

from ..arm_flags import CONDITIONS, condition
from ..machine import Handler, Line, bit
from .operands import immediate, keyword, register

_DOMAINS = ("SY", "ST", "LD", "ISH", "ISHST", "ISHLD", "NSH", "NSHST", "NSHLD", "OSH", "OSHST", "OSHLD")


def _branch(line: Line, name: str) -> None:
    line.code.branch(condition(name), line.code.named_label(line.label()))


def _jump(line: Line) -> None:
    line.code.jump(line.code.named_label(line.label()))


def _return(line: Line) -> None:
    link = register("X30") if line.operands.at_end else line.register(bits=64)
    if link is None or link.name != "X30":
        line.code.fail("RET is supported with X30 only")
    line.code.leave(link.name)


def _compare_and_branch(line: Line, *, if_zero: bool) -> None:
    tested = line.value(line.register())
    line.comma()
    zero = Binary("==", tested, Const(0))
    line.code.branch(zero if if_zero else tested, line.code.named_label(line.label()))


def _test_and_branch(line: Line, *, if_zero: bool) -> None:
    tested = line.register()
    line.comma()
    number = immediate(line)
    if not 0 <= number < tested.bits:
        line.code.fail(f"the register has no bit {number}")
    line.comma()
    value = bit(line.value(tested), number)
    line.code.branch(Binary("==", value, Const(0)) if if_zero else value, line.code.named_label(line.label()))


def _barrier(line: Line, kind: str) -> None:
    name = "SY" if line.operands.at_end else line.operands.name("a domain, as SY").text.upper()
    if name not in _DOMAINS:
        line.code.fail(f"{kind} has no domain '{name}'", hint=", ".join(_DOMAINS))
    line.code.fence(FenceKind(f"{kind.lower()}.{name.lower()}"))


def _isb(line: Line) -> None:
    if not line.operands.at_end:
        keyword(line, "SY")
    line.code.fence(FenceKind.ISB)


def control() -> dict[str, Handler]:
    table: dict[str, Handler] = {
        "B": _jump,
        "RET": _return,
        "CBZ": partial(_compare_and_branch, if_zero=True),
        "CBNZ": partial(_compare_and_branch, if_zero=False),
        "TBZ": partial(_test_and_branch, if_zero=True),
        "TBNZ": partial(_test_and_branch, if_zero=False),
        "DMB": partial(_barrier, kind="DMB"),
        "DSB": partial(_barrier, kind="DSB"),
        "ISB": _isb,
    }
    for name in CONDITIONS:
        table[f"B.{name}"] = table[f"B{name}"] = partial(_branch, name=name)
    return table
