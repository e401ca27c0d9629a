"""Candidate executions, and the value of an expression on one: the definitions, in plain Python.

A read-modify-write is two events here, its read and its write, related by `rmw`, as axiomatic models of processors and
`.cat` files have it. (models/execution.py has the graphs of RC20's paper, where it is one.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from fencepost.models.relation import Events, Relation, members, set_of
from fencepost.program.form import Span
from fencepost.program.lts import Cell

from .algebra import Axiom, Expression, Group, Op, Rules, Test, _Node, parts

INIT = -1

# What the threads' paths say by themselves. lxsx and amo are the parts of rmw: by load-linked and store-conditional,
# and by one instruction. rmw-data: the write is computed from the read. rmw-ctrl: from what a CAS compares to
# its write. block: events of one block under a lock.
# pick-*: dependencies on reads that only decided, in a CAS, where a value comes from.
RELATIONS = (
    *("addr", "data", "ctrl", "rmw", "amo", "lxsx", "rmw-data", "rmw-ctrl"),
    *("pick-addr", "pick-data", "pick-ctrl"),
    "block",
)


@dataclass(frozen=True, slots=True)
class Event:
    """`thread` is INIT for the initial writes."""

    thread: int
    kind: str  # R, W or F
    tags: frozenset[str]
    cell: Cell | None
    value: int | None  # read or written
    pc: int = -1
    span: Span | None = None


@dataclass(frozen=True)
class Execution:
    """Initial writes first, then the events of each thread in program order."""

    events: tuple[Event, ...]
    given: Mapping[str, Relation]  # addr, data, ctrl, rmw, ...: what the threads' paths say
    rf: Relation
    co: Relation

    def only(self, events: Events) -> Relation:
        return Relation.identity(len(self.events), events)

    @cached_property
    def everything(self) -> Events:
        return (1 << len(self.events)) - 1

    @cached_property
    def _threads(self) -> dict[int, Events]:
        threads: dict[int, Events] = {}
        for number, event in enumerate(self.events):
            threads[event.thread] = threads.get(event.thread, 0) | 1 << number
        return threads

    @cached_property
    def po(self) -> Relation:
        """The order of each thread's events. Initial writes are not in it."""
        return Relation(
            tuple(
                0 if event.thread == INIT else self._threads[event.thread] >> number + 1 << number + 1
                for number, event in enumerate(self.events)
            )
        )

    @cached_property
    def same_thread(self) -> Relation:
        return Relation(tuple(self._threads[event.thread] for event in self.events))

    @cached_property
    def loc(self) -> Relation:
        """Accesses to the same location, also each access with itself."""
        cells: dict[Cell, Events] = {}
        for number, event in enumerate(self.events):
            if event.cell is not None:
                cells[event.cell] = cells.get(event.cell, 0) | 1 << number
        return Relation(tuple(0 if event.cell is None else cells[event.cell] for event in self.events))

    @cached_property
    def fr(self) -> Relation:
        """From-read: from a read to the writes that come after the one that it sees."""
        return ~self.rf @ self.co

    def tagged(self, tag: str) -> Events:
        match tag:
            case "R" | "W" | "F":
                return set_of(number for number, event in enumerate(self.events) if event.kind == tag)
            case "M":
                return set_of(number for number, event in enumerate(self.events) if event.kind in "RW")
            case "IW":
                return self._threads.get(INIT, 0)
        return set_of(number for number, event in enumerate(self.events) if tag in event.tags)

    def relation(self, name: str) -> Relation:
        match name:
            case "rf" | "co" | "fr" | "po" | "loc":
                found: Relation = getattr(self, name)
                return found
            case "int":
                return self.same_thread
            case "ext":
                return Relation((self.everything,) * len(self.events)) - self.same_thread
        return self.given.get(name) or Relation((0,) * len(self.events))


BASE_RELATIONS = frozenset(("po", "rf", "co", "fr", "loc", "int", "ext", *RELATIONS))

Value = Relation | Events


class Evaluation:
    """The values of expressions on one execution. Equal nodes are computed once."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self._known: dict[int, Value] = {}
        self._nodes: list[_Node] = []  # kept alive, so that their ids stay theirs

    def set(self, expression: _Node) -> Events:
        value = self._value(expression)
        assert isinstance(value, int)
        return value

    def relation(self, expression: _Node) -> Relation:
        value = self._value(expression)
        assert isinstance(value, Relation)
        return value

    def _value(self, root: _Node) -> Value:
        free: dict[int, frozenset[int]] = {}  # the groups on whose bound names a node depends
        for node in parts(root):
            free[id(node)] = _free_groups(node, free)
            if id(node) not in self._known and not free[id(node)]:
                self._known[id(node)] = self._compute(node, {})
                self._nodes.append(node)
        return self._known[id(root)]

    def _compute(self, node: _Node, bound: Mapping[int, Relation]) -> Value:
        """`bound` are the values of the names of the groups around it."""
        if id(node) in self._known:
            return self._known[id(node)]
        if node.op is Op.BOUND:
            return bound[id(node)]
        if node.op is Op.FIX:
            assert node.group is not None
            return self._least(node.group, bound)[node.number]
        x = self.execution
        args = [self._compute(arg, bound) for arg in node.args]
        match node.op, args:
            case Op.BASE_SET, _:
                return x.tagged(node.name)
            case Op.BASE, _:
                return x.relation(node.name)
            case Op.EMPTY_SET, _:
                return 0
            case Op.ALL, _:
                return x.everything
            case Op.EMPTY, _:
                return Relation((0,) * len(x.events))
            case Op.ID, _:
                return x.only(-1)
            case Op.UNION, [a, b]:
                return a | b  # type: ignore[operator]
            case Op.INTERSECTION, [a, b]:
                return a & b  # type: ignore[operator]
            case Op.DIFFERENCE, [int() as a, int() as b]:
                return a & ~b
            case Op.DIFFERENCE, [Relation() as a, Relation() as b]:
                return a - b
            case Op.COMPLEMENT, [int() as a]:
                return x.everything & ~a
            case Op.PRODUCT, [int() as a, int() as b]:
                return Relation(tuple(b if a >> number & 1 else 0 for number in range(len(x.events))))
            case Op.ONLY, [int() as a]:
                return x.only(a)
            case Op.DOMAIN, [Relation() as a]:
                return a.domain()
            case Op.RANGE, [Relation() as a]:
                return (~a).domain()
            case Op.SEQUENCE, [Relation() as a, Relation() as b]:
                return a @ b
            case Op.INVERSE, [Relation() as a]:
                return ~a
            case Op.PLUS, [Relation() as a]:
                return a.plus
            case Op.STAR, [Relation() as a]:
                return a.star
            case Op.MAYBE, [Relation() as a]:
                return a.maybe
        raise TypeError(f"{node.op.value} of {args}")

    def _least(self, group: Group, bound: Mapping[int, Relation]) -> tuple[Relation, ...]:
        """By iteration from the empty relations."""
        nothing = Relation((0,) * len(self.execution.events))
        values = (nothing,) * len(group.bound)
        while True:
            inner = {**bound, **{id(name): value for name, value in zip(group.bound, values, strict=True)}}
            following = tuple(self._compute(body, inner) for body in group.bodies)
            if following == values:
                return values
            values = following  # type: ignore[assignment]

    def holds(self, axiom: Axiom) -> bool:
        return self._passes(axiom.test, axiom.expression) != axiom.negated

    def _passes(self, test: Test, expression: Expression) -> bool:
        value = self._value(expression)
        if isinstance(value, int):
            return not value
        match test:
            case Test.ACYCLIC:
                return value.is_acyclic()
            case Test.IRREFLEXIVE:
                return value.is_irreflexive()
            case Test.EMPTY:
                return not any(value.rows)


def _free_groups(node: _Node, below: Mapping[int, frozenset[int]]) -> frozenset[int]:
    """`below` has the answer for all that the node is made of."""
    if node.op is Op.BOUND:
        return frozenset({id(node.group)})
    free = frozenset[int]().union(*(below[id(arg)] for arg in node.args))
    if node.op is Op.FIX and node.group is not None:
        free = free.union(*(below[id(body)] for body in node.group.bodies)) - {id(node.group)}
    return free


def violated(rules: Rules, execution: Execution) -> Axiom | None:
    """The first axiom that does not hold."""
    evaluation = Evaluation(execution)
    return next((axiom for axiom in rules.axioms if not evaluation.holds(axiom)), None)


def is_consistent(rules: Rules, execution: Execution) -> bool:
    return violated(rules, execution) is None


def raised_flags(rules: Rules, execution: Execution) -> tuple[str, ...]:
    evaluation = Evaluation(execution)
    return tuple(flag.name for flag in rules.flags if not evaluation.holds(flag))


def cycle_in(relation: Relation) -> tuple[int, ...]:
    """The events of a shortest cycle; empty if there is none."""
    reach = relation.plus
    best: tuple[int, ...] = ()
    for start, row in enumerate(reach.rows):
        if row >> start & 1:
            found = _cycle_through(relation, start)
            if not best or len(found) < len(best):
                best = found
    return best


def _cycle_through(relation: Relation, start: int) -> tuple[int, ...]:
    before = {start: start}
    level = [start]
    while level:
        following = []
        for event in level:
            for target in members(relation.rows[event]):
                if target == start:
                    path = [event]
                    while path[-1] != start:
                        path.append(before[path[-1]])
                    return tuple(reversed(path))
                if target not in before:
                    before[target] = event
                    following.append(target)
        level = following
    return ()
