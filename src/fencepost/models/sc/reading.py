"""Sequential consistency, twice: as an axiom on execution graphs, and by interleaving.

Paper: observational-robustness-rc20, Def 2.8 (the memory system SC), 2.9 (failing) and 3.7 (SC-consistency).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from fencepost.models.execution import Graph, cells
from fencepost.models.relation import Relation
from fencepost.program.form import Program
from fencepost.program.lts import FAILED, Cell, Step, ThreadState, initial_state, is_over, steps, without_reservation


def hb_sc(graph: Graph) -> Relation:
    """SC-happens-before: (po | rf | mo | fr)+"""
    return (graph.po | graph.rf | graph.mo | graph.fr).plus


def is_sc_consistent(graph: Graph) -> bool:
    """Def 3.7"""
    return hb_sc(graph).is_irreflexive()


@dataclass(frozen=True, slots=True)
class State:
    """A state of Pr || SC."""

    threads: tuple[ThreadState, ...]
    memory: tuple[int, ...]  # in the order of `cells(program)`


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What the interleavings of a program lead to."""

    states: int
    final: frozenset[State]  # every thread is over
    blocked: frozenset[State]  # no thread can move, and one is not over
    failures: frozenset[tuple[int, int]]  # (thread, instruction) of the assertions that fail in some run


def initial(program: Program) -> State:
    memory = tuple(program.wrap(value) for location in program.locations for value in location.initial)
    return State(tuple(map(initial_state, program.threads)), memory)


def sc_steps(program: Program, state: State) -> Iterator[tuple[int, Step, State]]:
    """The steps of Pr || SC: (thread, step, state after)."""
    places = {cell: place for place, cell in enumerate(cells(program))}

    def readable(cell: Cell) -> tuple[int]:
        return (state.memory[places[cell]],)

    for thread, code in enumerate(program.threads):
        for step in steps(program, code, state.threads[thread], readable):
            memory, others = state.memory, list(state.threads)
            if step.label is not None and step.label.cell is not None and step.label.written is not None:
                place = places[step.label.cell]
                memory = (*memory[:place], step.label.written, *memory[place + 1 :])
                others = [
                    without_reservation(program, program.threads[other], theirs, step.label.cell)
                    for other, theirs in enumerate(others)
                ]
            threads = (*others[:thread], step.after, *others[thread + 1 :])
            yield thread, step, State(threads, memory)


def outcomes(program: Program) -> Outcomes:
    """All interleavings. Loops are fine: the states are finitely many."""
    start = initial(program)
    seen = {start}
    todo = deque([start])
    final: set[State] = set()
    blocked: set[State] = set()
    failures: set[tuple[int, int]] = set()
    while todo:
        state = todo.popleft()
        following = list(sc_steps(program, state))
        if not following:
            over = all(map(is_over, program.threads, state.threads))
            (final if over else blocked).add(state)
        for thread, step, after in following:
            if step.after.pc == FAILED:
                failures.add((thread, step.pc))
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return Outcomes(len(seen), frozenset(final), frozenset(blocked), frozenset(failures))
