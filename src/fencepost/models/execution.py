"""Execution graphs (observational-robustness-rc20, section 3.1): what all axiomatic models speak about.

A graph holds its primitive parts in a canonical form (events by thread, one modification order per location), so that
equal graphs are equal values; the relations over them are derived on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

from fencepost.program.form import Program
from fencepost.program.lts import Cell, Label
from fencepost.program.orders import Order

from .relation import Events, Relation, set_of

_T = TypeVar("_T")

INIT = -1  # the "thread" of the initial writes
READS = frozenset({"R", "RMW", "R*"})
WRITES = frozenset({"W", "RMW"})


class EventId(NamedTuple):
    """Def 3.1. The serial number of an initial write is the number of its cell."""

    thread: int
    serial: int


@dataclass(frozen=True, slots=True)
class Event:
    label: Label
    depends_on: frozenset[EventId] = frozenset()  # its dp-predecessors
    source: EventId | None = None  # its rf-predecessor


@dataclass(frozen=True)
class Graph:
    """Def 3.3. `order[c]` lists the writes to cell c, oldest first; the initial write is the first of them."""

    initial: tuple[Label, ...]
    threads: tuple[tuple[Event, ...], ...]
    order: tuple[tuple[EventId, ...], ...]

    # Primitive parts

    @cached_property
    def ids(self) -> tuple[EventId, ...]:
        """All events; their positions here are their numbers in the relations."""
        own = (EventId(t, s) for t, events in enumerate(self.threads) for s in range(len(events)))
        return (*(EventId(INIT, cell) for cell in range(len(self.initial))), *own)

    @cached_property
    def number(self) -> dict[EventId, int]:
        return {event: number for number, event in enumerate(self.ids)}

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        return tuple(map(self.label, self.ids))

    @cached_property
    def cell_number(self) -> dict[Cell | None, int]:
        return {label.cell: number for number, label in enumerate(self.initial)}

    def label(self, event: EventId) -> Label:
        return self.initial[event.serial] if event.thread == INIT else self.event(event).label

    def event(self, event: EventId) -> Event:
        return self.threads[event.thread][event.serial]

    def writes(self, cell: Cell) -> tuple[EventId, ...]:
        """G.W_x, oldest first."""
        return self.order[self.cell_number[cell]]

    def newest(self, cell: Cell) -> EventId:
        """G.w_x^max (Notation 4.4)."""
        return self.writes(cell)[-1]

    def written(self, write: EventId) -> int:
        """G.val_W(write)"""
        value = self.label(write).written
        assert value is not None
        return value

    def next_id(self, thread: int) -> EventId:
        """next(G, thread) (Notation 3.8)."""
        return EventId(thread, len(self.threads[thread]))

    def add(self, thread: int, label: Label, depends_on: frozenset[EventId], at: EventId | None) -> Graph:
        """add(G, thread, label, D, w) (Notation 3.8): `at` is what is read, and what a write directly follows in mo."""
        event = Event(label, depends_on, at if label.kind in READS else None)
        threads = _replaced(self.threads, thread, (*self.threads[thread], event))
        if label.kind not in WRITES:
            return replace(self, threads=threads)
        assert at is not None
        cell = self.cell_number[label.cell]
        place = self.order[cell].index(at) + 1
        writes = (*self.order[cell][:place], self.next_id(thread), *self.order[cell][place:])
        return replace(self, threads=threads, order=_replaced(self.order, cell, writes))

    # Sets of events

    def where(self, holds: Callable[[Label], bool]) -> Events:
        return set_of(number for number, label in enumerate(self.labels) if holds(label))

    def of_kind(self, *kinds: str) -> Events:
        return self.where(lambda label: label.kind in kinds)

    def of_thread(self, thread: int) -> Events:
        """G.E^thread"""
        return set_of(number for number, event in enumerate(self.ids) if event.thread == thread)

    def numbers(self, events: Iterable[EventId]) -> Events:
        return set_of(self.number[event] for event in events)

    def only(self, events: Events) -> Relation:
        """[events]"""
        return Relation.identity(len(self.ids), events)

    # Relations

    @cached_property
    def po(self) -> Relation:
        """Serial numbers within a thread; initial writes before everything else."""
        rows = [0] * len(self.ids)
        everything = set_of(range(len(self.ids)))
        start = len(self.initial)
        for cell in range(start):
            rows[cell] = everything >> start << start
        for events in self.threads:
            end = start + len(events)
            for number in range(start, end):
                rows[number] = set_of(range(number + 1, end))
            start = end
        return Relation(tuple(rows))

    @cached_property
    def dp(self) -> Relation:
        return Relation.of(
            len(self.ids),
            (
                (self.number[origin], number)
                for number, event in enumerate(self.ids)
                if event.thread != INIT
                for origin in self.event(event).depends_on
            ),
        )

    @cached_property
    def rf(self) -> Relation:
        pairs = ((self.event(event).source, number) for number, event in enumerate(self.ids) if event.thread != INIT)
        return Relation.of(len(self.ids), ((self.number[w], r) for w, r in pairs if w is not None))

    @cached_property
    def mo(self) -> Relation:
        return Relation.of(
            len(self.ids),
            (
                (self.number[old], self.number[new])
                for writes in self.order
                for place, new in enumerate(writes)
                for old in writes[:place]
            ),
        )

    @cached_property
    def fr(self) -> Relation:
        """from-read: (rf^-1 ; mo) \\ id"""
        return (~self.rf @ self.mo) - self.only(-1)


def _replaced(items: tuple[_T, ...], place: int, item: _T) -> tuple[_T, ...]:
    return (*items[:place], item, *items[place + 1 :])


def cells(program: Program) -> tuple[Cell, ...]:
    """All shared locations, each slot of an array counted apart."""
    return tuple(Cell(location.name, slot) for location in program.locations for slot in range(location.size))


def initial_graph(program: Program) -> Graph:
    """The graph of the initial writes alone (Def 3.4)."""
    labels = tuple(
        Label("W", Cell(location.name, slot), _initial_order(location.atomic), written=program.wrap(value))
        for location in program.locations
        for slot, value in enumerate(location.initial)
    )
    order = tuple((EventId(INIT, cell),) for cell in range(len(labels)))
    return Graph(labels, ((),) * len(program.threads), order)


def _initial_order(atomic: bool) -> Order:
    return Order.RELAXED if atomic else Order.NON_ATOMIC
