"""AArch64: atomic instructions, which read and write in one step (LSE)."""

from __future__ import annotations

from functools import partial

from fencepost.program.expr import Binary, Expr, ReadValue, Unary
from fencepost.program.form import RmwOp
from fencepost.program.orders import Mark

from ..machine import Handler, Line, Register, bit, constant, either, masked
from .operands import SIZES, low_bits, plain_address, same_size

_ACQUIRES = {
    "": frozenset[Mark](),
    "A": frozenset({Mark.ACQUIRE}),
    "L": frozenset({Mark.RELEASE}),
    "AL": frozenset({Mark.ACQUIRE, Mark.RELEASE}),
}


def _compare_and_swap(line: Line, *, bits: int | None = None, marks: frozenset[Mark]) -> None:
    expected = line.register()
    desired = same_size(line, expected.bits)
    line.comma()
    size = bits or expected.bits
    values = [low_bits(line, operand, size) for operand in (expected, desired)]
    line.code.cas(expected.name, plain_address(line), values[0], values[1], size, _of_read(expected, marks))


def _swap(line: Line, *, bits: int | None = None, marks: frozenset[Mark]) -> None:
    source = line.register()
    target = same_size(line, source.bits)
    line.comma()
    size = bits or source.bits
    value = low_bits(line, source, size)
    line.code.rmw(target.name, RmwOp.EXCHANGE, plain_address(line), value, size, _of_read(target, marks))


def _fetch(line: Line, op: str, *, returns: bool, bits: int | None = None, marks: frozenset[Mark]) -> None:
    """LDADD and its kin; `returns` is false for STADD and its kin."""
    source = line.register()
    target = same_size(line, source.bits) if returns else Register(None, source.bits)
    line.comma()
    size = bits or source.bits
    value = low_bits(line, source, size)
    address = plain_address(line)
    kind, operand = _update(op, value, size)
    line.code.rmw(target.name, kind, address, operand, size, _of_read(target, marks))


def _of_read(target: Register, marks: frozenset[Mark]) -> frozenset[Mark]:
    """An update whose read goes nowhere is ordered as no read, so it is not an acquire either."""
    return marks if target.name is not None else (marks - {Mark.ACQUIRE}) | {Mark.NO_RETURN}


def _update(op: str, value: Expr, bits: int) -> tuple[RmwOp, Expr]:
    old = ReadValue()
    match op:
        case "ADD":
            return (RmwOp.ADD, value) if bits == 64 else (RmwOp.UPDATE, masked(Binary("+", old, value), bits))
        case "CLR":
            return RmwOp.AND, masked(Unary("~", value), bits)
        case "EOR":
            return RmwOp.XOR, value
        case "SET":
            return RmwOp.OR, value
    smaller = _is_smaller(old, value, bits, signed=op[0] == "S")
    return RmwOp.UPDATE, either(smaller, value, old) if op[1:] == "MAX" else either(smaller, old, value)


def _is_smaller(left: Expr, right: Expr, bits: int, *, signed: bool) -> Expr:
    """By the borrow of left - right, with the signs turned for signed numbers."""
    if signed:
        left, right = (Binary("^", value, constant(1 << (bits - 1), bits)) for value in (left, right))
    difference = Binary("-", left, right)
    inverted = Unary("~", left)
    borrow = Binary("|", Binary("&", inverted, right), Binary("&", Binary("|", inverted, right), difference))
    return bit(borrow, bits - 1)


def atomics() -> dict[str, Handler]:
    table: dict[str, Handler] = {}
    for size, bits in SIZES.items():
        for suffix, marks in _ACQUIRES.items():
            table[f"CAS{suffix}{size}"] = partial(_compare_and_swap, bits=bits, marks=marks)
            table[f"SWP{suffix}{size}"] = partial(_swap, bits=bits, marks=marks)
            for op in ("ADD", "CLR", "EOR", "SET", "SMAX", "SMIN", "UMAX", "UMIN"):
                table[f"LD{op}{suffix}{size}"] = partial(_fetch, op=op, returns=True, bits=bits, marks=marks)
                if Mark.ACQUIRE not in marks:
                    table[f"ST{op}{suffix}{size}"] = partial(_fetch, op=op, returns=False, bits=bits, marks=marks)
    return table
