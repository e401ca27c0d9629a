"""Values of C expressions in the program's range: registers hold them as unsigned numbers of `width` bits.

An expression need not be in that range as a whole, so what looks at more than its low bits goes through here.
"""

from __future__ import annotations

from dataclasses import dataclass

from fencepost.program.expr import Binary, Const, Expr, Reg, Unary

from ..arm_flags import shifted
from ..machine import constant, masked, sign_extended
from ..types import INT, Type

_COMPARISONS = frozenset({"<", "<=", ">", ">="})
_EQUALITIES = frozenset({"==", "!="})
_LOGIC = frozenset({"&&", "||"})


@dataclass(frozen=True, slots=True)
class Value:
    expr: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """C's operators for a program whose registers have `width` bits."""

    width: int

    def constant(self, value: int) -> Value:
        wide = not -(1 << 31) <= value < 1 << 31
        return Value(constant(value, self.width), Type(64) if wide and self.width == 64 else INT)

    def unary(self, op: str, value: Value) -> Value:
        match op:
            case "!":
                return Value(Unary("!", self.plain(value)), INT)
            case "-" if isinstance(value.expr, Const):
                return self.constant(-self._signed_constant(value.expr.value))
            case "-" | "~":
                return self.converted(Value(Unary(op, value.expr), value.type), _promoted(value.type))
        return value

    def _signed_constant(self, value: int) -> int:
        if self.width == 64:
            return value  # signed already
        return value - (1 << self.width) if value >> (self.width - 1) else value

    def binary(self, op: str, left: Value, right: Value) -> Value:
        type = _common(left.type, right.type)
        if op in _LOGIC:
            return Value(Binary(op, self.plain(left), self.plain(right)), INT)
        if op in _EQUALITIES:
            return Value(Binary(op, self.plain(left), self.plain(right)), INT)
        if op in _COMPARISONS:
            return Value(Binary(op, self._ordered(left, type), self._ordered(right, type)), INT)
        if op in ("/", "%"):
            return Value(Binary(op, self._ordered(left, type), self._ordered(right, type)), type)
        if op in ("<<", ">>"):
            return self._shifted(op, left, right)
        return self.converted(Value(Binary(op, left.expr, right.expr), type), type)

    def _shifted(self, op: str, left: Value, right: Value) -> Value:
        type = _promoted(left.type)
        bits = min(type.bits, self.width)
        amount = Binary("&", right.expr, Const(bits - 1)) if not isinstance(right.expr, Const) else right.expr
        low = masked(left.expr, bits)
        kind = "LSL" if op == "<<" else "ASR" if type.signed else "LSR"
        return self.converted(Value(shifted(kind, low, amount, bits), type), type)

    def plain(self, value: Value) -> Expr:
        """`value` in the program's range, so that 0 is 0 and equal values are equal."""
        if isinstance(value.expr, Reg | Const) or _is_boolean(value.expr):
            return value.expr
        return masked(value.expr, self.width) if self.width < 64 else Binary("+", value.expr, Const(0))

    def _ordered(self, value: Value, type: Type) -> Expr:
        """`value` as a signed number of 64 bits in the order of `type`."""
        if self.width == 64:
            if type.signed:
                return Binary("+", value.expr, Const(0))  # registers are unsigned, results of operators signed
            return Binary("^", value.expr, Const(-(1 << 63)))
        if isinstance(value.expr, Const):
            return Const(self._signed_constant(value.expr.value)) if type.signed else value.expr
        low = self.plain(value)
        return sign_extended(low, self.width) if type.signed and not _is_boolean(low) else low

    def converted(self, value: Value, type: Type) -> Value:
        """`value` as one of `type`. Registers hold negative numbers of fewer bits with their sign extended."""
        bits = self.width if type.pointer else type.bits
        if bits >= self.width or _is_boolean(value.expr) or (value.type == type and isinstance(value.expr, Reg)):
            return Value(value.expr, type)
        low = masked(value.expr, bits)
        return Value(sign_extended(low, bits) if type.signed else low, type)


def _promoted(type: Type) -> Type:
    return type if type.bits >= 32 or type.pointer else INT


def _common(left: Type, right: Type) -> Type:
    """The usual arithmetic conversions."""
    if left.pointer or right.pointer:
        return left if left.pointer else right
    left, right = _promoted(left), _promoted(right)
    bits = max(left.bits, right.bits)
    return Type(bits, signed=all(each.signed for each in (left, right) if each.bits == bits))


def _is_boolean(expr: Expr) -> bool:
    match expr:
        case Unary("!", _):
            return True
        case Binary(op, _, _):
            return op in _COMPARISONS or op in _EQUALITIES or op in _LOGIC
    return False
