"""The control flow of a thread. A place is a pc from 0 to len(code); len(code) is the end of the thread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..form import Thread, successors

Adjacency = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Flow:
    """Where control may go from each place, and from where it may come."""

    successors: Adjacency
    predecessors: Adjacency


@dataclass(frozen=True, slots=True)
class Loop:
    """A natural loop: `header` is its only entry."""

    header: int
    body: frozenset[int]  # with the header


def flow_of(thread: Thread) -> Flow:
    end = len(thread.code)
    after = (*(successors(thread.code, pc) for pc in range(end)), ())
    before: list[list[int]] = [[] for _ in after]
    for pc, targets in enumerate(after):
        for target in targets:
            before[target].append(pc)
    return Flow(after, tuple(map(tuple, before)))


def reachable(graph: Adjacency, starts: Iterable[int] = (0,)) -> frozenset[int]:
    """`starts` and every place that can be reached from them: `graph` is one side of a `Flow`."""
    found = set(starts)
    waiting = list(found)
    while waiting:
        fresh = [target for target in graph[waiting.pop()] if target not in found]
        found.update(fresh)
        waiting.extend(fresh)
    return frozenset(found)


def immediate_dominators(flow: Flow) -> tuple[int | None, ...]:
    """The closest other place through which every path from 0 goes; None for 0 and for unreachable places.

    Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
    """
    order = _postorder(flow.successors)
    rank = {place: number for number, place in enumerate(order)}
    above: list[int | None] = [None] * len(flow.successors)

    def meet(a: int, b: int) -> int:
        while a != b:
            low, high = (a, b) if rank[a] < rank[b] else (b, a)
            parent = above[low]
            assert parent is not None, "a processed place other than 0 has a dominator"
            a, b = parent, high
        return a

    changed = True
    while changed:
        changed = False
        for place in reversed(order[:-1]):  # order[-1] is 0
            known = [p for p in flow.predecessors[place] if p == 0 or above[p] is not None]
            closest = known[0]
            for predecessor in known[1:]:
                closest = meet(closest, predecessor)
            if above[place] != closest:
                above[place] = closest
                changed = True
    return tuple(above)


def dominates(above: Sequence[int | None], a: int, b: int) -> bool:
    """Whether every path from 0 to `b` goes through `a`; `above` are the immediate dominators, `b` is reachable."""
    place: int | None = b
    while place is not None and place != a:
        place = above[place]
    return place == a


def natural_loops(flow: Flow) -> tuple[Loop, ...]:
    """The natural loops, by header: loops with the same header are one. Cycles with two entries are none of them."""
    above = immediate_dominators(flow)
    tails: dict[int, list[int]] = {}
    for place in sorted(reachable(flow.successors)):
        for target in flow.successors[place]:
            if dominates(above, target, place):
                tails.setdefault(target, []).append(place)
    return tuple(Loop(header, _body(flow, header, tails[header])) for header in sorted(tails))


def _body(flow: Flow, header: int, tails: list[int]) -> frozenset[int]:
    """`header` and what reaches one of `tails` without going through it."""
    body = {header}
    waiting = list(tails)
    while waiting:
        place = waiting.pop()
        if place not in body:
            body.add(place)
            waiting.extend(flow.predecessors[place])
    return frozenset(body)


def _postorder(graph: Adjacency) -> list[int]:
    """The places that 0 reaches, each after what a depth-first search finds from it; 0 is last."""
    order: list[int] = []
    seen = {0}
    path = [(0, iter(graph[0]))]
    while path:
        place, targets = path[-1]
        fresh = next((target for target in targets if target not in seen), None)
        if fresh is None:
            order.append(place)
            path.pop()
        else:
            seen.add(fresh)
            path.append((fresh, iter(graph[fresh])))
    return order
