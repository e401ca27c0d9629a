"""State-robustness (thesis-robustness-tso-power-pgas, section 2.6, Problem 2.10), with a bound on the store buffers.

All states of the store-buffer machine are enumerated; a program is state-robust if each of its threads comes, in final
states, only to control states to which it comes under SC. The bound makes the machine finite. Control states are those
of an automaton, where the input has them, else every instruction, the end of a thread, and failed assertions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from fencepost.models.computation import Did, InvalidWitnessError
from fencepost.models.reached import Arrival, Reached, Visit
from fencepost.program.form import Choose, Jump, OutOfRangeError, Program, Store
from fencepost.program.lts import FAILED

from .evidence import described
from .machine import Action, Machine, State

Watch = Callable[[int], bool]  # told how many states there are; whether to go on


def search(program: Program, buffer: int, watch: Watch) -> Reached:
    """First all of SC, then TSO until a thread comes to where it did not."""
    interesting = control_states(program)
    under_sc = _Exploration(program, 0, watch)
    expected: set[Visit] = set()
    for state in under_sc.states():
        expected |= _visits(state, interesting)
    failed = any(pc == FAILED for _, pc in expected)
    if under_sc.left or under_sc.stopped:
        return Reached(len(under_sc.parents), failed, None, left=under_sc.left, stopped=under_sc.stopped)
    under_tso = _Exploration(program, buffer, watch, len(under_sc.parents))
    arrival = None
    for state in under_tso.states():
        if under_tso.is_settled(state) and (new := _visits(state, interesting) - expected):
            arrival = _arrival(program, under_tso.actions(state), min(new))
            break
    states = len(under_sc.parents) + len(under_tso.parents)
    found = under_tso
    return Reached(states, failed, arrival, found.longest, found.bounded, found.left, found.stopped)


def control_states(program: Program) -> tuple[frozenset[int], ...]:
    """For each thread, the pcs that count."""
    return tuple(
        frozenset(pc for pc, _ in thread.places)
        or frozenset({FAILED, len(thread.code)} | {pc for pc, i in enumerate(thread.code) if not isinstance(i, Jump)})
        for thread in program.threads
    )


def _visits(state: State, interesting: tuple[frozenset[int], ...]) -> set[Visit]:
    return {(thread, local.pc) for thread, local in enumerate(state.threads) if local.pc in interesting[thread]}


@dataclass
class _Exploration:
    """All states, breadth first. With a bound of 0, stores reach memory at once: this is SC."""

    program: Program
    bound: int
    watch: Watch
    before: int = 0  # states of earlier searches, for `watch`
    parents: dict[State, tuple[State, tuple[Action, ...]] | None] = field(default_factory=dict)
    longest: int = 0
    bounded: bool = False
    left: bool = False
    stopped: bool = False

    def states(self) -> Iterator[State]:
        self.machine = Machine(self.program, traces=False)
        start = self.machine.initial()
        self.parents[start] = None
        yield start
        todo = deque([start])
        while todo:
            if not self.watch(self.before + len(self.parents)):
                self.stopped = True
                return
            state = todo.popleft()
            for actions, after in self.successors(state):
                if after not in self.parents:
                    self.parents[after] = state, actions
                    todo.append(after)
                    yield after

    def successors(self, state: State) -> Iterator[tuple[tuple[Action, ...], State]]:
        machine = self.machine
        owner = machine.owner(state)
        for thread in range(len(state.threads)) if owner is None else (owner,):
            if state.buffers[thread]:
                yield (Action(thread, flush=True),), machine.flushed(state, thread)
            if self.is_full(state, thread):
                self.bounded = True
                continue
            try:
                steps = list(machine.steps(state, thread))
            except OutOfRangeError:
                self.left = True
                continue
            for step in steps:
                after = machine.taken(state, thread, step)
                action = Action(thread, choice=step.choice)
                if self.bound == 0 and after.buffers[thread]:
                    yield (action, Action(thread, flush=True)), machine.flushed(after, thread)
                    continue
                self.longest = max(self.longest, len(after.buffers[thread]))
                yield (action,), after

    def is_full(self, state: State, thread: int) -> bool:
        pc = state.threads[thread].pc
        code = self.program.threads[thread].code
        storing = 0 <= pc < len(code) and isinstance(code[pc], Store)
        return storing and 0 < self.bound <= len(state.buffers[thread])

    def is_settled(self, state: State) -> bool:
        """Whether the computation can end in a final state with every thread where it is: buffers can be emptied."""
        owner = self.machine.owner(state)
        return owner is None or not any(buffer for thread, buffer in enumerate(state.buffers) if thread != owner)

    def actions(self, state: State) -> list[Action]:
        found: list[Action] = []
        while (came := self.parents[state]) is not None:
            state, actions = came
            found += reversed(actions)
        return found[::-1]


def _arrival(program: Program, actions: list[Action], where: Visit) -> Arrival:
    """The same computation, run again with its trace; at its end all buffers are emptied."""
    machine = Machine(program)
    state = machine.initial()
    done: list[Did] = []
    moves: list[tuple[int, int, tuple[int, ...]]] = []

    def take(action: Action) -> None:
        nonlocal state
        after = machine.after(state, action)
        if after is None:
            raise InvalidWitnessError("a step cannot be taken again")
        done.append(described(machine, state, action, after))
        pc = state.threads[action.thread].pc
        choosing = not action.flush and isinstance(program.threads[action.thread].code[pc], Choose)
        moves.append((action.thread, 0 if action.flush else 1, (action.choice,) if choosing else ()))
        state = after

    for action in actions:
        take(action)
    for thread in range(len(state.threads)):
        while state.buffers[thread]:
            take(Action(thread, flush=True))
    if state.threads[where[0]].pc != where[1] or not state.is_final:
        raise InvalidWitnessError("the thread does not come to where it should")
    return Arrival(where, tuple(moves), tuple(_without_waits(done)), machine.trace(state))


def _without_waits(done: list[Did]) -> Iterator[Did]:
    """Stores that reach memory at once do not wait in a buffer: there is nothing to tell."""
    for before, did in pairwise([None, *done]):
        if did is not None and (did.step is not None or before is None or before.event != did.event):
            yield did
