"""Which events and edges of a witness are drawn.

Edges that follow from others are left out unless they are on the cycle: of mo only neighbours, of fr only the first
of a read, no mo and fr within a thread (coherence puts them along po), no mo from the initial writes.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fencepost.verdict.types import Edge, Event, Witness, WitnessKind

_INVERSE = "^-1"
LIMIT = 40  # events; of a larger graph only what matters is drawn


@dataclass(frozen=True, slots=True)
class Link:
    """One drawn edge; several relations may hold between the same two events."""

    source: int
    target: int
    kinds: tuple[str, ...]
    marked: bool  # on the cycle, or the race itself
    skipped: int = 0  # of a po edge: events of the thread in between that are not drawn


@dataclass(frozen=True, slots=True)
class Graph:
    """What is drawn."""

    columns: dict[int, tuple[Event, ...]]  # by thread, in program order
    initial: tuple[Event, ...]
    links: tuple[Link, ...]
    marked: frozenset[int]  # the events of the cycle, or of the race
    offending: int | None
    left_out: int  # events of threads, branches not counted


def select(witness: Witness, limit: int = LIMIT) -> Graph:
    """The part of the witness's graph that is drawn."""
    witness = _forward(witness)
    marked = frozenset(end for edge in _essence(witness) for end in (edge.source, edge.target))
    blamed = witness.events and witness.kind not in (WitnessKind.DEADLOCK, WitnessKind.EXECUTION)
    offending = witness.events[-1].number if blamed else None
    columns = _columns(witness)
    candidates = {
        event.number
        for column in columns.values()
        for event in column
        if event.label.kind != "CTRL" or event.number in marked or event.number == offending
    }
    kept = candidates if len(candidates) <= limit else _near(witness, candidates, marked, offending, limit)
    links = (*_program_order(columns, kept, witness.cycle), *_communication(witness, kept))
    sources = {link.source for link in links}
    shown = {thread: tuple(event for event in column if event.number in kept) for thread, column in columns.items()}
    return Graph(
        columns={thread: column for thread, column in shown.items() if column},
        initial=tuple(event for event in witness.events if event.thread is None and event.number in sources),
        links=links,
        marked=marked,
        offending=offending,
        left_out=len(candidates) - len(kept),
    )


def _forward(witness: Witness) -> Witness:
    """No edge of an inverse relation, and none that ends at an initial write: these are drawn the other way round."""
    initial = {event.number for event in witness.events if event.thread is None}

    def turned(edges: Iterable[Edge]) -> Iterator[Edge]:
        for edge in edges:
            if edge.kind.endswith(_INVERSE):
                edge = Edge(edge.target, edge.source, edge.kind.removesuffix(_INVERSE))
            if edge.target not in initial:
                yield edge
            elif edge.source not in initial:
                yield Edge(edge.target, edge.source, edge.kind + _INVERSE)

    return replace(witness, edges=tuple(turned(witness.edges)), cycle=tuple(turned(witness.cycle)))


def _columns(witness: Witness) -> dict[int, list[Event]]:
    depth = _depths(witness.edges, "po")
    columns: defaultdict[int, list[Event]] = defaultdict(list)
    for event in sorted(witness.events, key=lambda event: depth[event.number]):
        if event.thread is not None:
            columns[event.thread].append(event)
    return dict(sorted(columns.items()))


def _near(
    witness: Witness, candidates: set[int], marked: frozenset[int], offending: int | None, limit: int
) -> set[int]:
    """The cycle and its rf and mo neighbours; without a cycle, what is nearest to the last event."""
    around: defaultdict[int, list[int]] = defaultdict(list)
    kinds = ("rf", "mo") if marked else ("rf", "mo", "po")
    for source, target in _neighbours(witness, kinds):
        around[source].append(target)
        around[target].append(source)
    seeds = sorted(marked | ({offending} if offending is not None else set()))
    distance = dict.fromkeys(seeds, 0)
    queue = deque(seeds)
    while queue and len(distance) < limit:
        current = queue.popleft()
        if marked and distance[current] == 1:
            break
        for other in around[current]:
            if other in candidates and other not in distance and len(distance) < limit:
                distance[other] = distance[current] + 1
                queue.append(other)
    return set(distance)


def _neighbours(witness: Witness, kinds: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Pairs that are related directly: mo and po may have been given with all that follows by transitivity."""
    if "rf" in kinds:
        yield from ((edge.source, edge.target) for edge in witness.edges if edge.kind == "rf")
    if "mo" in kinds:
        for writes in _writes(witness).values():
            yield from pairwise(writes)
    if "po" in kinds:
        for column in _columns(witness).values():
            yield from pairwise(event.number for event in column)


def _program_order(columns: dict[int, list[Event]], kept: set[int], cycle: Sequence[Edge]) -> Iterator[Link]:
    for column in columns.values():
        place = {event.number: index for index, event in enumerate(column)}
        spans = [
            (place[edge.source], place[edge.target])
            for edge in cycle
            if edge.kind == "po" and edge.source in place and edge.target in place
        ]
        for first, second in pairwise(event.number for event in column if event.number in kept):
            start, end = place[first], place[second]
            hidden = sum(event.label.kind != "CTRL" for event in column[start + 1 : end])
            yield Link(first, second, ("po",), any(a <= start and end <= b for a, b in spans), hidden)


def _communication(witness: Witness, kept: set[int]) -> Iterator[Link]:
    """All edges but po, with the relations between the same two events together."""
    thread = {event.number: event.thread for event in witness.events}
    kinds: defaultdict[tuple[int, int], dict[str, None]] = defaultdict(dict)
    ends = kept | {number for number, owner in thread.items() if owner is None}
    for edge in witness.edges:
        if edge.kind not in ("po", "mo", "fr", "race") and edge.source in ends and edge.target in ends:
            kinds[edge.source, edge.target][edge.kind] = None
    place: dict[int, int] = {}
    for writes in _writes(witness).values():
        place.update((write, index) for index, write in enumerate(writes))
        for pair in pairwise(write for write in writes if write in kept):
            if thread[pair[0]] != thread[pair[1]]:
                kinds[pair]["mo"] = None
    first_fr: dict[int, int] = {}
    for edge in witness.edges:
        if edge.kind == "fr" and edge.source in kept and edge.target in kept:
            known = first_fr.get(edge.source, edge.target)
            first_fr[edge.source] = min(known, edge.target, key=lambda write: place.get(write, 0))
    for pair in first_fr.items():
        if thread[pair[0]] != thread[pair[1]] and "mo" not in kinds.get(pair, ()):
            kinds[pair]["fr"] = None
    marked = {(edge.source, edge.target): edge.kind for edge in _essence(witness) if edge.kind != "po"}
    for pair, kind in marked.items():
        kinds[pair] = {kind: None, **kinds[pair]}  # it is drawn as the first one
    for (source, target), names in kinds.items():
        yield Link(source, target, tuple(names), (source, target) in marked)


def _essence(witness: Witness) -> tuple[Edge, ...]:
    """What the picture is about: the cycle, or the two accesses that race."""
    return witness.cycle or tuple(edge for edge in witness.edges if edge.kind == "race")


def _writes(witness: Witness) -> dict[object, list[int]]:
    """The writes to each cell, in modification order."""
    depth = _depths(witness.edges, "mo")
    writes: defaultdict[object, list[int]] = defaultdict(list)
    for event in sorted(witness.events, key=lambda event: depth[event.number]):
        if event.label.written is not None:
            writes[event.label.cell].append(event.number)
    return writes


def _depths(edges: Sequence[Edge], kind: str) -> defaultdict[int, int]:
    """The length of the longest path of a kind (an acyclic one) to each event."""
    after: defaultdict[int, set[int]] = defaultdict(set)
    before: defaultdict[int, int] = defaultdict(int)
    for source, target in {(edge.source, edge.target) for edge in edges if edge.kind == kind}:
        after[source].add(target)
        before[target] += 1
    depth: defaultdict[int, int] = defaultdict(int)
    ready = deque(number for number in after if not before[number])
    while ready:
        number = ready.popleft()
        for target in after[number]:
            depth[target] = max(depth[target], depth[number] + 1)
            before[target] -= 1
            if not before[target]:
                ready.append(target)
    return depth
