"""An execution graph as people are shown it: events in the order of the run, and the edges that others do not imply.

What a model adds to a program for its own purposes is put back together: a hidden access between two fences is one
SC fence, and what orders hidden accesses orders these fences (`sc`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from fencepost.models.evidence import Link, Places
from fencepost.models.execution import INIT, EventId, Graph
from fencepost.models.registry import ModelInfo
from fencepost.program.form import Access, Program, Span
from fencepost.program.lts import Cell, Label
from fencepost.program.orders import FenceKind

from .types import Edge, Event


@dataclass(frozen=True)
class View:
    """`run` are the events of threads in the order in which they happened."""

    program: Program
    graph: Graph
    run: Sequence[EventId]
    places: Places
    info: ModelInfo

    @cached_property
    def shown(self) -> dict[EventId, EventId]:
        """For each event that is shown, on its own or as a part of another: the one that it is shown as."""
        own = (event for event in self.graph.ids if not self.is_hidden(event) and not self._is_part(event))
        found = {event: event for event in own}
        for event in self.run:
            if self.is_hidden(event):
                found.update((part, event) for part in self._parts(event))
        return found

    @cached_property
    def number(self) -> dict[EventId, int]:
        """What the events that are shown are called; initial writes come first."""
        initial = (event for event in self.graph.ids if event.thread == INIT)
        kept = (self.shown[event] for event in (*initial, *self.run) if event in self.shown)
        return {event: number for number, event in enumerate(dict.fromkeys(kept))}

    def is_hidden(self, event: EventId) -> bool:
        return self.info.is_hidden(self.graph.label(event).cell)

    def span(self, event: EventId) -> Span | None:
        if event not in self.places:
            return None
        thread, pc = self.places[event]
        return self.program.threads[thread].code[pc].span

    def events(self) -> tuple[Event, ...]:
        return tuple(
            Event(number, None if event.thread == INIT else event.thread, self._label(event), self.span(event))
            for event, number in self.number.items()
        )

    def edges(self, cycle: Iterable[Edge] = ()) -> tuple[Edge, ...]:
        """All edges of which the others follow, and those of `cycle`."""
        links = (*self._program_order(), *self._reads(), *self._modification_orders(), *self._from_reads())
        return tuple(dict.fromkeys((*(edge for link in links for edge in self._edge(link)), *cycle)))

    def cycle(self, links: Iterable[Link]) -> tuple[Edge, ...]:
        return tuple(edge for link in links for edge in self._edge(link))

    def _edge(self, link: Link) -> Iterator[Edge]:
        if link.source not in self.shown or link.target not in self.shown:
            return
        source, target = self.shown[link.source], self.shown[link.target]
        if source == target:
            return
        fences = self.is_hidden(link.source) and self.is_hidden(link.target) and link.kind != "po"
        yield Edge(self.number[source], self.number[target], "sc" if fences else link.kind)

    def _program_order(self) -> Iterator[Link]:
        for thread, events in enumerate(self.graph.threads):
            own = (EventId(thread, serial) for serial in range(len(events)))
            for first, second in pairwise(dict.fromkeys(self.shown[event] for event in own if event in self.shown)):
                yield Link(first, second, "po")

    def _reads(self) -> Iterator[Link]:
        for event in self.run:
            source = self.graph.event(event).source
            if source is not None:
                yield Link(source, event, "rf")

    def _modification_orders(self) -> Iterator[Link]:
        for writes in self.graph.order:
            for older, newer in pairwise(writes):
                yield Link(older, newer, "mo")

    def _from_reads(self) -> Iterator[Link]:
        """To the write directly after the one that is read."""
        for event in self.run:
            read = self.graph.event(event)
            if read.source is None or read.label.cell is None:
                continue
            writes = self.graph.writes(read.label.cell)
            later = [write for write in writes[writes.index(read.source) + 1 :] if write != event]
            if later:
                yield Link(event, later[0], "fr")

    def _label(self, event: EventId) -> Label:
        return Label("F", order=FenceKind.SEQ_CST) if self.is_hidden(event) else self.graph.label(event)

    def _is_part(self, event: EventId) -> bool:
        """Whether it is a fence right before or after a hidden access."""
        if event not in self.places or self.graph.label(event).kind != "F":
            return False
        thread, pc = self.places[event]
        around = self.program.threads[thread].code[max(pc - 1, 0) : pc + 2]
        return any(isinstance(other, Access) and self.info.is_hidden(Cell(other.ref.location)) for other in around)

    def _parts(self, hidden: EventId) -> Iterator[EventId]:
        """A hidden access and the fences around it."""
        thread, pc = self.places[hidden]
        yield hidden
        for step in (-1, 1):
            neighbour = EventId(hidden.thread, hidden.serial + step)
            if self.places.get(neighbour) == (thread, pc + step) and self._is_part(neighbour):
                yield neighbour
