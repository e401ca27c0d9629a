"""The witness of an execution graph that one model allows and another forbids, told from the graph.

The core has found it; it is judged again here, by the definitions, before it becomes a witness.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from fencepost.models.axiomatic.algebra import Axiom, Rules
from fencepost.models.axiomatic.candidates import Candidate
from fencepost.models.axiomatic.execution import INIT, is_consistent, violated
from fencepost.models.axiomatic.explanation import Step, circle
from fencepost.models.axiomatic.paths import End
from fencepost.models.axiomatic.tags import STARRED
from fencepost.models.registry import ModelInfo, shown
from fencepost.models.relation import members
from fencepost.program.form import Access, Cas, Fence, Instruction, Program
from fencepost.program.lts import Label
from fencepost.program.orders import FenceKind, Order
from fencepost.program.places import Lines
from fencepost.program.printer import show_instruction

from .effects import cell_text, failure
from .loosening import FULL_FENCE_NAME, changes, kept_by, loosened
from .replay import ReplayError
from .types import Change, Edge, Event, Repair, TraceStep, Witness, WitnessKind

_SHOWN = {"co": "mo"}  # as reports call it
_DEPENDENCIES = ("addr", "data", "ctrl", "rmw")


def forbidden_execution(candidate: Candidate, model: ModelInfo, rules: Rules, other: str, judge: Rules) -> Witness:
    """`rules` (of `model`) allow the execution, `judge` (called `other`) does not. Raises ReplayError if not so."""
    if not is_consistent(rules, candidate.execution):
        raise ReplayError(f"an execution that was found is not one of {rules.name}")
    axiom = violated(judge, candidate.execution)
    if axiom is None:
        raise ReplayError(f"an execution that was found is one of {judge.name}")
    return _Telling(candidate, model, rules, other, axiom).witness()


def failing_execution(candidate: Candidate, model: ModelInfo, rules: Rules) -> Witness:
    """Of an execution in which an assertion fails, or an access misses its array."""
    if not is_consistent(rules, candidate.execution):
        raise ReplayError(f"an execution that was found is not one of {rules.name}")
    return _Telling(candidate, model, rules, model.name, None).failure()


def racy_execution(candidate: Candidate, model: ModelInfo, rules: Rules, flag: Rules) -> Witness:
    """Of an execution with a data race, which `flag` forbids."""
    axiom = violated(flag, candidate.execution)
    if axiom is None or not is_consistent(rules, candidate.execution):
        raise ReplayError(f"an execution that was found has no race under {rules.name}")
    return _Telling(candidate, model, rules, model.name, axiom).race()


def some_execution(candidate: Candidate, rules: Rules) -> Witness:
    """An execution as it is, with nothing wrong about it."""
    if not is_consistent(rules, candidate.execution):
        raise ReplayError(f"an execution that was found is not one of {rules.name}")
    return _Telling(candidate, None, rules, rules.name, None).plain()


class _Telling:
    def __init__(
        self, candidate: Candidate, model: ModelInfo | None, rules: Rules, other: str, axiom: Axiom | None
    ) -> None:
        self.candidate = candidate
        self.execution = candidate.execution
        self.program: Program = candidate.program
        self.model = model
        self.rules = rules
        self.other = other
        self.axiom = axiom

    @cached_property
    def lines(self) -> Lines:
        return Lines(self.program)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return () if self.axiom is None else circle(self.axiom, self.execution)

    def witness(self) -> Witness:
        assert self.axiom is not None
        cycle = tuple(self.edge(step) for step in self.steps)
        loose = loosened(self.rules, self.execution, self.steps)
        return Witness(
            kind=WitnessKind.EXECUTION,
            schedule=(),
            headline=self.headline(),
            trace=tuple(self.trace()),
            reasons=tuple(self.reasons(loose)),
            repairs=tuple(self.repairs(loose)),
            events=self.events(),
            edges=tuple(dict.fromkeys((*self.edges(), *cycle))),
            cycle=cycle,
            axiom=self.axiom.name,
        )

    def plain(self) -> Witness:
        edges = tuple(dict.fromkeys(self.edges()))
        return Witness(WitnessKind.EXECUTION, (), "", tuple(self.trace()), events=self.events(), edges=edges)

    def failure(self) -> Witness:
        thread, pc = next((path.thread, path.pc) for path in self.candidate.paths if path.end is End.FAILED)
        instruction = self.program.threads[thread].code[pc]
        name, where = self.program.threads[thread].name, self.place(thread, instruction)
        registers = {register: self.candidate.register(thread, register) for register in self.registers(thread)}
        words = failure(self.program, instruction, registers)
        return Witness(
            kind=WitnessKind.ASSERTION,
            schedule=(),
            headline=f"{words}, at {where} of thread {name}",
            trace=(*self.trace(), TraceStep(thread, instruction.span, words, code=show_instruction(instruction))),
            events=self.events(),
            edges=tuple(dict.fromkeys(self.edges())),
            thread=thread,
            span=instruction.span,
        )

    def race(self) -> Witness:
        first, second = sorted((self.steps[0].source, self.steps[0].target))
        a, b = self.execution.events[first], self.execution.events[second]
        assert b.cell is not None
        does = {"R": "reads", "W": "writes"}
        headline = (
            f"threads {self.thread_name(first)} and {self.thread_name(second)} race on "
            f"{cell_text(self.program, b.cell)}: {self.where(first)} {does[a.kind]} it and {self.where(second)} "
            f"{does[b.kind]} it, and nothing orders the two"
        )
        edges = (*self.edges(), Edge(first, second, "race"))
        return Witness(
            kind=WitnessKind.RACE,
            schedule=(),
            headline=headline,
            trace=tuple(self.trace()),
            events=self.events(),
            edges=tuple(dict.fromkeys(edges)),
            thread=b.thread,
            span=b.span,
        )

    def registers(self, thread: int) -> tuple[str, ...]:
        return self.program.threads[thread].registers

    # The graph

    def events(self) -> tuple[Event, ...]:
        return tuple(
            Event(number, None if event.thread == INIT else event.thread, self.label(number), event.span)
            for number, event in enumerate(self.execution.events)
        )

    def label(self, number: int) -> Label:
        event = self.execution.events[number]
        if event.thread == INIT:
            return Label("W", event.cell, written=event.value)
        order = _order(self.instruction(number), starred=STARRED in event.tags)
        if event.kind == "F":
            return Label("F", order=order)
        if event.kind == "W":
            return Label("W", event.cell, order, written=event.value)
        return Label("R*" if STARRED in event.tags else "R", event.cell, order, read=event.value)

    def instruction(self, number: int) -> Instruction:
        event = self.execution.events[number]
        return self.program.threads[event.thread].code[event.pc]

    def edge(self, step: Step) -> Edge:
        return Edge(step.source, step.target, _SHOWN.get(step.kind, step.kind))

    def edges(self) -> Iterator[Edge]:
        """Those of which all others follow."""
        execution = self.execution
        for thread in range(len(self.program.threads)):
            own = [number for number, event in enumerate(execution.events) if event.thread == thread]
            for first, second in pairwise(own):
                yield Edge(first, second, "po")
        for kind in _DEPENDENCIES:
            for source, row in enumerate(execution.relation(kind).rows):
                targets = list(members(row))
                for target in targets[:1] if kind == "ctrl" else targets:
                    yield Edge(source, target, kind)
        yield from self.picks()
        for source, target in execution.rf.pairs():
            yield Edge(source, target, "rf")
        for relation, kind in ((execution.co, "mo"), (execution.fr, "fr")):
            for source, row in enumerate(relation.rows):
                for first in members(row):
                    if not (~execution.co).rows[first] & row:
                        yield Edge(source, first, kind)

    def picks(self) -> Iterator[Edge]:
        """Dependencies on what only decided which value was taken, where there is no stronger one."""
        relation = self.execution.relation
        picked = relation("pick-addr") | relation("pick-data") | (relation("rmw-ctrl") - relation("amo"))
        kept = picked - relation("addr") - relation("data")
        for source, row in enumerate(kept.rows):
            yield from (Edge(source, target, "pick") for target in members(row))
        for source, row in enumerate((relation("pick-ctrl") - relation("ctrl") - kept).rows):
            yield from (Edge(source, target, "pick") for target in list(members(row))[:1])

    # Words

    def headline(self) -> str:
        facts = list(dict.fromkeys(self.facts()))
        told = facts[0] if len(facts) == 1 else f"{', '.join(facts[:-1])} and {facts[-1]}"
        return f"{told}, which {shown(self.other)} forbids"

    def facts(self) -> Iterator[str]:
        """What the threads see on the circle; if nothing, in which order memory gets their writes."""
        reads = [
            number
            for step in self.steps
            for number in (step.source, step.target)
            if self.execution.events[number].kind == "R"
        ]
        for number in sorted(set(reads)):
            event = self.execution.events[number]
            assert event.cell is not None
            yield f"{self.who(number)} reads {cell_text(self.program, event.cell)} = {event.value}"
        for step in self.steps:
            if not reads and step.kind == "co":
                yield f"{self.write(step.source)} reaches memory before {self.write(step.target)}"
        if not self.steps:
            yield "an execution is found"

    def reasons(self, loose: tuple[Step, ...]) -> Iterator[str]:
        assert self.model is not None
        model = shown(self.model.name)
        for step in loose:
            yield f"{model} does not keep {self.what(step.source)} before {self.what(step.target)}"
        if not loose and kept_by(self.rules, self.execution):
            yield f"{model} keeps each of these in its thread; but a write need not reach all threads at once"

    def repairs(self, loose: tuple[Step, ...]) -> Iterator[Repair]:
        for steps in changes(self.rules, self.execution, loose, self.steps, self.program.isa):
            yield Repair(tuple(self.change(step) for step in steps))

    def change(self, step: Step) -> Change:
        number = step.target
        thread, instruction = self.execution.events[number].thread, self.instruction(number)
        return Change(
            thread,
            instruction.span,
            f"put a full fence ({FULL_FENCE_NAME[self.program.isa]}) before this",
            self.code(number),
        )

    def trace(self) -> Iterator[TraceStep]:
        """The events in an order in which what is read has been written, if there is one; else thread by thread."""
        done = set[int]()
        for number in self.sequence():
            if number in done:
                continue
            event = self.execution.events[number]
            written = next(iter(members(self.execution.relation("amo").rows[number])), None)
            effect = self.effect(number)
            if written is not None:
                done.add(written)
                effect += f" and writes {self.execution.events[written].value}"
            yield TraceStep(event.thread, event.span, effect, number, self.code(number))

    def sequence(self) -> list[int]:
        execution = self.execution
        before = ~(execution.po | execution.rf)
        left = [number for number, event in enumerate(execution.events) if event.thread != INIT]
        order: list[int] = []
        while left:
            ready = [n for n in left if not any(m in left for m in members(before.rows[n]))]
            if not ready:
                return [number for number, event in enumerate(execution.events) if event.thread != INIT]
            mine = [n for n in ready if order and execution.events[n].thread == execution.events[order[-1]].thread]
            order.append((mine or ready)[0])
            left.remove(order[-1])
        return order

    def effect(self, number: int) -> str:
        event = self.execution.events[number]
        if event.kind == "F":
            return "fence"
        assert event.cell is not None
        cell = cell_text(self.program, event.cell)
        if event.kind == "W":
            return f"writes {cell} = {event.value}"
        source = next(iter(members((~self.execution.rf).rows[number])))
        origin = "the initial value" if self.execution.events[source].thread == INIT else f"from {self.who(source)}"
        return f"reads {cell} = {event.value}, {origin}"

    def what(self, number: int) -> str:
        """`the write of x at line 3`"""
        event = self.execution.events[number]
        if event.kind == "F":
            return f"the fence at {self.where(number)}"
        assert event.cell is not None
        kind = "read" if event.kind == "R" else "write"
        return f"the {kind} of {cell_text(self.program, event.cell)} at {self.where(number)}"

    def write(self, number: int) -> str:
        event = self.execution.events[number]
        assert event.cell is not None
        return f"{cell_text(self.program, event.cell)} = {event.value} ({self.who(number)})"

    def who(self, number: int) -> str:
        if self.execution.events[number].thread == INIT:
            return "the initial value"
        return f"{self.where(number)} ({self.thread_name(number)})"

    def thread_name(self, number: int) -> str:
        return self.program.threads[self.execution.events[number].thread].name

    def where(self, number: int) -> str:
        return self.place(self.execution.events[number].thread, self.instruction(number))

    def place(self, thread: int, instruction: Instruction) -> str:
        return show_instruction(instruction) if instruction.span is None else self.lines.where(instruction.span)

    def code(self, number: int) -> str:
        return show_instruction(self.instruction(number))


def _order(instruction: Instruction, *, starred: bool) -> Order | FenceKind | None:
    if isinstance(instruction, Fence):
        return instruction.kind
    if isinstance(instruction, Cas):
        return instruction.failure if starred else instruction.success
    return instruction.order if isinstance(instruction, Access) else None
