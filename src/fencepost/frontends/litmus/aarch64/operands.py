"""The registers and the operands of AArch64's instructions.

W registers are the low halves of X registers, and writing one clears the high half. The flags are hidden registers.
"""

from __future__ import annotations

import re

from fencepost.program.expr import Binary, Const, Expr

from ..arm_flags import shifted
from ..machine import Line, Register, constant, masked, sign_extended, view

_REGISTER = re.compile(r"([XW])([0-9]|[12][0-9]|30)")
_ZERO = {"XZR": 64, "WZR": 32}
_STACK = {"SP": 64, "WSP": 32}
SIZES: dict[str, int | None] = {"": None, "B": 8, "H": 16}  # suffixes of mnemonics


def register(name: str) -> Register | None:
    name = name.upper()
    found = _REGISTER.fullmatch(name)
    if found is not None:
        return Register(f"X{found.group(2)}", 64 if found.group(1) == "X" else 32)
    if name in _ZERO:
        return Register(None, _ZERO[name])
    return Register("SP", _STACK[name]) if name in _STACK else None


def immediate(line: Line) -> int:
    line.operands.accept("#")
    return line.operands.integer("an immediate value, as #1")


def at_immediate(line: Line) -> bool:
    return line.operands.at("#", "-") or line.operands.next.kind == "number"


def operand(line: Line, bits: int) -> Expr:
    """The last operand of an arithmetic instruction: an immediate value or a register, shifted or extended."""
    if at_immediate(line):
        return constant(wide(line), bits)
    source = line.register()
    if not line.operands.accept(","):
        require_bits(line, source, bits)
        return line.value(source)
    return modified(line, source, bits)


def wide(line: Line) -> int:
    """An immediate value, shifted or not."""
    value = immediate(line)
    return value << wide_shift(line)


def wide_shift(line: Line) -> int:
    if not line.operands.accept(","):
        return 0
    keyword(line, "LSL")
    token = line.operands.next
    shift = immediate(line)
    if not 0 <= shift < 64:
        line.operands.fail("a shift is by 0 to 63 bits", token)
    return shift


def modified(line: Line, source: Register, bits: int) -> Expr:
    """`source` with the shift or extension that follows the comma."""
    token = line.operands.name("a shift or an extension")
    kind = token.text.upper()
    value = line.value(source)
    if kind in ("LSL", "LSR", "ASR", "ROR"):
        require_bits(line, source, bits)
        return shifted(kind, value, Const(immediate(line)), bits)
    amount = immediate(line) if at_immediate(line) else 0
    value = extended(line, kind, value)
    return masked(Binary("<<", value, Const(amount)) if amount else value, bits)


def extended(line: Line, kind: str, value: Expr) -> Expr:
    widths = {"B": 8, "H": 16, "W": 32, "X": 64}
    if len(kind) != 4 or kind[:3] not in ("UXT", "SXT") or kind[3] not in widths:
        line.code.fail(f"'{kind}' is no shift or extension", hint="LSL, LSR, ASR, ROR, UXTB .. UXTX, SXTB .. SXTX")
    low = masked(value, widths[kind[3]])
    return sign_extended(low, widths[kind[3]]) if kind[0] == "S" else low


def keyword(line: Line, word: str) -> None:
    token = line.operands.next
    if token.text.upper() != word:
        line.operands.expected(word)
    line.operands.take()


def require_bits(line: Line, found: Register, bits: int) -> None:
    if found.name is not None and found.bits != bits:
        line.code.fail(f"the registers of this instruction have different sizes ({bits} and {found.bits} bits)")


def same_size(line: Line, bits: int) -> Register:
    line.comma()
    found = line.register()
    require_bits(line, found, bits)
    return found


class Address:
    """An address operand, and what it does to its base register."""

    def __init__(self, line: Line) -> None:
        line.operands.expect("[", "an address, as [X1]")
        base = line.register(bits=64)
        whole = view(base, 64)
        self.base = base
        self.after: Expr | None = None  # what the base register becomes
        self.expr = whole
        if line.operands.accept(","):
            self.expr = Binary("+", whole, self._offset(line))
        line.operands.expect("]")
        if line.operands.accept("!"):
            self.after = self.expr
        elif line.operands.accept(","):
            self.after = Binary("+", whole, constant(immediate(line), 64))

    @staticmethod
    def _offset(line: Line) -> Expr:
        if at_immediate(line):
            return constant(immediate(line), 64)
        index = line.register()
        value = line.value(index)
        return modified(line, index, 64) if line.operands.accept(",") else value

    def write_back(self, line: Line) -> None:
        if self.after is not None:
            line.set(self.base, self.after)


def plain_address(line: Line) -> Expr:
    """`[Xn]`, or `[Xn,#0]`: what atomic instructions take."""
    line.operands.expect("[", "an address, as [X1]")
    base = line.register(bits=64)
    if line.operands.accept(",") and immediate(line) != 0:
        line.code.fail("this instruction takes no offset")
    line.operands.expect("]")
    return view(base, 64)


def low_bits(line: Line, source: Register, bits: int) -> Expr:
    return masked(line.value(source), bits) if bits < source.bits else line.value(source)
