"""Robustness against TSO as reachability under SC: one search for all attacks.

Paper: thesis-robustness-tso-power-pgas, sections 6.1 (attacks, Theorem 6.5), 6.2 (the instrumentation, rules 6.1 to
6.11), 6.2.3 (a single query for all attacks). The program runs under SC until some thread, the attacker, delays a
store; from then on its stores go to shadow values. At a load that no delayed store hides it stops, and the other
threads, the helpers, extend a happens-before path from that load until it comes to where the first delayed store goes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import NamedTuple

from fencepost.models.execution import cells
from fencepost.program.analysis.locks import locked_places
from fencepost.program.form import Load, Program, Wait
from fencepost.program.lts import ENDED, Cell, Label, Step, ThreadState, initial_state, steps

from .prepare import flushes
from .tuples import put


class Goal(Enum):
    """What the helpers must reach: a happens-before cycle, or just the race that a cycle begins with.

    A triangular race (Owens, ECOOP 2010) is a load that may overtake an earlier store of its thread, and a store of
    another thread to where it reads. It is looked for on the same instrumentation, so the stores that the load
    overtakes are not seen by others.
    """

    CYCLE = "cycle"
    TRIANGLE = "triangle"


class Mark(IntEnum):
    """What the path has done to a cell, the value at (a, hb)."""

    NONE = 0
    LOAD = 1
    STORE = 2


class Delay(NamedTuple):
    """The attacker, and where its first delayed store goes. `shadow` has a value, or None, for each cell (a, d)."""

    attacker: int
    store: int  # its pc
    cell: int
    shadow: tuple[int | None, ...]
    load: int | None = None  # the pc of the attack's load, once that has been reached
    marks: tuple[Mark, ...] = ()
    block: tuple[Mark, ...] = ()  # what the open block of a helper has done that is not on the path, or not yet
    path: frozenset[int] = frozenset()  # the helpers on it
    goal: bool = False


class State(NamedTuple):
    threads: tuple[ThreadState, ...]
    memory: tuple[int, ...]
    delay: Delay | None = None


@dataclass(frozen=True, slots=True)
class Attack:
    """(thread, store, load), as pcs."""

    attacker: int
    store: int
    load: int


@dataclass(frozen=True, slots=True)
class Search:
    states: int
    attack: Attack | None


def find_attack(program: Program, goal: Goal = Goal.CYCLE) -> Search:
    """Some attack with a TSO witness on the (prepared) program, or none: then it is robust (Theorem 6.10)."""
    system = Instrumented(program, goal)
    start = system.initial()
    seen = {start}
    todo = deque([start])
    while todo:
        for after in system.successors(todo.popleft()):
            delay = after.delay
            if delay is not None and delay.goal and delay.load is not None and system.owner(after) is None:
                return Search(len(seen), Attack(delay.attacker, delay.store, delay.load))
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return Search(len(seen), None)


class Instrumented:
    """The program with the instrumentation of section 6.2, for all attacks at once."""

    def __init__(self, program: Program, goal: Goal) -> None:
        self.program = program
        self.goal = goal
        self.number = {cell: number for number, cell in enumerate(cells(program))}
        self.locked = tuple(map(locked_places, program.threads))

    def initial(self) -> State:
        memory = tuple(self.program.wrap(value) for location in self.program.locations for value in location.initial)
        return State(tuple(map(initial_state, self.program.threads)), memory)

    def owner(self, state: State) -> int | None:
        """The thread that has locked the memory."""
        for thread, local in enumerate(state.threads):
            if local.pc >= 0 and self.locked[thread][local.pc]:
                return thread
        return None

    def successors(self, state: State) -> Iterator[State]:
        for thread in range(len(state.threads)):
            yield from self.moves(state, thread)

    def moves(self, state: State, thread: int) -> Iterator[State]:
        """The states after a step of `thread`."""
        if self.owner(state) not in (None, thread):
            return
        if state.delay is None:
            yield from self.plain(state, thread)
            yield from self.first_delay(state, thread)
        elif thread != state.delay.attacker:
            yield from self.helper(state, thread, state.delay)
        elif state.delay.load is None:
            yield from self.attacker(state, thread, state.delay)

    def plain(self, state: State, thread: int) -> Iterator[State]:
        """A step under SC."""
        for step in self.steps(state, thread):
            yield self.performed(state, thread, step)

    def first_delay(self, state: State, thread: int) -> Iterator[State]:
        """6.1: the attacker delays its first store. Not inside a lock, whose end would flush it before others move."""
        if self.owner(state) is not None:
            return
        for step in self.steps(state, thread):
            if step.label is not None and step.label.kind == "W":
                cell = self.cell(step.label)
                shadow = put((None,) * len(state.memory), cell, step.label.written)
                yield state._replace(
                    threads=put(state.threads, thread, step.after), delay=Delay(thread, step.pc, cell, shadow)
                )

    def attacker(self, state: State, thread: int, delay: Delay) -> Iterator[State]:
        """6.2 to 6.5. There are no steps for what flushes the store buffer."""
        code = self.program.threads[thread].code
        local = state.threads[thread]
        if 0 <= local.pc < len(code) and flushes(code[local.pc]):
            return
        for step in self.steps(state, thread, delay.shadow):
            threads = put(state.threads, thread, step.after)
            label = step.label
            if label is not None and label.kind == "W":  # 6.2
                shadow = put(delay.shadow, self.cell(label), label.written)
                yield state._replace(threads=threads, delay=delay._replace(shadow=shadow))
                continue
            yield state._replace(threads=threads)  # 6.3, 6.4
            if isinstance(code[step.pc], Load | Wait) and label is not None and label.cell is not None:
                cell = self.cell(label)
                if delay.shadow[cell] is None:  # 6.5
                    unmarked = (Mark.NONE,) * len(state.memory)
                    marks = put(unmarked, cell, Mark.LOAD)
                    nothing = (None,) * len(state.memory)
                    stopped = put(state.threads, thread, ThreadState(ENDED, local.registers))
                    after = delay._replace(load=step.pc, marks=marks, block=unmarked, shadow=nothing)
                    yield State(stopped, state.memory, after)

    def helper(self, state: State, thread: int, delay: Delay) -> Iterator[State]:
        """6.7 to 6.11. A locked update is a load and a store at once, and a block under a lock all that it accesses:
        if one access joins the path, so do those before it."""
        for step in self.steps(state, thread):
            after = self.performed(state, thread, step)
            if delay.load is None or step.label is None:
                yield after
                continue
            nothing = (Mark.NONE,) * len(state.memory)
            if step.label.kind == "UNLOCK":
                yield after._replace(delay=delay._replace(block=nothing))
                continue
            if step.label.cell is None:
                yield after
                continue
            cell = self.cell(step.label)
            writes = step.label.written is not None
            mark = delay.marks[cell]
            joins = mark is Mark.STORE or (writes and mark is Mark.LOAD)  # 6.7, 6.8
            done = Mark.STORE if writes else Mark.LOAD
            block = put(delay.block, cell, max(delay.block[cell], done))
            if thread not in delay.path and not joins:
                inside = self.locked[thread][step.pc]
                yield after._replace(delay=delay._replace(block=block)) if inside else after
                continue
            marks = tuple(map(max, delay.marks, block))  # 6.9, 6.10
            goal = delay.goal or self.goal is Goal.TRIANGLE or block[delay.cell] is not Mark.NONE  # 6.6
            on_path = delay._replace(marks=marks, block=nothing, path=delay.path | {thread}, goal=goal)
            yield after._replace(delay=on_path)

    def steps(self, state: State, thread: int, shadow: tuple[int | None, ...] = ()) -> Iterator[Step]:
        """The thread's steps where memory, under the shadow values, is what it reads."""

        def readable(cell: Cell) -> tuple[int]:
            number = self.number[cell]
            hidden = shadow[number] if shadow else None
            return (state.memory[number] if hidden is None else hidden,)

        local = state.threads[thread]
        for step in steps(self.program, self.program.threads[thread], local, readable):
            if step.after.pc != ENDED or not self.locked[thread][local.pc]:  # else it is stuck, and so is the memory
                yield step

    def performed(self, state: State, thread: int, step: Step) -> State:
        memory = state.memory
        if step.label is not None and step.label.written is not None:
            memory = put(memory, self.cell(step.label), step.label.written)
        return state._replace(threads=put(state.threads, thread, step.after), memory=memory)

    def cell(self, label: Label) -> int:
        assert label.cell is not None
        return self.number[label.cell]
