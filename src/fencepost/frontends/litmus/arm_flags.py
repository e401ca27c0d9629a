"""The flags N, Z, C and V of Arm processors, conditions over them, and the shifts of an operand.

Each flag is a hidden register that is 0 or 1. Operands are unsigned numbers of `bits`.
"""

from __future__ import annotations

from collections.abc import Callable

from fencepost.program.expr import Binary, Const, Expr, Reg, Unary

from .code import ThreadCode
from .machine import bit, constant, is_equal, masked

_N, _Z, _C, _V = (Reg(f".{flag}") for flag in "NZCV")

_CONDITIONS: dict[str, Callable[[], Expr]] = {
    "EQ": lambda: _Z,
    "NE": lambda: Unary("!", _Z),
    "CS": lambda: _C,
    "HS": lambda: _C,
    "CC": lambda: Unary("!", _C),
    "LO": lambda: Unary("!", _C),
    "MI": lambda: _N,
    "PL": lambda: Unary("!", _N),
    "VS": lambda: _V,
    "VC": lambda: Unary("!", _V),
    "HI": lambda: Binary("&&", _C, Unary("!", _Z)),
    "LS": lambda: Binary("||", Unary("!", _C), _Z),
    "GE": lambda: Binary("==", _N, _V),
    "LT": lambda: Binary("!=", _N, _V),
    "GT": lambda: Binary("&&", Unary("!", _Z), Binary("==", _N, _V)),
    "LE": lambda: Binary("||", _Z, Binary("!=", _N, _V)),
    "AL": lambda: Const(1),
}
CONDITIONS = tuple(_CONDITIONS)


def condition(name: str) -> Expr:
    """1 if the condition called `name` holds, else 0."""
    return _CONDITIONS[name]()


def nzcv_of_add(code: ThreadCode, left: Expr, right: Expr, bits: int) -> None:
    result = masked(Binary("+", left, right), bits)
    carry = Binary("|", Binary("&", left, right), Binary("&", Binary("|", left, right), Unary("~", result)))
    overflow = Binary("&", Binary("^", left, result), Binary("^", right, result))
    _set(code, result, bits, Binary("==", result, Const(0)), bit(carry, bits - 1), bit(overflow, bits - 1))


def nzcv_of_sub(code: ThreadCode, left: Expr, right: Expr, bits: int) -> None:
    """C is set if nothing is borrowed."""
    result = masked(Binary("-", left, right), bits)
    inverted = Unary("~", right)
    carry = Binary("|", Binary("&", left, inverted), Binary("&", Binary("|", left, inverted), Unary("~", result)))
    overflow = Binary("&", Binary("^", left, right), Binary("^", left, result))
    _set(code, result, bits, is_equal(left, right, bits), bit(carry, bits - 1), bit(overflow, bits - 1))


def nzcv_of_logic(code: ThreadCode, result: Expr, bits: int) -> None:
    """AArch64: C and V are cleared. As parts of one register they depend on the operands all the same."""
    clear = Binary("&", result, Const(0))
    _set(code, result, bits, Binary("==", result, Const(0)), clear, clear)


def nz_of(code: ThreadCode, result: Expr, bits: int) -> None:
    """ARM: C and V stay."""
    code.assign(_N.name, bit(result, bits - 1))
    code.assign(_Z.name, Binary("==", result, Const(0)))


def _set(code: ThreadCode, result: Expr, bits: int, zero: Expr, carry: Expr, overflow: Expr) -> None:
    code.assign(_N.name, bit(result, bits - 1))
    code.assign(_Z.name, zero)
    code.assign(_C.name, carry)
    code.assign(_V.name, overflow)


def shifted(kind: str, value: Expr, amount: Expr, bits: int) -> Expr:
    """`value`, shifted or rotated by `amount`, which is less than `bits`."""
    match kind:
        case "LSL":
            return masked(Binary("<<", value, amount), bits)
        case "LSR":
            return Binary(">>", value, amount)
        case "ASR":
            sign = constant(1 << (bits - 1), bits)
            moved = Binary("-", Binary(">>", Binary("^", value, sign), amount), Binary(">>", sign, amount))
            return masked(moved, bits)
    around = Binary("&", Binary("-", Const(bits), amount), Const(bits - 1))
    return masked(Binary("|", Binary(">>", value, amount), Binary("<<", value, around)), bits)
