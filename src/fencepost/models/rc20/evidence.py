"""From an error of SC_T to an execution that RC20 allows and SC does not, by the definitions alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, product

from fencepost.models.evidence import Evidence, shortest_cycle
from fencepost.models.execution import EventId, Graph
from fencepost.models.generation import initial
from fencepost.models.notions import Notion
from fencepost.models.relation import Relation
from fencepost.models.sc.reading import is_sc_consistent
from fencepost.program.form import Program, Wait
from fencepost.program.lts import Step, enabled_steps

from . import sc_t
from .gaps import gaps
from .lower import is_hidden as is_hidden
from .reading import hb, hb_sc_dp, is_rc20_consistent
from .repairs import repairs as repairs

Run = Iterable[tuple[int, int]]  # the thread of each instruction, and which alternative it takes

_MOST_GRAPHS = 64  # ways to give tainted reads stale values that are tried


def explain(kind: str, program: Program, run: Run, thread: int, notion: Notion) -> Evidence | None:
    """What is wrong with the next step of `thread` after `run`; None if nothing is. `kind`: of a violation."""
    find = {"stale-access": stale_access, "stale-use": stale_use, "race": race}[kind]
    return find(program, run, thread, notion)


def stale_access(program: Program, run: Run, thread: int, notion: Notion) -> Evidence | None:
    """ERR-SC for the next step of `thread`: the graph in which it reads, or directly follows, an older write."""
    state = _after(program, run, notion)
    doubtful: Evidence | None = None
    for step in _enabled(program, state, thread):
        label = step.label
        if label is None or label.cell is None or (label.kind == "R" and notion is Notion.OBSERVATIONAL):
            continue
        origins = state.generated.origins_of(program, thread, step.reads)
        offending, newest = state.graph.next_id(thread), state.graph.newest(label.cell)
        under_sc = state.graph.add(thread, replace(label, read=_read_under_sc(state, step)), origins, newest)
        for write in sc_t.err_sc(state, thread, label):
            if label.kind == "R" and label.read != state.graph.written(write):
                continue  # of the values that the program would accept, the one that is there
            found = Evidence(under_sc, offending, write, newest, state.tainted)
            for graph in _with_stale_reads(state, thread):
                weak = graph.add(thread, label, origins, write)
                if _is_violation(weak, notion):
                    return _shown(found, weak, notion)
                doubtful = _doubtful(doubtful, found, weak)
            doubtful = doubtful or replace(found, confirmed=False)
    return doubtful if notion is Notion.OBSERVATIONAL else None  # Thm 4.6: otherwise a witness is a violation


def stale_use(program: Program, run: Run, thread: int, notion: Notion) -> Evidence | None:
    """ERR-DEP for the next step of `thread`: the graph in which the reads that it uses read older writes."""
    state = _after(program, run, notion)
    doubtful: Evidence | None = None
    for step in _enabled(program, state, thread):
        used = sc_t.err_dep(program, state, thread, step)
        if not used or step.label is None:
            continue
        cell = step.label.cell
        at = None if cell is None else state.graph.newest(cell)
        origins = state.generated.origins_of(program, thread, step.reads)
        read = min(used)
        found = Evidence(
            state.graph.add(thread, replace(step.label, read=_read_under_sc(state, step)), origins, at),
            state.graph.next_id(thread),
            newest=state.graph.event(read).source,
            tainted=state.tainted,
            used=used,
        )
        waits_in_vain = step.label.kind == "CTRL" and isinstance(program.threads[thread].code[step.pc], Wait)
        if waits_in_vain or (at is not None and step.label.read not in (None, state.graph.written(at))):
            # The program would use them if the memory, or they, held another value: an error of SC_T all the same.
            doubtful = doubtful or replace(found, confirmed=False)
            continue
        for graph in _with_stale_reads(state, thread):
            weak = graph.add(thread, step.label, origins, at)
            shown = replace(found, stale=weak.event(read).source)
            if _is_violation(weak, notion):
                return _shown(shown, weak, notion)
            doubtful = _doubtful(doubtful, shown, weak)
        doubtful = doubtful or replace(found, confirmed=False)
    return doubtful


def race(program: Program, run: Run, thread: int, notion: Notion) -> Evidence | None:
    """Def 6.1 for the next step of `thread`: an earlier access that it conflicts with and that is not ordered."""
    state = _after(program, run, notion)
    for step in _enabled(program, state, thread):
        label = step.label
        if label is None or label.cell is None:
            continue
        newest = state.graph.newest(label.cell)
        if label.read is not None and label.read != state.graph.written(newest):
            continue
        origins = state.generated.origins_of(program, thread, step.reads)
        graph = state.graph.add(thread, label, origins, newest)
        offending = state.graph.next_id(thread)
        number = graph.number[offending]
        before = hb(graph, graph.numbers(state.tainted))
        for other in reversed(graph.ids):
            theirs = graph.label(other)
            conflicting = theirs.cell == label.cell and "W" in (theirs.kind, label.kind) and other.thread != thread
            if conflicting and other.thread >= 0 and not before.rows[graph.number[other]] >> number & 1:
                return Evidence(graph, offending, racing=other, tainted=state.tainted)
    return None


def _after(program: Program, run: Run, notion: Notion) -> sc_t.State:
    """The state of SC_T after a run that SC allows."""
    state = sc_t.State(initial(program))
    for thread, choice in run:
        state = next(after for step, after in sc_t.steps_of(program, state, thread, notion) if step.choice == choice)
    return state


def _enabled(program: Program, state: sc_t.State, thread: int) -> Iterator[Step]:
    """Every next step of `thread`, whatever the memory holds."""
    return enabled_steps(program, program.threads[thread], state.generated.threads[thread])


def _read_under_sc(state: sc_t.State, step: Step) -> int | None:
    assert step.label is not None
    if step.label.read is None or step.label.cell is None:
        return None
    return state.graph.written(state.graph.newest(step.label.cell))


def _with_stale_reads(state: sc_t.State, thread: int) -> Iterator[Graph]:
    """`state`'s graph, with its tainted reads reading older writes in all ways (up to a number) that RC20 allows."""
    tainted = sorted(state.tainted)
    if not tainted:
        yield state.graph
        return
    for sources in islice(product(*(_older(state.graph, read) for read in tainted)), _MOST_GRAPHS):
        graph = state.graph
        for read, write in zip(tainted, sources, strict=True):
            graph = _reading_from(graph, read, write)
        if is_rc20_consistent(graph):
            yield graph


def _older(graph: Graph, read: EventId) -> tuple[EventId, ...]:
    """The writes before the one that `read` reads, the newest of them first."""
    event = graph.event(read)
    assert event.label.cell is not None
    assert event.source is not None
    writes = graph.writes(event.label.cell)
    return writes[: writes.index(event.source)][::-1]


def _reading_from(graph: Graph, read: EventId, write: EventId) -> Graph:
    event = graph.event(read)
    moved = replace(event, label=replace(event.label, read=graph.written(write)), source=write)
    events = graph.threads[read.thread]
    own = (*events[: read.serial], moved, *events[read.serial + 1 :])
    return replace(graph, threads=(*graph.threads[: read.thread], own, *graph.threads[read.thread + 1 :]))


def _is_violation(graph: Graph, notion: Notion) -> bool:
    """Def 4.1 or 4.9, for one graph."""
    strange = not is_sc_consistent(graph) if notion is Notion.ROBUST else not hb_sc_dp(graph).is_irreflexive()
    return strange and is_rc20_consistent(graph)


def _shown(found: Evidence, graph: Graph, notion: Notion) -> Evidence:
    """The evidence with a graph that SC does not have, and why RC20 has it."""
    ordering = _ordering(graph, notion)
    cycle = shortest_cycle(graph, ordering)
    return replace(
        found, graph=graph, ordering=ordering, gaps=tuple(gaps(graph, cycle, found.tainted | {found.offending}))
    )


def _doubtful(known: Evidence | None, found: Evidence, graph: Graph) -> Evidence | None:
    """Where the notion is not violated: a graph that SC does not have, which the program may not be able to tell."""
    if (known is None or not known.ordering) and _is_violation(graph, Notion.ROBUST):
        return replace(_shown(found, graph, Notion.ROBUST), confirmed=False)
    return known


def _ordering(graph: Graph, notion: Notion) -> tuple[tuple[str, Relation], ...]:
    """The relations whose union (hb_SC, or hb_SC^dp) has a cycle."""
    fr = graph.fr
    if notion is Notion.OBSERVATIONAL:
        fr = graph.only(graph.dp.domain() | graph.of_kind("R*", "RMW")) @ fr
    return ("po", graph.po), ("rf", graph.rf), ("mo", graph.mo), ("fr", fr)
