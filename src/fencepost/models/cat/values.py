"""What names of a `.cat` file stand for, and the operators on it.

What is empty whatever the execution (sets of events that programs here do not have) disappears at once, so that it
costs nothing; what cannot be computed is a value too, an error only where an axiom needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fencepost.models.axiomatic.algebra import (
    Expression,
    Op,
    RelExpr,
    SetExpr,
    domain,
    empty_relation,
    everything,
    nothing,
    only,
    range_of,
)

from . import syntax
from .lexer import Place


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that is known and cannot be computed here."""

    name: str
    why: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Closure:
    parameters: tuple[str, ...]
    body: syntax.Expression
    names: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Native:
    """A function of ours. It gets its arguments, and the place of its use."""

    name: str
    parameters: int
    apply: Callable[..., Value]


@dataclass(frozen=True, slots=True)
class Orders:
    """All coherence orders that extend a relation: what `with co from` takes."""

    extending: RelExpr


@dataclass(frozen=True, slots=True)
class ProcedureValue:
    parameters: tuple[str, ...]
    body: tuple[syntax.Instruction, ...]
    names: Mapping[str, Value]


Value = SetExpr | RelExpr | Missing | Closure | Native | Orders | ProcedureValue


def kind(value: Value) -> str:
    match value:
        case SetExpr():
            return "a set"
        case RelExpr():
            return "a relation"
        case Closure() | Native():
            return "a function"
        case ProcedureValue():
            return "a procedure"
        case Orders():
            return "a set of orders"
        case Missing():
            return value.name


def is_empty(value: Value) -> bool:
    return isinstance(value, SetExpr | RelExpr) and value.op in (Op.EMPTY, Op.EMPTY_SET)


def infix(sign: str, a: Value, b: Value, place: Place) -> Value:
    """`a sign b`. Raises InputError where that makes no sense."""
    if is_empty(a) or is_empty(b):
        return _with_nothing(sign, a, b)
    for value in (a, b):
        if isinstance(value, Missing):
            return value
    match sign, a, b:
        case ("|", SetExpr(), SetExpr()) | ("|", RelExpr(), RelExpr()):
            return a | b  # type: ignore[operator]
        case ("&", SetExpr(), SetExpr()) | ("&", RelExpr(), RelExpr()):
            return a & b  # type: ignore[operator]
        case ("\\", SetExpr(), SetExpr()) | ("\\", RelExpr(), RelExpr()):
            return a - b  # type: ignore[operator]
        case ";", RelExpr(), RelExpr():
            return a @ b
        case "*", SetExpr(), SetExpr():
            return a * b
    wanted = {";": "two relations", "*": "two sets"}.get(sign, "two sets or two relations")
    raise place.error(f"'{sign}' takes {wanted}, not {kind(a)} and {kind(b)}")


def _with_nothing(sign: str, a: Value, b: Value) -> Value:
    if sign in ("&", ";", "*"):
        of_sets = sign == "&" and (isinstance(a, SetExpr) or isinstance(b, SetExpr))
        return nothing if of_sets else empty_relation
    if sign == "|" and is_empty(a):
        return b
    return a  # a | 0, a \ 0, 0 \ b


def unary(sign: str, a: Value, place: Place) -> Value:
    """Raises InputError where that makes no sense."""
    if isinstance(a, Missing):
        return a
    match sign, a:
        case "[]", SetExpr() | RelExpr() if is_empty(a):
            return empty_relation
        case "[]", SetExpr():
            return only(a)
        case "~", SetExpr():
            return everything if is_empty(a) else ~a
        case "~", RelExpr():
            return everything * everything - a
        case "^-1", RelExpr():
            return a if is_empty(a) else ~a
        case "+", RelExpr():
            return a if is_empty(a) else a.plus
        case "*", RelExpr():
            return a.star
        case "?", RelExpr():
            return a.maybe
    raise place.error(f"'{sign}' takes {'a set' if sign == '[]' else 'a relation'}, not {kind(a)}")


def ends(of: Callable[[RelExpr], SetExpr]) -> Callable[[Place, Value], Value]:
    """domain or range"""

    def apply(place: Place, relation: Value) -> Value:
        if isinstance(relation, Missing):
            return relation
        if is_empty(relation):
            return nothing
        if not isinstance(relation, RelExpr):
            raise place.error(f"this takes a relation, not {kind(relation)}")
        return of(relation)

    return apply


DOMAIN = Native("domain", 1, ends(domain))
RANGE = Native("range", 1, ends(range_of))


def terms(relation: Expression) -> list[Expression]:
    """The parts of a union."""
    found: dict[int, Expression] = {}
    todo: list[Expression] = [relation]
    while todo:
        node = todo.pop()
        if id(node) not in found:
            found[id(node)] = node
            if node.op is Op.UNION:
                todo += node.args  # type: ignore[arg-type]
    return [node for node in found.values() if node.op is not Op.UNION]
