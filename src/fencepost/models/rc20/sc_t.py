"""SC_T: sequential consistency on execution graphs, looking for non-robustness witnesses.

Paper: observational-robustness-rc20, Def 4.5 and 4.14 (witnesses), Fig 4 (the memory system), section 6 (races).
In the printed figure several `?` are lost: `dom(hb_SC ; [E^t])` and `dom(rf? ; hb ; [E^t])` mean hb_SC? and hb?
(compare Def 4.5), or a thread would not know of its own last write. MODEL.md lists the differences.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from fencepost.models.execution import INIT, EventId, Graph
from fencepost.models.generation import Generated, initial, require_loop_free, take, thread_steps
from fencepost.models.notions import Notion
from fencepost.models.sc.reading import hb_sc
from fencepost.program.form import Program
from fencepost.program.lts import Cell, Label, Step, enabled_steps
from fencepost.program.orders import Order

from .lower import encode, split_non_atomics
from .reading import hb, rf_without

Taint = frozenset[EventId]
NOTHING: Taint = frozenset()


@dataclass(frozen=True, slots=True)
class State:
    """A state of Pr || SC_T: program, graph and dependency store, and the tainted reads."""

    generated: Generated
    tainted: Taint = NOTHING

    @property
    def graph(self) -> Graph:
        return self.generated.graph


@dataclass(frozen=True, slots=True)
class Violation:
    """Why SC_T enters its error state from `state`, on `step` of `thread`."""

    state: State
    thread: int
    step: Step
    stale: EventId | None = None  # ERR-SC: the older write that may still be read, or followed
    used: Taint = NOTHING  # ERR-DEP: the tainted reads on which the step depends


@dataclass(frozen=True, slots=True)
class Found:
    """A violation and the run to it: one (thread, choice) per instruction of the encoded program."""

    violation: Violation
    run: tuple[tuple[int, int], ...]


# What a thread is aware of


def sc_before(graph: Graph, thread: int) -> int:
    """dom(hb_SC? ; [E^thread])"""
    return hb_sc(graph).maybe.domain(graph.of_thread(thread))


def aware_of(graph: Graph, thread: int, tainted: Taint = NOTHING) -> int:
    """dom(rf_T? ; hb_T? ; [E^thread])"""
    taint = graph.numbers(tainted)
    return (rf_without(graph, taint).maybe @ hb(graph, taint).maybe).domain(graph.of_thread(thread))


def stale_writes(graph: Graph, thread: int, cell: Cell, tainted: Taint = NOTHING) -> list[EventId]:
    """The writes to `cell`, but the newest, that are not in dom(mo ; rf_T? ; hb_T? ; [E^thread]): still visible."""
    overwritten = graph.mo.domain(aware_of(graph, thread, tainted))
    return [write for write in graph.writes(cell)[:-1] if not overwritten >> graph.number[write] & 1]


def can_be_followed(graph: Graph, write: EventId) -> bool:
    """Not in dom(rf ; [RMW]): atomicity lets another write directly follow it."""
    return not graph.rf.rows[graph.number[write]] & graph.of_kind("RMW")


# Errors


def err_sc(state: State, thread: int, label: Label) -> Iterator[EventId]:
    """ERR-SC, and the last conditions of Def 4.5: the stale writes that `label` may read or directly follow."""
    graph = state.graph
    if label.cell is None or not sc_before(graph, thread) >> graph.number[graph.newest(label.cell)] & 1:
        return
    for write in stale_writes(graph, thread, label.cell, state.tainted):
        if label.kind in ("W", "RMW") and not can_be_followed(graph, write):
            continue
        if label.kind in ("RMW", "R*") and graph.written(write) != label.read:
            continue
        yield write


def err_dep(program: Program, state: State, thread: int, step: Step) -> Taint:
    """ERR-DEP: the tainted reads that `step` uses. (A plain read uses registers only in an array index.)"""
    if step.label is None:
        return NOTHING
    return state.tainted & state.generated.origins_of(program, thread, step.reads)


def err_race(state: State, thread: int, label: Label) -> bool:
    """The additional error of SC_T^na: a non-atomic access that is not aware of the newest write.

    Every thread is aware of the initial writes, also one that has no events yet (the printed rule forgets that).
    """
    if label.order is not Order.NON_ATOMIC or label.cell is None:
        return False
    newest = state.graph.newest(label.cell)
    known = aware_of(state.graph, thread, state.tainted)
    return newest.thread != INIT and not known >> state.graph.number[newest] & 1


def violations(program: Program, state: State, notion: Notion) -> Iterator[Violation]:
    """All errors that SC_T may enter from `state`.

    For plain robustness, plain reads are checked like the others (Def 4.5), and nothing is ever tainted.
    """
    for thread, code in enumerate(program.threads):
        for step in enabled_steps(program, code, state.generated.threads[thread]):
            if used := err_dep(program, state, thread, step):
                yield Violation(state, thread, step, used=used)
            if step.label is not None and (step.label.kind != "R" or notion is Notion.ROBUST):
                for write in err_sc(state, thread, step.label):
                    yield Violation(state, thread, step, stale=write)


def race_violations(program: Program, state: State) -> Iterator[Violation]:
    for thread, code in enumerate(program.threads):
        for step in enabled_steps(program, code, state.generated.threads[thread]):
            if step.label is not None and err_race(state, thread, step.label):
                yield Violation(state, thread, step)


# Steps


def reads_tainted(state: State, thread: int, label: Label) -> bool:
    """Which of the rules READ and TAINT-READ applies to a plain read."""
    if label.kind != "R" or label.cell is None:
        return False
    newest = state.graph.number[state.graph.newest(label.cell)]
    known = aware_of(state.graph, thread, state.tainted)
    return bool(sc_before(state.graph, thread) >> newest & 1 and not known >> newest & 1)


def steps_of(program: Program, state: State, thread: int, notion: Notion) -> Iterator[tuple[Step, State]]:
    """The steps of one thread that are no errors: reads see the newest write, and writes go last."""
    graph = state.graph

    def readable(cell: Cell) -> Iterable[int]:
        return (graph.written(graph.newest(cell)),)

    for step in thread_steps(program, state.generated, thread, readable):
        tainted = state.tainted
        at = None
        if step.label is not None and step.label.cell is not None:
            at = graph.newest(step.label.cell)
            if notion is Notion.OBSERVATIONAL and reads_tainted(state, thread, step.label):
                tainted |= {graph.next_id(thread)}
        yield step, State(take(program, state.generated, thread, step, at), tainted)


def steps(program: Program, state: State, notion: Notion) -> Iterator[tuple[int, Step, State]]:
    """The steps of Pr || SC_T that are no errors."""
    for thread in range(len(program.threads)):
        for step, following in steps_of(program, state, thread, notion):
            yield thread, step, following


# Searches


def _first(program: Program, notion: Notion, errors: Callable[[State], Iterator[Violation]]) -> Found | None:
    """The first error along shortest runs."""
    require_loop_free(program)
    start = State(initial(program))
    seen = {start}
    todo: deque[tuple[State, tuple[tuple[int, int], ...]]] = deque([(start, ())])
    while todo:
        state, run = todo.popleft()
        violation = next(errors(state), None)
        if violation is not None:
            return Found(violation, run)
        for thread, step, following in steps(program, state, notion):
            if following not in seen:
                seen.add(following)
                todo.append((following, (*run, (thread, step.choice))))
    return None


def find_witness(program: Program, notion: Notion) -> Found | None:
    """A non-robustness witness (Def 4.5), or a non-observational-robustness witness (Def 4.14, Thm 5.2)."""
    encoded = encode(program)
    return _first(encoded, notion, lambda state: violations(encoded, state, notion))


def find_race(program: Program, notion: Notion) -> Found | None:
    """The error that section 6 adds to SC_T, on trans(program): the run is one of trans(program)."""
    split = split_non_atomics(encode(program))
    return _first(split, notion, lambda state: race_violations(split, state))
