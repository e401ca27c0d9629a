"""Expressions as facts: what a register then holds, and a normal form of conditions."""

from __future__ import annotations

from collections.abc import Callable

from ..expr import Binary, Const, Expr, ReadValue, Reg, Unary, both, defined, either, evaluate, parts

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def is_boolean(expr: Expr) -> bool:
    """Whether `expr` is 0 or 1 by its operator alone."""
    match expr:
        case Unary("!", _) | Binary("&&" | "||", _, _):
            return True
        case Binary(op, _, _):
            return op in _OPPOSITE
    return False


def folded(expr: Expr) -> Expr:
    """The value of `expr` if it depends on nothing."""
    if any(isinstance(part, Reg | ReadValue) for part in parts(expr)) or not evaluate(defined(expr), {}):
        return expr
    return Const(evaluate(expr, {}))


def stored(expr: Expr, max_value: int) -> Expr:
    """The value of a register to which `expr` is assigned (`Program.wrap`); registers and memory hold 0..max_value."""
    expr = folded(expr)
    size = Const(max_value + 1)
    match expr:
        case Const(value):
            return Const(value % size.value)
        case Reg() | ReadValue():
            return expr
    if is_boolean(expr) and max_value > 0:
        return expr
    remainder = Binary("%", expr, size)  # as in C, negative if `expr` is
    return Binary("%", Binary("+", remainder, size), size)


def with_read(expr: Expr, value: Expr) -> Expr:
    """`expr` with `value` for `ReadValue()`."""
    match expr:
        case ReadValue():
            return value
        case Unary(op, arg):
            return Unary(op, with_read(arg, value))
        case Binary(op, left, right):
            return Binary(op, with_read(left, value), with_read(right, value))
    return expr


def holds(expr: Expr) -> Expr:
    """`expr != 0` in normal form: comparisons under `&&` and `||`, or 0, or 1; most constants are folded away."""
    match expr:
        case Unary("!", arg):
            return negated(holds(arg))
        case Binary("&&", left, right):
            return both(holds(left), holds(right))
        case Binary("||", left, right):
            return either(holds(left), holds(right))
        case Binary("!=", left, Const(0)) | Binary("==", left, Const(1)) if is_boolean(left):
            return holds(left)
        case Binary("==", left, Const(0)) | Binary("!=", left, Const(1)) if is_boolean(left):
            return negated(holds(left))
        case Binary(op, _, _) if op in _OPPOSITE:
            return folded(expr)
    return folded(Binary("!=", expr, Const(0)))


def negated(condition: Expr) -> Expr:
    """The opposite of a condition in normal form, in normal form."""
    match condition:
        case Const(value):
            return Const(int(value == 0))
        case Binary("&&", left, right):
            return either(negated(left), negated(right))
        case Binary("||", left, right):
            return both(negated(left), negated(right))
        case Binary(op, left, right):
            return Binary(_OPPOSITE[op], left, right)
    raise ValueError(f"not in normal form: {condition}")


def choice(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """`then` where `condition` holds and `otherwise` where not; all three in normal form."""
    match then, otherwise:
        case (Const(a), Const(b)) if a == b:
            return then
        case Const(0), _:
            return both(negated(condition), otherwise)
        case Const(), _:
            return either(condition, otherwise)
        case _, Const(0):
            return both(condition, then)
        case _, Const():
            return either(negated(condition), then)
    return either(both(condition, then), both(negated(condition), otherwise))


def decided(condition: Expr, comparison: Callable[[str, Expr, Expr], bool | None]) -> bool | None:
    """The truth of a condition in normal form, from what is known of its comparisons; None if that does not tell."""
    match condition:
        case Const(value):
            return value != 0
        case Binary("&&" | "||" as op, left, right):
            sides = {decided(left, comparison), decided(right, comparison)}
            deciding = op == "||"  # one side with this truth decides
            if deciding in sides:
                return deciding
            return None if None in sides else not deciding
        case Binary(op, left, right):
            return comparison(op, left, right)
    raise ValueError(f"not in normal form: {condition}")
