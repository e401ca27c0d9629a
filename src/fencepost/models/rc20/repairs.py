"""Changes that make an execution inconsistent with RC20: each is tried on the graph itself.

They forbid this execution, not necessarily every other: a program is repaired when a new check says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import prod
from typing import TypeVar

from fencepost.models.evidence import Change, Evidence, Link, Place, Places
from fencepost.models.execution import Event, EventId, Graph
from fencepost.program.lts import Cell, Label
from fencepost.program.orders import FenceKind, Order

from .lower import SC_FENCE_LOCATION, is_hidden
from .reading import hb, is_rc20_consistent

Repair = tuple[Change, ...]  # to be made together
_T = TypeVar("_T", Change, tuple[Change, Change])

_MOST_ORDERS = 200  # orders of SC fences that are tried
_STRONGER = {  # what an access may become, the weakest first
    "R": (Order.ACQUIRE,),
    "R*": (Order.ACQUIRE,),
    "W": (Order.RELEASE,),
    "RMW": (Order.ACQUIRE, Order.RELEASE, Order.ACQ_REL),
}
_WORDS = {Order.ACQUIRE: "acquire", Order.RELEASE: "release", Order.ACQ_REL: "acquire and release"}
_NAMES = {"R": "load", "R*": "read", "W": "store", "RMW": "read-modify-write"}


def repairs(evidence: Evidence, cycle: tuple[Link, ...], places: Places) -> tuple[Repair, ...]:
    """The cheapest kind of change that works: one stronger order, two, or SC fences along the cycle."""
    if evidence.racing is None and not evidence.ordering:
        return ()
    graph, forbidden = evidence.graph, _forbids(evidence)
    stronger = tuple(_stronger(graph, places))
    single = [change for change, edit in stronger if forbidden(edit(graph))]
    if single:
        return tuple((change,) for change in _weakest(single))
    pairs = [
        (one, other)
        for (one, edit), (other, edit_other) in combinations(stronger, 2)
        if _communicate(graph, places, one.place, other.place) and forbidden(edit_other(edit(graph)))
    ]
    if pairs or evidence.racing is not None:
        return tuple(_weakest(pairs))
    return tuple(_sc_fences(evidence, cycle, places))


def _weakest(found: Sequence[_T]) -> Iterator[_T]:
    """Of changes at the same places the first, which asks for least."""
    seen = set()
    for repair in found:
        places = repair.place if isinstance(repair, Change) else tuple(change.place for change in repair)
        if places not in seen:
            seen.add(places)
            yield repair


def _forbids(evidence: Evidence) -> Callable[[Graph], bool]:
    if evidence.racing is None:
        return lambda graph: not is_rc20_consistent(graph)
    racing, offending = evidence.racing, evidence.offending

    def ordered(graph: Graph) -> bool:
        before = hb(graph, graph.numbers(evidence.tainted))
        return bool(before.rows[graph.number[racing]] >> graph.number[offending] & 1)

    return ordered


# Stronger orders


def _stronger(graph: Graph, places: Places) -> Iterator[tuple[Change, Callable[[Graph], Graph]]]:
    """For every instruction of which an access could be stronger: the change, and what it does to a graph."""
    for place in dict.fromkeys(places.values()):
        events = [event for event in graph.ids if places.get(event) == place]
        label = graph.label(events[0])
        if not isinstance(label.order, Order) or label.order is Order.NON_ATOMIC or is_hidden(label.cell):
            continue
        for wanted in _STRONGER[label.kind]:
            new = {event: _joined(graph.label(event), wanted) for event in events}
            if any(graph.label(event).order is not order for event, order in new.items()):
                order = label.order.join(wanted)
                yield Change(place, f"make this {_NAMES[label.kind]} {_WORDS[order]}"), _strengthening(new)


def _joined(label: Label, wanted: Order) -> Order:
    """A CAS that fails is a read: it cannot release."""
    assert isinstance(label.order, Order)
    if label.kind == "R*" and wanted is not Order.ACQUIRE:
        return label.order.join(Order.ACQUIRE) if wanted is Order.ACQ_REL else label.order
    return label.order.join(wanted)


def _strengthening(new: dict[EventId, Order]) -> Callable[[Graph], Graph]:
    def edit(graph: Graph) -> Graph:
        threads = tuple(
            tuple(
                replace(event, label=replace(event.label, order=new.get(EventId(t, s), event.label.order)))
                for s, event in enumerate(events)
            )
            for t, events in enumerate(graph.threads)
        )
        return replace(graph, threads=threads)

    return edit


def _communicate(graph: Graph, places: Places, one: Place, other: Place) -> bool:
    """Whether an event of one of the instructions reads from one of the other, if need be through RMWs."""
    chains = graph.rf.plus
    numbers = {
        place: [graph.number[event] for event in graph.ids if places.get(event) == place] for place in (one, other)
    }
    return any(
        chains.rows[a] >> b & 1 or chains.rows[b] >> a & 1 for a in numbers[one] for b in numbers[other] if one != other
    )


# SC fences


def _sc_fences(evidence: Evidence, cycle: tuple[Link, ...], places: Places) -> Iterator[Repair]:
    """SC fences in the threads through which the cycle passes, as few of them as suffice."""
    spots = [link.target for link in cycle if link.kind == "po"]
    chosen = list(spots)
    if not chosen or not _fences_forbid(evidence, chosen):
        return
    for spot in spots:
        fewer = [other for other in chosen if other != spot]
        if fewer and _fences_forbid(evidence, fewer):
            chosen = fewer
    graph = evidence.graph
    yield tuple(
        Change(places[spot], f"put fence(seq_cst) before this {_NAMES.get(graph.label(spot).kind, 'instruction')}")
        for spot in chosen
    )


def _fences_forbid(evidence: Evidence, spots: Iterable[EventId]) -> bool:
    """Whether the graph is forbidden with an SC fence before each of `spots`, in whichever order the fences run."""
    graph = evidence.graph
    spots = sorted(spots, reverse=True)  # later ones first: an insertion moves what comes after it
    hidden = Cell(SC_FENCE_LOCATION)
    if hidden not in graph.cell_number:
        graph = replace(
            graph,
            initial=(*graph.initial, Label("W", hidden, Order.RELAXED, written=0)),
            order=(*graph.order, (EventId(-1, len(graph.initial)),)),
        )
    present = len(graph.writes(hidden))
    if prod(present + number for number in range(len(spots))) > _MOST_ORDERS:
        return False
    forbidden = _forbids(evidence)
    return all(forbidden(ordered) for ordered in _with_fences(graph, spots))


def _with_fences(graph: Graph, spots: list[EventId]) -> Iterator[Graph]:
    if not spots:
        yield graph
        return
    spot, *rest = spots
    hidden = Cell(SC_FENCE_LOCATION)
    acquiring, releasing = Label("F", order=FenceKind.ACQUIRE), Label("F", order=FenceKind.RELEASE)
    for place in range(len(graph.writes(hidden))):
        label = Label("RMW", hidden, Order.ACQ_REL, read=0, written=0)
        one = _insert(graph, spot, Event(releasing))
        two = _insert(one, spot, Event(label), after=place)
        yield from _with_fences(_insert(two, spot, Event(acquiring)), rest)


def _insert(graph: Graph, spot: EventId, event: Event, after: int | None = None) -> Graph:
    """`graph` with `event` before `spot`; an RMW comes after the write number `after` of its location."""

    def moved(other: EventId) -> EventId:
        later = other.thread == spot.thread and other.serial >= spot.serial
        return EventId(other.thread, other.serial + 1) if later else other

    def adapted(old: Event) -> Event:
        source = None if old.source is None else moved(old.source)
        return replace(old, depends_on=frozenset(map(moved, old.depends_on)), source=source)

    threads = [tuple(map(adapted, events)) for events in graph.threads]
    order = [tuple(map(moved, writes)) for writes in graph.order]
    if after is not None:
        cell = graph.cell_number[event.label.cell]
        writes = order[cell]
        event = replace(event, source=writes[after])
        order[cell] = (*writes[: after + 1], spot, *writes[after + 1 :])
        if after + 1 < len(writes):  # the RMW that read from before the new one reads from it now
            following = writes[after + 1]
            own = threads[following.thread]
            serial = following.serial - (following.thread == spot.thread and following.serial > spot.serial)
            threads[following.thread] = (*own[:serial], replace(own[serial], source=spot), *own[serial + 1 :])
    own = threads[spot.thread]
    threads[spot.thread] = (*own[: spot.serial], event, *own[spot.serial :])
    return replace(graph, threads=tuple(threads), order=tuple(order))
