"""The execution graphs of a program: the memory system FG (observational-robustness-rc20, Def 3.8 to 3.11).

FG lets every read see every write and every write take any place, and records dependencies; a model then keeps the
graphs that it calls consistent. All models here are closed under prefixes (in po and rf), so inconsistent graphs need
not be extended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

from fencepost.program.form import Program, successors
from fencepost.program.lts import Cell, Step, ThreadState, initial_state, is_over, steps

from .execution import READS, EventId, Graph, initial_graph

Origins = frozenset[EventId]


class LoopError(ValueError):
    """The program has a loop, so its graphs may be infinitely many."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A state of Pr || FG. `origins` is the dependency store: the reads behind each register of each thread."""

    threads: tuple[ThreadState, ...]
    graph: Graph
    origins: tuple[tuple[Origins, ...], ...]

    def origins_of(self, program: Program, thread: int, registers: Iterable[str]) -> Origins:
        """psi(registers)"""
        names = program.threads[thread].registers
        return reduce(Origins.union, (self.origins[thread][names.index(name)] for name in registers), Origins())


def require_loop_free(program: Program) -> None:
    for thread in program.threads:
        for pc in range(len(thread.code)):
            if any(target <= pc for target in successors(thread.code, pc)):
                raise LoopError(f"thread {thread.name} jumps backwards from instruction {pc}")


def initial(program: Program) -> Generated:
    origins = tuple((Origins(),) * len(thread.registers) for thread in program.threads)
    return Generated(tuple(map(initial_state, program.threads)), initial_graph(program), origins)


def is_complete(program: Program, state: Generated) -> bool:
    """Whether every thread is over."""
    return all(map(is_over, program.threads, state.threads))


def take(program: Program, state: Generated, thread: int, step: Step, at: EventId | None) -> Generated:
    """The step of FG for `step` of `thread`, which reads from, or writes directly after, `at`."""
    behind = state.origins_of(program, thread, step.reads)
    graph = state.graph
    if step.label is not None:
        graph = graph.add(thread, step.label, behind, at)
        behind = Origins({state.graph.next_id(thread)})
    origins = state.origins
    if step.writes is not None:
        place = program.threads[thread].registers.index(step.writes)
        mine = (*origins[thread][:place], behind, *origins[thread][place + 1 :])
        origins = (*origins[:thread], mine, *origins[thread + 1 :])
    threads = (*state.threads[:thread], step.after, *state.threads[thread + 1 :])
    return Generated(threads, graph, origins)


def thread_steps(
    program: Program, state: Generated, thread: int, readable: Callable[[Cell], Iterable[int]]
) -> Iterator[Step]:
    return steps(program, program.threads[thread], state.threads[thread], readable)


def silent_step(program: Program, state: Generated) -> Generated | None:
    """A silent step that some thread is about to take. It commutes with other threads' steps, so it may go first."""
    for thread in range(len(program.threads)):
        for step in thread_steps(program, state, thread, lambda cell: ()):
            if step.label is None:
                return take(program, state, thread, step, None)
    return None


def free_steps(program: Program, state: Generated) -> Iterator[Generated]:
    """All steps of Pr || FG that are not silent."""
    graph = state.graph

    def readable(cell: Cell) -> Iterable[int]:
        return dict.fromkeys(map(graph.written, graph.writes(cell)))

    for thread in range(len(program.threads)):
        for step in thread_steps(program, state, thread, readable):
            label = step.label
            if label is None or label.cell is None:
                yield take(program, state, thread, step, None)
                continue
            for write in graph.writes(label.cell):
                if label.kind not in READS or graph.written(write) == label.read:
                    yield take(program, state, thread, step, write)


def settled(program: Program, state: Generated) -> Generated:
    """`state` after all silent steps that its threads are about to take."""
    while (following := silent_step(program, state)) is not None:
        state = following
    return state


def generated(program: Program, consistent: Callable[[Graph], bool]) -> Iterator[Generated]:
    """Every reachable state of Pr || FG whose graph is consistent, once. Different states may share a graph."""
    require_loop_free(program)
    start = settled(program, initial(program))
    known: dict[Graph, bool] = {}
    seen = {start}
    todo = [start]
    while todo:
        state = todo.pop()
        if state.graph not in known:
            known[state.graph] = consistent(state.graph)
        if not known[state.graph]:
            continue
        yield state
        for following in free_steps(program, state):
            following = settled(program, following)
            if following not in seen:
                seen.add(following)
                todo.append(following)
