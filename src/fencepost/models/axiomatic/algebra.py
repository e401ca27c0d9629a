"""The language that axiomatic models are written in: sets of events, relations between events, and axioms over them.

A model's page (models/*/axioms.py) and a user's `.cat` file both become these expressions. execution.py computes them
on one execution, straight from the definition; engines/graphs/rules.py compiles them for the core. An expression is a
value without a context: two models that use `fr` use the same node.

On sets: `a | b`, `a & b`, `a - b`, `~a` (complement), `a * b` (all pairs), `only(a)` (written [a] in papers).
On relations: `a | b`, `a & b`, `a - b`, `a @ b` (a ; b), `~a` (inverse), `a.plus`, `a.star`, `a.maybe`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum


class Op(Enum):
    """What an expression does with its arguments. `SETS` says which of them make sets."""

    BASE_SET = "base set"  # the events that carry a tag
    BASE = "base relation"
    EMPTY_SET = "{}"
    ALL = "_"
    EMPTY = "0"
    ID = "id"
    UNION = "|"
    INTERSECTION = "&"
    DIFFERENCE = "-"
    COMPLEMENT = "~"
    PRODUCT = "*"
    ONLY = "[]"
    DOMAIN = "domain"
    RANGE = "range"
    SEQUENCE = ";"
    INVERSE = "^-1"
    PLUS = "+"
    STAR = "^*"
    MAYBE = "?"
    FIX = "let rec"  # component `number` of the least solution of `group`
    BOUND = "bound"  # a name inside such a group


class _Node:
    """Nodes are compared by identity; equal sub-expressions are found when a model is compiled."""

    __slots__ = ("args", "group", "name", "number", "op")

    def __init__(
        self, op: Op, args: tuple[_Node, ...] = (), name: str = "", group: Group | None = None, number: int = 0
    ) -> None:
        self.op = op
        self.args = args
        self.name = name
        self.group = group
        self.number = number

    def __repr__(self) -> str:
        return f"<{show(self)}>"


class SetExpr(_Node):
    """A set of events."""

    __slots__ = ()

    def __or__(self, other: SetExpr) -> SetExpr:
        return SetExpr(Op.UNION, (self, other))

    def __and__(self, other: SetExpr) -> SetExpr:
        return SetExpr(Op.INTERSECTION, (self, other))

    def __sub__(self, other: SetExpr) -> SetExpr:
        return SetExpr(Op.DIFFERENCE, (self, other))

    def __invert__(self) -> SetExpr:
        return SetExpr(Op.COMPLEMENT, (self,))

    def __mul__(self, other: SetExpr) -> RelExpr:
        return RelExpr(Op.PRODUCT, (self, other))


class RelExpr(_Node):
    """A relation between events."""

    __slots__ = ()

    def __or__(self, other: RelExpr) -> RelExpr:
        return RelExpr(Op.UNION, (self, other))

    def __and__(self, other: RelExpr) -> RelExpr:
        return RelExpr(Op.INTERSECTION, (self, other))

    def __sub__(self, other: RelExpr) -> RelExpr:
        return RelExpr(Op.DIFFERENCE, (self, other))

    def __matmul__(self, other: RelExpr) -> RelExpr:
        return RelExpr(Op.SEQUENCE, (self, other))

    def __invert__(self) -> RelExpr:
        return RelExpr(Op.INVERSE, (self,))

    @property
    def plus(self) -> RelExpr:
        return RelExpr(Op.PLUS, (self,))

    @property
    def star(self) -> RelExpr:
        return RelExpr(Op.STAR, (self,))

    @property
    def maybe(self) -> RelExpr:
        return RelExpr(Op.MAYBE, (self,))


Expression = SetExpr | RelExpr


class Group:
    """Relations defined by each other (`let rec ... and ...`): the least ones that satisfy the equations."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.bound = tuple(RelExpr(Op.BOUND, name=name, group=self, number=i) for i, name in enumerate(names))
        self.bodies: tuple[RelExpr, ...] = ()

    def close(self, bodies: tuple[RelExpr, ...]) -> tuple[RelExpr, ...]:
        """The solution, when the right-hand sides are known."""
        self.bodies = bodies
        return tuple(RelExpr(Op.FIX, name=name.name, group=self, number=i) for i, name in enumerate(self.bound))


def least(names: str, equations: Callable[..., tuple[RelExpr, ...]]) -> tuple[RelExpr, ...]:
    """The least relations with these names that satisfy `equations`, a function from them to their right-hand sides."""
    group = Group(tuple(names.split()))
    return group.close(equations(*group.bound))


def tagged(*tags: str) -> SetExpr:
    """The events that carry one of the tags."""
    result = SetExpr(Op.BASE_SET, name=tags[0])
    for tag in tags[1:]:
        result |= SetExpr(Op.BASE_SET, name=tag)
    return result


def base(name: str) -> RelExpr:
    return RelExpr(Op.BASE, name=name)


def only(events: SetExpr) -> RelExpr:
    """[events]"""
    return RelExpr(Op.ONLY, (events,))


def domain(relation: RelExpr) -> SetExpr:
    return SetExpr(Op.DOMAIN, (relation,))


def range_of(relation: RelExpr) -> SetExpr:
    return SetExpr(Op.RANGE, (relation,))


everything = SetExpr(Op.ALL)
nothing = SetExpr(Op.EMPTY_SET)
empty_relation = RelExpr(Op.EMPTY)
identity = RelExpr(Op.ID)


# Axioms


class Test(Enum):
    ACYCLIC = "acyclic"
    IRREFLEXIVE = "irreflexive"
    EMPTY = "empty"

    __test__ = False  # no test of pytest's


@dataclass(frozen=True, slots=True)
class Axiom:
    """`test` of `expression` must hold (or, negated, must not)."""

    name: str
    test: Test
    expression: Expression
    negated: bool = False


def acyclic(relation: RelExpr, name: str) -> Axiom:
    return Axiom(name, Test.ACYCLIC, relation)


def irreflexive(relation: RelExpr, name: str) -> Axiom:
    return Axiom(name, Test.IRREFLEXIVE, relation)


def empty(relation: RelExpr | SetExpr, name: str) -> Axiom:
    return Axiom(name, Test.EMPTY, relation)


@dataclass(frozen=True, slots=True)
class Rules:
    """A model: an execution is consistent iff all its axioms hold.

    `flags` forbid nothing: where one does not hold, the program has a data race. `notes` neither; they are reported.
    """

    name: str
    axioms: tuple[Axiom, ...]
    flags: tuple[Axiom, ...] = ()
    notes: tuple[Axiom, ...] = ()


# Walking


def parts(*roots: _Node) -> Iterator[_Node]:
    """All nodes below and including `roots`, arguments before what uses them, each once."""
    seen: set[int] = set()
    todo: list[tuple[_Node, bool]] = [(root, False) for root in reversed(roots)]
    while todo:
        node, done = todo.pop()
        if done:
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            todo.append((node, True))
            below = node.args
            if node.op is Op.FIX and node.group is not None:
                below = (*below, *node.group.bodies)
            todo.extend((arg, False) for arg in reversed(below))


def shrinking(body: _Node, group: Group) -> _Node | None:
    """A part of `body` that gets smaller when a name of the group gets larger; None if there is none.

    Only without one do the equations have a least solution, which is found by iteration.
    """
    using: set[int] = set()
    for node in parts(body):
        if node.op is Op.BOUND and node.group is group:
            using.add(id(node))
        elif any(id(arg) in using for arg in node.args):
            using.add(id(node))
            if node.op is Op.COMPLEMENT or (node.op is Op.DIFFERENCE and id(node.args[1]) in using):
                return node
    return None


_INFIX = {Op.UNION: " | ", Op.INTERSECTION: " & ", Op.DIFFERENCE: " \\ ", Op.PRODUCT: " * ", Op.SEQUENCE: " ; "}
_SUFFIX = {Op.INVERSE: "^-1", Op.PLUS: "+", Op.STAR: "*", Op.MAYBE: "?"}


def show(node: _Node) -> str:
    """The expression in the notation of `.cat` files."""
    if node.op in _INFIX:
        return "(" + _INFIX[node.op].join(map(show, node.args)) + ")"
    if node.op in _SUFFIX:
        return show(node.args[0]) + _SUFFIX[node.op]
    match node.op:
        case Op.ONLY:
            return f"[{show(node.args[0])}]"
        case Op.COMPLEMENT:
            return f"~{show(node.args[0])}"
        case Op.DOMAIN | Op.RANGE:
            return f"{node.op.value}({show(node.args[0])})"
        case Op.BASE | Op.BASE_SET | Op.FIX | Op.BOUND:
            return node.name
    return str(node.op.value)
