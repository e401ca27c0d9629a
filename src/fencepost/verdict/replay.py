"""Witnesses: what the search found, run again by code that did not find it, and then put into words.

A schedule is followed step by step on execution graphs, with the transition system that the definitions use. What is
said to be wrong after it must be wrong by the model's definition; if not, that is a fault of fencepost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fencepost.models.evidence import Evidence
from fencepost.models.execution import EventId
from fencepost.models.generation import Generated, initial, take, thread_steps
from fencepost.models.registry import ModelInfo
from fencepost.program.form import Choose, Program
from fencepost.program.lts import FAILED, Cell, Step, is_over

from .explain import describe
from .types import Move, Notion, Witness, WitnessKind


class ReplayError(RuntimeError):
    """A witness of the search that the definitions do not confirm: an error of fencepost, never of the program."""


@dataclass(frozen=True, slots=True)
class Taken:
    """One instruction of the run: which, and the event that it made."""

    thread: int
    step: Step
    event: EventId | None


@dataclass(frozen=True, slots=True)
class Run:
    """A run of the program under SC."""

    program: Program
    state: Generated
    taken: tuple[Taken, ...]

    @property
    def choices(self) -> tuple[tuple[int, int], ...]:
        """The thread of each instruction, and which alternative it takes."""
        return tuple((taken.thread, taken.step.choice) for taken in self.taken)


def witness(
    program: Program, schedule: Sequence[Move], thread: int, kind: WitnessKind, info: ModelInfo, notion: Notion
) -> Witness:
    """The witness with this schedule. `thread` is the one whose next instruction is at fault. Raises ReplayError."""
    run = follow(program, schedule)
    match kind:
        case WitnessKind.ASSERTION:
            run = _failing(run, thread)
            evidence = None
        case WitnessKind.DEADLOCK:
            thread = _blocked(run)
            evidence = None
        case _:
            evidence = _evidence(run, thread, kind, info, notion)
    return describe(run.program, run.state, run.taken, tuple(schedule), thread, kind, info, evidence)


def follow(program: Program, schedule: Sequence[Move]) -> Run:
    """Runs a schedule under SC: reads see the newest write, and writes go last."""
    state, taken = initial(program), []
    for number, move in enumerate(schedule):
        choices = iter(move.choices)
        for _ in range(move.instructions):
            pc = state.threads[move.thread].pc
            code = program.threads[move.thread].code
            choosing = 0 <= pc < len(code) and isinstance(code[pc], Choose)
            choice = next(choices, None) if choosing else 0
            following = None if choice is None else _step(program, state, move.thread, choice)
            if following is None:
                name = program.threads[move.thread].name
                raise ReplayError(f"step {number + 1}: thread {name} cannot run instruction {pc}")
            done, state = following
            taken.append(done)
    return Run(program, state, tuple(taken))


def _step(program: Program, state: Generated, thread: int, choice: int) -> tuple[Taken, Generated] | None:
    graph = state.graph

    def newest(cell: Cell) -> tuple[int]:
        return (graph.written(graph.newest(cell)),)

    for step in thread_steps(program, state, thread, newest):
        if step.choice == choice:
            cell = None if step.label is None else step.label.cell
            event = None if step.label is None else graph.next_id(thread)
            at = None if cell is None else graph.newest(cell)
            return Taken(thread, step, event), take(program, state, thread, step, at)
    return None


def _failing(run: Run, thread: int) -> Run:
    """The run with the step of `thread` that fails."""
    following = _step(run.program, run.state, thread, 0)
    if following is None or following[0].step.after.pc != FAILED:
        raise ReplayError(f"thread {run.program.threads[thread].name} does not fail")
    return Run(run.program, following[1], (*run.taken, following[0]))


def _blocked(run: Run) -> int:
    """A thread that waits, after a run after which no thread can move."""
    threads = range(len(run.program.threads))
    moving = [thread for thread in threads if _step(run.program, run.state, thread, 0)]
    waiting = [t for t in threads if not is_over(run.program.threads[t], run.state.threads[t])]
    if moving or not waiting:
        raise ReplayError("this is no deadlock")
    return waiting[0]


def _evidence(run: Run, thread: int, kind: WitnessKind, info: ModelInfo, notion: Notion) -> Evidence:
    evidence = info.explain(kind.value, run.program, run.choices, thread, notion)
    if evidence is None:
        raise ReplayError(f"thread {run.program.threads[thread].name} has no {kind.value} after the schedule")
    return evidence
