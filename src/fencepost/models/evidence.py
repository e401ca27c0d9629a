"""What a model shows for a violation: an execution graph that it allows, and the event in it that SC does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .execution import INIT, EventId, Graph
from .relation import Relation

Place = tuple[int, int]  # a thread and a program counter
Places = Mapping[EventId, Place]  # which instruction made an event


@dataclass(frozen=True, slots=True)
class Evidence:
    """`graph` is one that the model allows; `offending` is the event that made the difference.

    `stale` is the older write that it reads or directly follows, `newest` the one that SC would make it see or follow.
    `tainted` are reads that were moved to older writes. Not `confirmed`: a finding of the observational notion that may
    be a false alarm (Ex 4.19 of RC20). Then the graph is one that SC does not have, although the program may not be
    able to tell; or, if there is none such either (no `ordering`), that of the run under SC.
    """

    graph: Graph
    offending: EventId
    stale: EventId | None = None
    newest: EventId | None = None
    tainted: frozenset[EventId] = frozenset()
    used: frozenset[EventId] = frozenset()  # the tainted reads whose value the offending event uses
    racing: EventId | None = None  # the other access of a race
    ordering: tuple[tuple[str, Relation], ...] = ()  # relations that together have a cycle, the plainest first
    gaps: tuple[Gap, ...] = ()  # steps of that cycle by which the model orders nothing
    confirmed: bool = True


@dataclass(frozen=True, slots=True)
class Gap:
    """Why a model does not order two events that SC does: `but the write is no release ...`."""

    link: Link
    why: str


@dataclass(frozen=True, slots=True)
class Change:
    """One edit of a program: what to do at a place, in words."""

    place: Place
    what: str


@dataclass(frozen=True, slots=True)
class Link:
    """An edge with the name of its relation."""

    source: EventId
    target: EventId
    kind: str


def shortest_cycle(graph: Graph, relations: Iterable[tuple[str, Relation]]) -> tuple[Link, ...]:
    """A shortest cycle in the union of `relations`; where several relate two events, the first names the edge."""
    named = tuple(relations)
    count = len(graph.ids)
    union = Relation((0,) * count)
    for _, relation in named:
        union |= relation
    reach = union.plus
    best: list[int] = []
    for start in range(count):
        if reach.rows[start] >> start & 1 and graph.ids[start].thread != INIT:
            found = _cycle_through(union, start, len(best) or count + 1)
            best = found or best
    return tuple(_link(graph, named, a, b) for a, b in zip(best, [*best[1:], *best[:1]], strict=True))


def _cycle_through(union: Relation, start: int, shorter_than: int) -> list[int]:
    """The events of a shortest cycle through `start`, if it has fewer than `shorter_than`."""
    paths = [[start]]
    seen = 0
    while paths and len(paths[0]) < shorter_than:
        longer = []
        for path in paths:
            row = union.rows[path[-1]]
            if row >> start & 1:
                return path
            fresh = row & ~seen
            seen |= fresh
            while fresh:
                lowest = fresh & -fresh
                longer.append([*path, lowest.bit_length() - 1])
                fresh ^= lowest
        paths = longer
    return []


def _link(graph: Graph, named: tuple[tuple[str, Relation], ...], a: int, b: int) -> Link:
    kind = next(name for name, relation in named if relation.rows[a] >> b & 1)
    return Link(graph.ids[a], graph.ids[b], kind)
