"""What a litmus test does under SC, by interleaving: its final states, and its execution graphs.

Slow and obvious: the oracle for the front ends of litmus tests, and for what enumerates graphs in earnest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fencepost.models.execution import cells
from fencepost.models.generation import require_loop_free
from fencepost.program.condition import FinalState, InRegister, Observable, Occurrence, holds, occurrence
from fencepost.program.form import Program
from fencepost.program.lts import FAILED, Cell, Step

from .reading import State, initial, sc_steps


class FaultError(ValueError):
    """The program accesses an address at which there is no location."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`states` are the final states that pass the filter, as values of `observed`."""

    observed: tuple[Observable, ...]
    states: frozenset[tuple[int, ...]]
    occurrence: Occurrence


def answer(program: Program) -> Answer:
    """What the condition of `program` says of its SC runs. Loops are fine: the states are finitely many."""
    if program.final is None:
        raise ValueError("the program asks nothing about its final states")
    observed = program.final.observed
    states: set[tuple[int, ...]] = set()
    values: dict[tuple[int, ...], FinalState] = {}
    for state in _ends(program):
        value = observer(program, state)
        if holds(program.final.filter, value):
            seen = tuple(map(value, observed))
            states.add(seen)
            values[seen] = value
    return Answer(observed, frozenset(states), occurrence(program.final.proposition, values.values()))


def observer(program: Program, state: State) -> FinalState:
    """The values in a state, by what is observed."""
    places = {cell: place for place, cell in enumerate(cells(program))}

    def value(what: Observable) -> int:
        if isinstance(what, InRegister):
            return state.threads[what.thread].registers[program.threads[what.thread].registers.index(what.register)]
        return state.memory[places[Cell(what.location, what.slot or 0)]]

    return value


def _ends(program: Program) -> Iterator[State]:
    start = initial(program)
    seen = {start}
    todo = [start]
    while todo:
        state = todo.pop()
        following = _following(program, state)
        if not following:
            yield state
        for _, step, after in following:
            _require_no_fault(step)
            if after not in seen:
                seen.add(after)
                todo.append(after)


def _following(program: Program, state: State) -> list[tuple[int, Step, State]]:
    """The steps from `state`; one alone if it touches no memory and has no alternative, as it commutes with all."""
    following = list(sc_steps(program, state))
    for thread, step, after in following:
        if (step.label is None or step.label.cell is None) and sum(other == thread for other, _, _ in following) == 1:
            return [(thread, step, after)]
    return following


def _require_no_fault(step: Step) -> None:
    if step.after.pc == FAILED:
        raise FaultError(f"instruction {step.pc} accesses no location")


_Write = tuple[int, int]  # thread and serial number; thread -1 for the initial write


@dataclass(frozen=True, slots=True)
class _Run:
    """A state of the interleaving machine with the graph that led there."""

    state: State
    newest: tuple[tuple[_Write, ...], ...]  # the writes to each cell, oldest first
    events: tuple[tuple[tuple[_Write | None, int], ...], ...]  # of each thread: what it reads from, which choice


def executions(program: Program) -> int:
    """How many execution graphs the SC runs of a loop-free program have."""
    require_loop_free(program)
    places = {cell: place for place, cell in enumerate(cells(program))}
    start = _Run(initial(program), (((-1, 0),),) * len(places), ((),) * len(program.threads))
    seen = {start}
    todo = [start]
    complete: set[_Run] = set()
    while todo:
        run = todo.pop()
        following = _following(program, run.state)
        if not following:
            complete.add(run)
        for thread, step, after in following:
            _require_no_fault(step)
            next_run = _extended(run, places, thread, step, after)
            if next_run not in seen:
                seen.add(next_run)
                todo.append(next_run)
    return len(complete)


def _extended(run: _Run, places: dict[Cell, int], thread: int, step: Step, after: State) -> _Run:
    label = step.label
    source: _Write | None = None
    newest = run.newest
    mine = run.events[thread]
    if label is not None and label.cell is not None:
        place = places[label.cell]
        if label.read is not None:
            source = newest[place][-1]
        if label.written is not None:
            writes = (*newest[place], (thread, len(mine)))
            newest = (*newest[:place], writes, *newest[place + 1 :])
        mine = (*mine, (source, step.choice))
    elif step.choice or label is not None:
        mine = (*mine, (None, step.choice))
    return _Run(after, newest, (*run.events[:thread], mine, *run.events[thread + 1 :]))
