"""SC_M: sequential consistency with a finite monitor that has the same errors as SC_T.

Paper: observational-robustness-rc20, section 5.2, Fig 5 (repaired: MODEL.md) and section 6. It works on programs with
loops: its states are finitely many.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from fencepost.models.execution import WRITES, cells
from fencepost.models.notions import Notion
from fencepost.program.form import Program
from fencepost.program.lts import Cell, Label, Step, ThreadState, enabled_steps, initial_state
from fencepost.program.lts import steps as thread_steps
from fencepost.program.orders import Order

from .lower import encode, split_non_atomics
from .views import (
    PLAIN,
    RMW_TWIN,
    ScViews,
    Views,
    after_access,
    after_access_sc,
    after_fence,
    initial_sc_views,
    initial_views,
)

Register = tuple[int, str]  # of which thread


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A state of Pr || SC_M: program, M, R_taint, V_SC, V and its RMW twin."""

    threads: tuple[ThreadState, ...]
    memory: dict[Cell, int]
    tainted: frozenset[Register]
    sc: ScViews
    views: Views
    rmw_views: Views

    def key(self) -> object:
        """Equal for equal states."""
        memory = frozenset(self.memory.items())
        return self.threads, memory, self.tainted, self.sc.key(), self.views.key(), self.rmw_views.key()


@dataclass(frozen=True, slots=True)
class Violation:
    """The error that SC_M enters on `step` of `thread`, and the run to it: a (thread, choice) per instruction."""

    thread: int
    step: Step
    run: tuple[tuple[int, int], ...]


def initial(program: Program) -> State:
    everything = cells(program)
    values = (program.wrap(value) for location in program.locations for value in location.initial)
    count = len(program.threads)
    return State(
        tuple(map(initial_state, program.threads)),
        dict(zip(everything, values, strict=True)),
        frozenset(),
        initial_sc_views(count, everything),
        initial_views(count, everything),
        initial_views(count, everything),
    )


# Errors


def err_sc(state: State, t: int, label: Label) -> bool:
    """ERR-SC; a plain read is checked like R* of any value (Cor 5.8; only for plain robustness)."""
    x = label.cell
    if x is None or x not in state.sc.thread[t]:
        return False
    match label.kind:
        case "W":
            return bool(state.rmw_views.current[t, x])
        case "RMW":
            return label.read in state.rmw_views.current[t, x]
        case "R*":
            return label.read in state.views.current[t, x]
    return bool(state.views.current[t, x])


def err_dep(state: State, t: int, step: Step) -> bool:
    """ERR-DEP"""
    return step.label is not None and not state.tainted.isdisjoint((t, register) for register in step.reads)


def err_race(state: State, t: int, label: Label) -> bool:
    """The additional error of SC_M^na (section 6)."""
    return label.order is Order.NON_ATOMIC and label.cell is not None and bool(state.views.current[t, label.cell])


def _enabled(program: Program, state: State) -> Iterator[tuple[int, Step]]:
    """Every step that the program enables, whatever the memory holds."""
    for t, thread in enumerate(program.threads):
        for step in enabled_steps(program, thread, state.threads[t]):
            yield t, step


def errors(program: Program, state: State, notion: Notion) -> Iterator[tuple[int, Step]]:
    for t, step in _enabled(program, state):
        checked = step.label is not None and (step.label.kind != "R" or notion is Notion.ROBUST)
        if err_dep(state, t, step) or (checked and step.label is not None and err_sc(state, t, step.label)):
            yield t, step


def race_errors(program: Program, state: State) -> Iterator[tuple[int, Step]]:
    for t, step in _enabled(program, state):
        if step.label is not None and err_race(state, t, step.label):
            yield t, step


# Steps


def reads_tainted(state: State, t: int, label: Label) -> bool:
    """Which of the rules READ and TAINT-READ applies to a plain read."""
    x = label.cell
    return label.kind == "R" and x is not None and x in state.sc.thread[t] and bool(state.views.current[t, x])


def take(state: State, t: int, step: Step, notion: Notion) -> State:
    """The monitor's state after `step` of thread t, which SC allows in `state`."""
    label = step.label
    threads = (*state.threads[:t], step.after, *state.threads[t + 1 :])
    moved = replace(state, threads=threads)
    out = frozenset[Register]() if step.writes is None else frozenset({(t, step.writes)})
    if label is None:  # SILENT
        used = {(t, register) for register in step.reads}
        return replace(moved, tainted=state.tainted | out if used & state.tainted else state.tainted - out)
    if label.kind == "CTRL":
        return moved
    if label.kind == "F":
        return replace(
            moved, views=after_fence(state.views, t, label), rmw_views=after_fence(state.rmw_views, t, label)
        )
    assert label.cell is not None
    old = state.memory[label.cell]
    moved = replace(moved, sc=after_access_sc(state.sc, t, label))
    if notion is Notion.OBSERVATIONAL and reads_tainted(state, t, label):  # TAINT-READ: the views stay as they are
        return replace(moved, tainted=state.tainted | out)
    memory = state.memory
    if label.kind in WRITES and label.written is not None:
        memory = {**memory, label.cell: label.written}
    return replace(
        moved,
        memory=memory,
        tainted=state.tainted - out,
        views=after_access(state.views, PLAIN, t, label, old),
        rmw_views=after_access(state.rmw_views, RMW_TWIN, t, label, old),
    )


def steps(program: Program, state: State, notion: Notion) -> Iterator[tuple[int, Step, State]]:
    """All steps of Pr || SC_M that are no errors."""

    def readable(cell: Cell) -> Iterable[int]:
        return (state.memory[cell],)

    for t, thread in enumerate(program.threads):
        for step in thread_steps(program, thread, state.threads[t], readable):
            yield t, step, take(state, t, step, notion)


def follow(program: Program, run: Iterable[tuple[int, int]], notion: Notion) -> State:
    """The state after a run: for each instruction, which thread runs it and which target a Choose takes."""
    state = initial(program)
    for thread, choice in run:
        taken = (s for t, step, s in steps(program, state, notion) if (t, step.choice) == (thread, choice))
        state = next(taken)
    return state


# Searches


def _first(program: Program, notion: Notion, wrong: Callable[[State], Iterator[tuple[int, Step]]]) -> Violation | None:
    """The first error along shortest runs."""
    start = initial(program)
    seen = {start.key()}
    todo: deque[tuple[State, tuple[tuple[int, int], ...]]] = deque([(start, ())])
    while todo:
        state, run = todo.popleft()
        for thread, step in wrong(state):
            return Violation(thread, step, run)
        for thread, step, following in steps(program, state, notion):
            key = following.key()
            if key not in seen:
                seen.add(key)
                todo.append((following, (*run, (thread, step.choice))))
    return None


def find_violation(program: Program, notion: Notion) -> Violation | None:
    """Cor 5.6 (observational) and 5.8 (robust). The run is one of encode(program)."""
    encoded = encode(program)
    return _first(encoded, notion, lambda state: errors(encoded, state, notion))


def find_race(program: Program, notion: Notion) -> Violation | None:
    """Cor 6.6: the run is one of the split program."""
    split = split_non_atomics(encode(program))
    return _first(split, notion, lambda state: race_errors(split, state))
