"""Expressions of the Python builder: registers and integers joined by Python's operators."""

from __future__ import annotations

from .expr import Binary, Const, Expr, Reg, Unary, show

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


class Value:
    """An expression over the registers of one thread: `a + 1`, `a == b`, `a & 1`.

    `//` and `%` divide as C does, towards zero. Logic, which Python's `and`, `or`, `not` cannot express, is
    `a.and_(b)`, `a.or_(b)`, `a.not_()`.
    """

    __hash__ = None  # type: ignore[assignment]  # == makes an expression

    def __init__(self, expr: Expr, thread: str | None) -> None:
        self.expr = expr
        self.thread = thread  # whose registers it uses, if any

    def __repr__(self) -> str:
        return f"<{show(self.expr)}>"

    def __bool__(self) -> bool:
        raise TypeError("what a register holds is known when the program runs: use if_, while_, and_, or_, not_")

    def _join(self, op: str, other: Operand) -> Value:
        return _binary(op, self, as_value(other))

    def _join_reversed(self, op: str, other: Operand) -> Value:
        return _binary(op, as_value(other), self)

    def __add__(self, other: Operand) -> Value:
        return self._join("+", other)

    def __radd__(self, other: Operand) -> Value:
        return self._join_reversed("+", other)

    def __sub__(self, other: Operand) -> Value:
        return self._join("-", other)

    def __rsub__(self, other: Operand) -> Value:
        return self._join_reversed("-", other)

    def __mul__(self, other: Operand) -> Value:
        return self._join("*", other)

    def __rmul__(self, other: Operand) -> Value:
        return self._join_reversed("*", other)

    def __floordiv__(self, other: Operand) -> Value:
        return self._join("/", other)

    def __rfloordiv__(self, other: Operand) -> Value:
        return self._join_reversed("/", other)

    def __mod__(self, other: Operand) -> Value:
        return self._join("%", other)

    def __rmod__(self, other: Operand) -> Value:
        return self._join_reversed("%", other)

    def __and__(self, other: Operand) -> Value:
        return self._join("&", other)

    def __rand__(self, other: Operand) -> Value:
        return self._join_reversed("&", other)

    def __or__(self, other: Operand) -> Value:
        return self._join("|", other)

    def __ror__(self, other: Operand) -> Value:
        return self._join_reversed("|", other)

    def __xor__(self, other: Operand) -> Value:
        return self._join("^", other)

    def __rxor__(self, other: Operand) -> Value:
        return self._join_reversed("^", other)

    def __eq__(self, other: Operand) -> Value:  # type: ignore[override]
        return self._join("==", other)

    def __ne__(self, other: Operand) -> Value:  # type: ignore[override]
        return self._join("!=", other)

    def __lt__(self, other: Operand) -> Value:
        return self._join("<", other)

    def __le__(self, other: Operand) -> Value:
        return self._join("<=", other)

    def __gt__(self, other: Operand) -> Value:
        return self._join(">", other)

    def __ge__(self, other: Operand) -> Value:
        return self._join(">=", other)

    def __neg__(self) -> Value:
        return Computed(Unary("-", self.expr), self.thread)

    def __invert__(self) -> Value:
        return Computed(Unary("~", self.expr), self.thread)

    def and_(self, other: Operand) -> Value:
        return self._join("&&", other)

    def or_(self, other: Operand) -> Value:
        return self._join("||", other)

    def not_(self) -> Value:
        return Computed(Unary("!", self.expr), self.thread)


class Local(Value):
    """A register: an expression that can also be assigned to."""

    def __init__(self, name: str, thread: str) -> None:
        super().__init__(Reg(name), thread)
        self.name = name


class Computed(Value):
    """Any other expression. No base of `Local`, whose comparisons Python would otherwise turn around."""


Operand = Value | int


def as_value(operand: Operand) -> Value:
    """`operand` as an expression; ValueError if it is neither an expression nor an integer of 64 bits."""
    if isinstance(operand, Value):
        return operand
    if not isinstance(operand, int):
        raise ValueError(f"expected an integer or an expression over registers, got {operand!r}")
    if not _SMALLEST <= operand <= _LARGEST:
        raise ValueError(f"{operand} does not fit into 64 bits")
    return Computed(Const(int(operand)), None)


def _binary(op: str, left: Value, right: Value) -> Value:
    if left.thread is not None and right.thread is not None and left.thread != right.thread:
        raise ValueError(f"an expression mixes registers of {left.thread!r} and {right.thread!r}")
    return Computed(Binary(op, left.expr, right.expr), left.thread if right.thread is None else right.thread)
