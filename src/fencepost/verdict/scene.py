"""What a witness is told from: the run, the graph with its cycle, and names for the places in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fencepost.models.evidence import Evidence, Link, Place, Places, shortest_cycle
from fencepost.models.execution import INIT, EventId, Graph
from fencepost.models.generation import Generated
from fencepost.models.registry import ModelInfo
from fencepost.program.form import Instruction, Program, Span
from fencepost.program.lts import Label
from fencepost.program.places import Lines
from fencepost.program.printer import branch_targets, show_instruction

from .effects import cell_text
from .view import View

if TYPE_CHECKING:
    from .replay import Taken


@dataclass(frozen=True)
class Scene:
    """A run of `program` to `state`, then the instruction of `thread` for which a model has given `evidence`."""

    program: Program
    state: Generated
    taken: Sequence[Taken]
    thread: int
    info: ModelInfo
    evidence: Evidence | None

    @cached_property
    def graph(self) -> Graph:
        return self.state.graph if self.evidence is None else self.evidence.graph

    @cached_property
    def places(self) -> Places:
        """The instruction behind each event."""
        found = {step.event: (step.thread, step.step.pc) for step in self.taken if step.event is not None}
        if self.evidence is not None:
            found[self.evidence.offending] = (self.thread, self.state.threads[self.thread].pc)
        return found

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The cycle in the model's own graph, from what is missed to the event at fault."""
        if self.evidence is None:
            return ()
        cycle = shortest_cycle(self.graph, self.evidence.ordering)
        ends = [number for number, link in enumerate(cycle) if link.source == self.evidence.offending]
        last = ends[0] if ends else -1
        return (*cycle[last + 1 :], *cycle[: last + 1])

    @cached_property
    def view(self) -> View:
        return View(self.program, self.graph, tuple(self.places), self.places, self.info)

    def instruction(self, place: Place) -> Instruction:
        thread, pc = place
        return self.program.threads[thread].code[pc]

    def span(self, place: Place) -> Span | None:
        return self.instruction(place).span

    def registers(self, thread: int) -> dict[str, int]:
        """Those of a thread, at the end of the run."""
        return dict(zip(self.program.threads[thread].registers, self.state.threads[thread].registers, strict=True))

    def code(self, place: Place) -> str:
        """The instruction, in the words of program.printer; where it may jump to is a place in the source."""
        instruction = self.instruction(place)
        code = self.program.threads[place[0]].code
        spans = {pc: code[pc].span if pc < len(code) else None for pc in branch_targets(instruction)}
        return show_instruction(
            instruction, {pc: str(pc) if span is None else self.lines.where(span) for pc, span in spans.items()}
        )

    def name(self, thread: int) -> str:
        return self.program.threads[thread].name

    def label(self, event: EventId) -> Label:
        return self.graph.label(event)

    def where(self, place: Place) -> str:
        """`line 8`, or the instruction itself in a program that has no source."""
        span = self.span(place)
        return self.code(place) if span is None else self.lines.where(span)

    @cached_property
    def lines(self) -> Lines:
        return Lines(self.program)

    def who(self, event: EventId) -> str:
        """`line 8 (thread right)`."""
        if event.thread == INIT:
            return "the initial value"
        return f"{self.where(self.places[event])} (thread {self.name(event.thread)})"

    def cell(self, event: EventId) -> str:
        """What an event accesses: `x`, or `x[2]` for a slot of an array."""
        cell = self.label(event).cell
        assert cell is not None
        return cell_text(self.program, cell)

    def write(self, event: EventId) -> str:
        """`x = 1`, what a write leaves."""
        return f"{self.cell(event)} = {self.graph.written(event)}"
