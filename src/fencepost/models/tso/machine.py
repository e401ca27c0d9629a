"""TSO as a machine with store buffers, and the traces of its computations.

Paper: thesis-robustness-tso-power-pgas, section 2.4.2 (Table 2.2: the rules), 2.7.2 (traces), 2.8 (robustness), 7.1.1
(locks). Programs are those that `prepare` yields.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from fencepost.models.execution import INIT, Event, EventId, Graph, cells, initial_graph
from fencepost.models.generation import require_loop_free
from fencepost.program.analysis.locks import locked_places
from fencepost.program.form import Assert, Assign, Assume, Branch, Choose, Jump, Program, Use
from fencepost.program.lts import ENDED, Cell, Label, Step, ThreadState, initial_state, steps

from .prepare import flushes
from .traces import is_serial
from .tuples import put

_LOCAL = (Assign, Branch, Jump, Choose, Assume, Assert, Use)


class Buffered(NamedTuple):
    """A store on its way to memory."""

    event: EventId
    cell: int
    value: int


class Action(NamedTuple):
    """What a thread does: its next instruction (`choice` where there is one), or a flush of its oldest store."""

    thread: int
    flush: bool = False
    choice: int = 0


class State(NamedTuple):
    """`order` are the stores that have reached each cell, oldest first; `events` what each thread did, and from where
    it read."""

    threads: tuple[ThreadState, ...]
    buffers: tuple[tuple[Buffered, ...], ...]
    memory: tuple[int, ...]
    order: tuple[tuple[EventId, ...], ...]
    events: tuple[tuple[tuple[Label, EventId | None], ...], ...]

    @property
    def is_final(self) -> bool:
        """F_tso: every store has reached memory."""
        return not any(self.buffers)


class Machine:
    """X_tso(P). `order` and `events` are what traces are made of; a machine without traces leaves them out."""

    def __init__(self, program: Program, *, traces: bool = True) -> None:
        self.program = program
        self.traces = traces
        self.cells = cells(program)
        self.number = {cell: number for number, cell in enumerate(self.cells)}
        self.locked = tuple(map(locked_places, program.threads))

    def initial(self) -> State:
        program = self.program
        memory = tuple(program.wrap(value) for location in program.locations for value in location.initial)
        order = tuple((EventId(INIT, cell),) for cell in range(len(memory)))
        nothing = ((),) * len(program.threads)
        return State(tuple(map(initial_state, program.threads)), nothing, memory, order if self.traces else (), nothing)

    def successors(self, state: State) -> Iterator[tuple[Action, State]]:
        owner = self.owner(state)
        for thread in range(len(state.threads)):
            if owner is None or owner == thread:
                if state.buffers[thread]:
                    yield Action(thread, flush=True), self.flushed(state, thread)
                for step in self.steps(state, thread):
                    yield Action(thread, choice=step.choice), self.taken(state, thread, step)

    def after(self, state: State, action: Action) -> State | None:
        """The state after one action; None if it is not enabled."""
        return next((after for enabled, after in self.successors(state) if enabled == action), None)

    def owner(self, state: State) -> int | None:
        """The thread that has locked the memory: the others wait."""
        for thread, (places, local) in enumerate(zip(self.locked, state.threads, strict=True)):
            if local.pc >= 0 and places[local.pc]:
                return thread
        return None

    def steps(self, state: State, thread: int) -> Iterator[Step]:
        """The instructions that `thread` can execute now (but for the lock of another thread)."""
        code, local = self.program.threads[thread], state.threads[thread]
        if not 0 <= local.pc < len(code.code):
            return
        if flushes(code.code[local.pc]) and state.buffers[thread]:
            return

        def readable(cell: Cell) -> tuple[int]:
            return (self.seen(state, thread, self.number[cell])[0],)

        for step in steps(self.program, code, local, readable):
            if step.after.pc != ENDED or not self.locked[thread][local.pc]:  # else it is stuck, and so is the memory
                yield step

    def local_steps(self, state: State) -> list[State]:
        """The local steps of one thread that is about to make some: they concern nobody else, so they can go first."""
        for thread, (code, local) in enumerate(zip(self.program.threads, state.threads, strict=True)):
            if 0 <= local.pc < len(code.code) and isinstance(code.code[local.pc], _LOCAL):
                return [self.taken(state, thread, step) for step in self.steps(state, thread)]
        return []

    def seen(self, state: State, thread: int, cell: int) -> tuple[int, EventId | None]:
        """What `thread` reads from `cell`: its own newest store there, an early read, or else the memory."""
        for store in reversed(state.buffers[thread]):
            if store.cell == cell:
                return store.value, store.event
        return state.memory[cell], state.order[cell][-1] if self.traces else None

    def taken(self, state: State, thread: int, step: Step) -> State:
        label = step.label
        threads = put(state.threads, thread, step.after)
        if label is None or label.kind == "CTRL":
            return state._replace(threads=threads)
        event = EventId(thread, len(state.events[thread]))
        source = None
        buffers, memory, order, events = state.buffers, state.memory, state.order, state.events
        if label.cell is not None:
            cell = self.number[label.cell]
            if label.read is not None:
                source = self.seen(state, thread, cell)[1]
            if label.written is not None and label.kind == "W":
                buffers = put(buffers, thread, (*buffers[thread], Buffered(event, cell, label.written)))
            elif label.written is not None:  # locked: straight to memory
                memory = put(memory, cell, label.written)
                order = put(order, cell, (*order[cell], event)) if self.traces else ()
        if self.traces:
            events = put(events, thread, (*events[thread], (label, source)))
        return State(threads, buffers, memory, order, events)

    def flushed(self, state: State, thread: int) -> State:
        (event, cell, value), *rest = state.buffers[thread]
        return state._replace(
            buffers=put(state.buffers, thread, tuple(rest)),
            memory=put(state.memory, cell, value),
            order=put(state.order, cell, (*state.order[cell], event)) if self.traces else (),
        )

    def trace(self, state: State) -> Graph:
        """The trace of the computation that led to this final state: po, co = mo, src = rf, cf = fr."""
        events = tuple(tuple(Event(label, source=source) for label, source in thread) for thread in state.events)
        return Graph(initial_graph(self.program).initial, events, state.order)


@dataclass(frozen=True, slots=True)
class Computations:
    """What all TSO computations of a program together show. `violation` is a final state whose trace has a cycle."""

    states: int
    traces: int  # of computations that cannot go on
    violation: State | None


def computations(program: Program) -> Computations:
    """All computations of a loop-free program: it is robust iff none of them has a cyclic happens-before relation.

    A block under a lock is one step of happens-before (`traces`). A cycle, once there, stays; so it is enough to look
    where no thread can go on. Where a thread is stuck inside a lock and others still have buffered stores, no final
    state follows, and what was possible before it was seen before.
    """
    require_loop_free(program)
    machine = Machine(program)
    start = machine.initial()
    seen = {start}
    todo = [start]
    traces: set[tuple[object, object]] = set()
    violation = None
    while todo:
        state = todo.pop()
        enabled = machine.local_steps(state) or [after for _, after in machine.successors(state)]
        if state.is_final and (not enabled or machine.owner(state) is not None):
            if not enabled:
                traces.add((state.order, state.events))
            if violation is None and not is_serial(machine.trace(state)):
                violation = state
        for after in enabled:
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return Computations(len(seen), len(traces), violation)
