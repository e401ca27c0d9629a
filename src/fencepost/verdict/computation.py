"""Witnesses of models that delay stores: a schedule, run on the model's machine, and put into words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from fencepost.models.computation import Computation, Did, InvalidWitnessError
from fencepost.models.evidence import Place
from fencepost.models.execution import INIT, EventId, Graph
from fencepost.models.registry import ModelInfo
from fencepost.program.form import Jump, Program, Span
from fencepost.program.places import Lines
from fencepost.program.printer import show_instruction

from .effects import cell_text, effect
from .replay import ReplayError
from .types import Attack, Change, Move, Notion, Repair, TraceStep, Witness, WitnessKind
from .view import View


def witness(program: Program, schedule: Sequence[Move], info: ModelInfo, notion: Notion) -> Witness:
    """The witness with this schedule of a prepared program. Raises ReplayError if it is none."""
    parts = ((move.thread, move.instructions, move.choices, move.delays) for move in schedule)
    try:
        computation = info.computation(program, parts, notion)
    except InvalidWitnessError as error:
        raise ReplayError(str(error)) from error
    return _Teller(program, info, computation.graph, computation.done, computation).witness(tuple(schedule), notion)


@dataclass(frozen=True)
class Steps:
    """What happens in a computation, step by step, and what its events are called."""

    program: Program
    info: ModelInfo
    graph: Graph
    done: Sequence[Did]

    @cached_property
    def places(self) -> dict[EventId, Place]:
        """The instruction behind each event, in the order of the run."""
        done = self.done
        return {did.event: (did.thread, did.step.pc) for did in done if did.event is not None and did.step is not None}

    @cached_property
    def view(self) -> View:
        return View(self.program, self.graph, tuple(self.places), self.places, self.info)

    def trace(self) -> Iterator[TraceStep]:
        """The computation. Jumps are left out."""
        registers = [thread.initial_registers() for thread in self.program.threads]
        for did in self.done:
            step = did.step
            if step is None:
                assert did.cell is not None
                assert did.event is not None
                arrives = f"{cell_text(self.program, did.cell)} = {did.value} leaves the store buffer"
                yield TraceStep(did.thread, self.span(did.event), arrives)
                continue
            instruction = self.program.threads[did.thread].code[step.pc]
            values = registers[did.thread]
            registers[did.thread] = dict(zip(values, step.after.registers, strict=True))
            words = effect(self.program, instruction, step, values)
            number = None if did.event is None else self.view.number[did.event]
            if isinstance(instruction, Jump) or not (words or number is not None):
                continue
            words = (words or show_instruction(instruction)) + self.aside(did)
            yield TraceStep(did.thread, instruction.span, words, number, self.code((did.thread, step.pc)))

    def aside(self, did: Did) -> str:
        """What is special about a step."""
        if did.early:
            return ", from its own store buffer"
        if did.event is not None and did.event in self.delayed:
            return ", into its store buffer"
        return ""

    @cached_property
    def delayed(self) -> frozenset[EventId]:
        return frozenset(did.event for did in self.done if did.step is None and did.event is not None)

    def what(self, event: EventId) -> str:
        """`the load of y in line 8`."""
        if event.thread == INIT:
            return f"the initial value of {self.cell(event)}"
        label = self.graph.label(event)
        kinds = {"W": "the store to", "R": "the load of", "R*": "the load of", "RMW": "the update of"}
        span = self.span(event)
        place = f"in thread {self.name(event.thread)}" if span is None else f"in {self.lines.where(span)}"
        return f"{kinds.get(label.kind, 'the fence')} {self.cell(event)} {place}".replace("  ", " ")

    def cell(self, event: EventId) -> str:
        cell = self.graph.label(event).cell
        return "" if cell is None else cell_text(self.program, cell)

    @cached_property
    def lines(self) -> Lines:
        return Lines(self.program)

    def name(self, thread: int) -> str:
        return "init" if thread == INIT else self.program.threads[thread].name

    def code(self, place: Place) -> str:
        thread, pc = place
        return show_instruction(self.program.threads[thread].code[pc])

    def span(self, event: EventId) -> Span | None:
        return self.view.span(event)


@dataclass(frozen=True)
class _Teller(Steps):
    computation: Computation

    def witness(self, schedule: tuple[Move, ...], notion: Notion) -> Witness:
        view = self.view
        cycle = view.cycle(self.computation.cycle)
        triangular = notion is Notion.TRIANGULAR
        return Witness(
            kind=WitnessKind.TRIANGULAR_RACE if triangular else WitnessKind.CYCLE,
            schedule=schedule,
            headline=self.headline(),
            trace=tuple(self.trace()),
            reasons=tuple(self.reasons()),
            repairs=(self.repair(),),
            events=view.events(),
            edges=view.edges(cycle),
            cycle=() if triangular else cycle,
            thread=self.computation.attacker,
            span=self.span(self.computation.load),
            attack=self.attack(),
        )

    def attack(self) -> Attack:
        mine = [did for did in self.computation.done if did.thread == self.computation.attacker and did.step]
        first = next(number for number, did in enumerate(mine) if did.event == self.computation.store)
        passed = tuple(did.step.pc for did in mine[first:] if did.step is not None)
        return Attack(self.computation.attacker, passed[0], passed[-1], passed)

    # Words

    def headline(self) -> str:
        computation = self.computation
        load, store = self.what(computation.load), self.what(computation.store)
        if computation.race is not None:
            other = self.what(computation.race)
            return f"triangular race: {load} may overtake {store}, and {other} changes what it reads"
        others = sorted(
            {self.name(event.thread) for link in computation.cycle for event in (link.source, link.target)}
            - {self.name(computation.attacker), "init"}
        )
        through = f"thread {others[0]}" if len(others) == 1 else f"threads {' and '.join(others)}"
        return f"{load} may overtake {store}, which {through} can tell"

    def reasons(self) -> Iterator[str]:
        store, load = self.computation.store, self.computation.load
        yield (
            f"{self.what(store)} waits in the store buffer of thread {self.name(store.thread)}, and "
            f"nothing empties the buffer before {self.what(load)}, which the buffer does not answer"
        )

    def repair(self) -> Repair:
        place = self.places[self.computation.load]
        what = "put a full fence (x86 mfence, C11 seq_cst) before this load, or make the store a locked exchange"
        return Repair((Change(place[0], self.span(self.computation.load), what, self.code(place)),))

    def aside(self, did: Did) -> str:
        if not did.early and did.event == self.computation.load:
            return f", and overtakes {self.what(self.computation.store)}"
        if did.event is not None and did.event == self.computation.race:
            return f", in a race with {self.what(self.computation.load)}"
        return super().aside(did)
