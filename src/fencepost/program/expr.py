"""Expressions over a thread's registers: what they are and what they mean.

Arithmetic is C's on 64-bit signed integers (wrap-around, division truncates towards zero), the same in the
reading versions and in the core; `<<` and `>>` are the processors' logical shifts of 64 bits, the count taken modulo
64 (only the litmus front ends make them). A value only enters memory or a register through `Program.wrap`, so an
expression as a whole is taken modulo the program's range, and intermediate results are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_MASK = (1 << 64) - 1
_SIGN = 1 << 63


class DivisionByZeroError(ArithmeticError):
    """`/` or `%` with a zero divisor. Front ends guard every division, so a run never raises it."""


@dataclass(frozen=True, slots=True)
class Const:
    value: int


@dataclass(frozen=True, slots=True)
class Reg:
    name: str


@dataclass(frozen=True, slots=True)
class ReadValue:
    """The value that a `Wait` is about to read: stands only in `Wait.until`."""


@dataclass(frozen=True, slots=True)
class Unary:
    op: str  # one of UNARY
    arg: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    op: str  # one of BINARY
    left: Expr
    right: Expr


Expr = Const | Reg | ReadValue | Unary | Binary


def _signed(value: int) -> int:
    value &= _MASK
    return value - (1 << 64) if value & _SIGN else value


def _divide(a: int, b: int) -> int:
    if b == 0:
        raise DivisionByZeroError
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})

UNARY: dict[str, Callable[[int], int]] = {
    "!": lambda a: int(a == 0),
    "-": lambda a: -a,
    "~": lambda a: ~a,
}

BINARY: dict[str, Callable[[int, int], int]] = {
    "||": lambda a, b: int(a != 0 or b != 0),
    "&&": lambda a, b: int(a != 0 and b != 0),
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "%": lambda a, b: a - b * _divide(a, b),
    "<<": lambda a, b: a << (b & 63),
    ">>": lambda a, b: (a & _MASK) >> (b & 63),
}


def evaluate(expr: Expr, registers: Mapping[str, int], read: int | None = None) -> int:
    """The value of `expr`; `read` is what `ReadValue` stands for. `&&` and `||` stop early, as in C."""
    match expr:
        case Const(value):
            return value
        case Reg(name):
            return registers[name]
        case ReadValue():
            if read is None:
                raise ValueError("ReadValue outside a wait")
            return read
        case Unary(op, arg):
            return _signed(UNARY[op](evaluate(arg, registers, read)))
        case Binary("&&", left, right):
            return int(evaluate(left, registers, read) != 0 and evaluate(right, registers, read) != 0)
        case Binary("||", left, right):
            return int(evaluate(left, registers, read) != 0 or evaluate(right, registers, read) != 0)
        case Binary(op, left, right):
            return _signed(BINARY[op](evaluate(left, registers, read), evaluate(right, registers, read)))


def compiled(expr: Expr, names: Sequence[str]) -> Callable[[Sequence[int], int], int]:
    """`evaluate`, prepared for many calls: of the values of the registers `names`, and the value read."""
    match expr:
        case Const(value):
            return lambda values, read: value
        case Reg(name):
            place = names.index(name)
            return lambda values, read: values[place]
        case ReadValue():
            return lambda values, read: read
        case Unary(op, arg):
            of, do = compiled(arg, names), UNARY[op]
            return lambda values, read: _signed(do(of(values, read)))
        case Binary("&&", left, right):
            first, second = compiled(left, names), compiled(right, names)
            return lambda values, read: int(first(values, read) != 0 and second(values, read) != 0)
        case Binary("||", left, right):
            first, second = compiled(left, names), compiled(right, names)
            return lambda values, read: int(first(values, read) != 0 or second(values, read) != 0)
        case Binary(op, left, right):
            first, second, join = compiled(left, names), compiled(right, names), BINARY[op]
            if op in COMPARISONS:
                return lambda values, read: join(first(values, read), second(values, read))
            return lambda values, read: _signed(join(first(values, read), second(values, read)))


def registers_of(expr: Expr | None) -> frozenset[str]:
    """The registers that `expr` reads (the paper's Reg(e))."""
    return frozenset(part.name for part in parts(expr) if isinstance(part, Reg))


def parts(expr: Expr | None) -> Iterator[Expr]:
    """`expr` and all its sub-expressions."""
    if expr is None:
        return
    yield expr
    match expr:
        case Unary(_, arg):
            yield from parts(arg)
        case Binary(_, left, right):
            yield from parts(left)
            yield from parts(right)


def substitute(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """`expr` with registers replaced."""
    match expr:
        case Reg(name):
            return values.get(name, expr)
        case Unary(op, arg):
            return Unary(op, substitute(arg, values))
        case Binary(op, left, right):
            return Binary(op, substitute(left, values), substitute(right, values))
    return expr


def defined(expr: Expr) -> Expr:
    """An expression that is non-zero iff evaluating `expr` divides by no zero."""
    match expr:
        case Unary(_, arg):
            return defined(arg)
        case Binary("&&", left, right):
            return both(defined(left), either(Unary("!", left), defined(right)))
        case Binary("||", left, right):
            return both(defined(left), either(left, defined(right)))
        case Binary("/" | "%", left, right):
            return both(both(defined(left), defined(right)), Binary("!=", right, Const(0)))
        case Binary(_, left, right):
            return both(defined(left), defined(right))
    return Const(1)


def both(left: Expr, right: Expr) -> Expr:
    """`left && right`, with constants folded away."""
    if isinstance(left, Const):
        return right if left.value else left
    return left if isinstance(right, Const) and right.value else Binary("&&", left, right)


def either(left: Expr, right: Expr) -> Expr:
    """`left || right`, with constants folded away."""
    if isinstance(left, Const):
        return left if left.value else right
    return left if isinstance(right, Const) and not right.value else Binary("||", left, right)


# C precedence, loosest first: what the printer and the C-like front ends share.
PRECEDENCE = {
    op: level
    for level, ops in enumerate(
        (
            ("||",),
            ("&&",),
            ("|",),
            ("^",),
            ("&",),
            ("==", "!="),
            ("<", "<=", ">", ">="),
            ("<<", ">>"),
            ("+", "-"),
            ("*", "/", "%"),
        )
    )
    for op in ops
}


def show(expr: Expr, level: int = -1) -> str:
    """`expr` as C text, with the parentheses that it needs and no more."""
    match expr:
        case Const(value):
            return str(value)
        case Reg(name):
            return name
        case ReadValue():
            return "value"
        case Unary(op, arg):
            return op + show(arg, len(PRECEDENCE))
        case Binary(op, left, right):
            mine = PRECEDENCE[op]
            text = f"{show(left, mine - 1)} {op} {show(right, mine)}"
            return f"({text})" if mine <= level else text
