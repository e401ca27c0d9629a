"""Why an axiom does not hold on an execution: a circle of plain edges (po, rf, co, fr, dependencies).

An edge of a derived relation is taken apart along the expression that defines it, down to base relations.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fencepost.models.relation import Relation, members

from .algebra import Axiom, Group, Op, RelExpr, Test, _Node
from .execution import Evaluation, Execution, cycle_in

# Relations that only say of what kind two events are: of an intersection, the other part tells more.
_SHAPES = frozenset({"loc", "int", "ext"})

Bound = Mapping[int, int]  # a group that is being solved, and how many rounds of it count


@dataclass(frozen=True, slots=True)
class Step:
    """`kind` relates two events directly: a base relation, or its inverse ("rf^-1")."""

    source: int
    target: int
    kind: str


def circle(axiom: Axiom, execution: Execution) -> tuple[Step, ...]:
    """Steps that lead from an event back to it and that the axiom forbids. Empty if they cannot be told (a negated
    axiom, or one about a set)."""
    if axiom.negated or not isinstance(axiom.expression, RelExpr):
        return ()
    return _Explanation(execution).circle(axiom.test, axiom.expression)


def path(expression: RelExpr, execution: Execution, source: int, target: int) -> tuple[Step, ...]:
    """The steps by which `expression` relates two events that it does relate."""
    return tuple(_Explanation(execution).steps(expression, source, target, {}))


class _Explanation(Evaluation):
    def __init__(self, execution: Execution) -> None:
        super().__init__(execution)
        self._rounds: dict[tuple[int, tuple[tuple[int, int], ...]], list[tuple[Relation, ...]]] = {}

    def circle(self, test: Test, expression: RelExpr) -> tuple[Step, ...]:
        relation = self.relation(expression)
        if test is Test.ACYCLIC:
            events = cycle_in(relation)
            edges = zip(events, (*events[1:], *events[:1]), strict=True)
            return _merged([step for a, b in edges for step in self.steps(expression, a, b, {})], self.execution)
        if test is Test.IRREFLEXIVE:
            ways = [list(self.steps(expression, e, e, {})) for e, row in enumerate(relation.rows) if row >> e & 1]
            return _merged(min(ways, key=len, default=[]), self.execution)
        a, b = next(relation.pairs())
        return self.both_ways(expression, a, b)

    def both_ways(self, expression: RelExpr, a: int, b: int) -> tuple[Step, ...]:
        """Of a pair that must not be: one way from a to b and, if it is an intersection, the other way back."""
        if expression.op is not Op.INTERSECTION:
            return _merged(list(self.steps(expression, a, b, {})), self.execution)
        ways = [list(self.steps(arg, a, b, {})) for arg in expression.args]
        ways.sort(key=len)
        back = [Step(step.target, step.source, step.kind) for step in reversed(ways[0])]
        return _merged([*ways[-1], *back], self.execution)

    def rows(self, node: _Node, bound: Bound) -> Relation:
        values: dict[int, Relation] = {}
        for group, rounds in self._open(bound):
            for name, value in zip(group.bound, self.rounds(group, bound)[rounds], strict=True):
                values[id(name)] = value
        found = self._compute(node, values)
        assert isinstance(found, Relation)
        return found

    def _open(self, bound: Bound) -> Iterator[tuple[Group, int]]:
        for key, rounds in bound.items():
            yield self._groups[key], rounds

    @property
    def _groups(self) -> dict[int, Group]:
        if not hasattr(self, "_known_groups"):
            self._known_groups: dict[int, Group] = {}
        return self._known_groups

    def rounds(self, group: Group, bound: Bound) -> list[tuple[Relation, ...]]:
        """The approximations of the group's solution, from the empty relations on."""
        outer = {key: value for key, value in bound.items() if key != id(group)}
        key = (id(group), tuple(sorted(outer.items())))
        if key not in self._rounds:
            self._groups[id(group)] = group
            nothing = Relation((0,) * len(self.execution.events))
            found = [(nothing,) * len(group.bound)]
            self._rounds[key] = found
            while True:
                inner = {**outer, id(group): len(found) - 1}
                following = tuple(self.rows(body, inner) for body in group.bodies)
                if following == found[-1]:
                    break
                found.append(following)
        return self._rounds[key]

    def steps(self, node: _Node, a: int, b: int, bound: Bound) -> Iterator[Step]:
        """From a to b, which `node` relates."""
        match node.op:
            case Op.ONLY | Op.ID:
                return
            case Op.BASE:
                yield Step(a, b, node.name)
            case Op.UNION:
                yield from self.steps(self._holding(node.args, a, b, bound), a, b, bound)
            case Op.INTERSECTION:
                telling = [arg for arg in node.args if not _is_shape(arg)]
                yield from self.steps((telling or list(node.args))[0], a, b, bound)
            case Op.DIFFERENCE:
                yield from self.steps(node.args[0], a, b, bound)
            case Op.SEQUENCE:
                first, second = node.args
                left, right = self.rows(first, bound), self.rows(second, bound)
                middle = next(m for m in members(left.rows[a]) if right.rows[m] >> b & 1)
                yield from self.steps(first, a, middle, bound)
                yield from self.steps(second, middle, b, bound)
            case Op.INVERSE:
                for step in reversed(list(self.steps(node.args[0], b, a, bound))):
                    yield Step(step.target, step.source, f"{step.kind}^-1")
            case Op.MAYBE | Op.STAR if a == b:
                return
            case Op.MAYBE:
                yield from self.steps(node.args[0], a, b, bound)
            case Op.PLUS | Op.STAR:
                inner = self.rows(node.args[0], bound)
                way = _shortest(inner, a, b)
                for source, target in itertools.pairwise(way):
                    yield from self.steps(node.args[0], source, target, bound)
            case Op.FIX | Op.BOUND:
                group = node.group
                assert group is not None
                known = self.rounds(group, bound)
                most = bound.get(id(group), len(known) - 1)
                first_round = next(n for n in range(most + 1) if known[n][node.number].rows[a] >> b & 1)
                inner_bound = {**bound, id(group): first_round - 1}
                yield from self.steps(group.bodies[node.number], a, b, inner_bound)
            case _:
                yield Step(a, b, node.op.value)

    def _holding(self, args: tuple[_Node, ...], a: int, b: int, bound: Bound) -> _Node:
        return next(arg for arg in args if self.rows(arg, bound).rows[a] >> b & 1)


def _is_shape(node: _Node) -> bool:
    if node.op in (Op.UNION, Op.INTERSECTION):
        return all(map(_is_shape, node.args))
    return node.op is Op.PRODUCT or (node.op is Op.BASE and node.name in _SHAPES)


def _shortest(relation: Relation, a: int, b: int) -> list[int]:
    """A shortest way from a to b of at least one step."""
    before: dict[int, int] = {}
    level = [a]
    while level:
        following = []
        for event in level:
            for target in members(relation.rows[event]):
                if target == b:
                    way = [b, event]
                    while way[-1] != a:
                        way.append(before[way[-1]])
                    return way[::-1]
                if target not in before and target != a:
                    before[target] = event
                    following.append(target)
        level = following
    raise ValueError("the relation does not lead there")


def _merged(steps: list[Step], execution: Execution) -> tuple[Step, ...]:
    """Without stops on the way: two steps of po are one, unless a fence stands between them, and so are two of co; a
    read's source, and a later write, are fr."""
    merged: list[Step] = []
    for step in steps:
        last = merged[-1] if merged else None
        kind = None if last is None else _joined(last, step, execution)
        if last is not None and kind is not None:
            merged[-1] = Step(last.source, step.target, kind)
        else:
            merged.append(step)
    while len(merged) > 1 and (kind := _joined(merged[-1], merged[0], execution)) is not None:
        first = merged.pop(0)
        merged[-1] = Step(merged[-1].source, first.target, kind)
    return tuple(merged)


_WITH_CO = {"co": "co", "fr": "fr", "rf^-1": "fr"}  # what one of these and a step of co make


def _joined(first: Step, second: Step, execution: Execution) -> str | None:
    """What the two steps are together; None if that has no name."""
    if second.kind == "co":
        return _WITH_CO.get(first.kind)
    both_po = first.kind == second.kind == "po"
    return "po" if both_po and execution.events[second.source].kind != "F" else None
