"""RC20 as it is printed: relations, consistency, and the three questions asked of all its graphs.

Paper: observational-robustness-rc20, sections 3 to 6. Everything here enumerates graphs, so it is slow and needs
loop-free programs: it is what the fast monitors are compared with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fencepost.models.execution import Graph
from fencepost.models.generation import Generated, generated, is_complete
from fencepost.models.relation import Events, Relation
from fencepost.models.sc.reading import is_sc_consistent
from fencepost.program.form import Program
from fencepost.program.lts import FAILED, Label
from fencepost.program.orders import FenceKind, Order

from .lower import encode

_ACQUIRES = frozenset({Order.ACQUIRE, Order.ACQ_REL, FenceKind.ACQUIRE, FenceKind.ACQ_REL})
_RELEASES = frozenset({Order.RELEASE, Order.ACQ_REL, FenceKind.RELEASE, FenceKind.ACQ_REL})


def acquires(label: Label) -> bool:
    """mod(label) is at least acq"""
    return label.order in _ACQUIRES


def releases(label: Label) -> bool:
    """mod(label) is at least rel"""
    return label.order in _RELEASES


# Relations. `tainted` is the set T of Def 4.13: reads through which nothing synchronises.


def rf_without(graph: Graph, tainted: Events) -> Relation:
    """rf ; [Event \\ T]"""
    return graph.rf @ graph.only(~tainted)


def sw(graph: Graph, tainted: Events = 0) -> Relation:
    """synchronizes-with: [rel] ; ([F];po)? ; rf+ ; (po;[F])? ; [acq]"""
    release, acquire = graph.only(graph.where(releases)), graph.only(graph.where(acquires))
    fence = graph.only(graph.of_kind("F"))
    rf = rf_without(graph, tainted)
    return release @ (fence @ graph.po).maybe @ rf.plus @ (graph.po @ fence).maybe @ acquire


def hb(graph: Graph, tainted: Events = 0) -> Relation:
    """happens-before: (po | sw)+"""
    return (graph.po | sw(graph, tainted)).plus


def hb_sc_dp(graph: Graph) -> Relation:
    """SC-happens-before without the from-reads of reads on which nothing depends (section 4.1)."""
    relevant = graph.dp.domain() | graph.of_kind("R*")
    fr_dp = graph.only(relevant) @ graph.fr
    return (graph.po | graph.rf | graph.mo | fr_dp).plus


# Consistency (Def 3.5)


def write_coherence(graph: Graph, before: Relation) -> bool:
    """mo ; rf? ; hb? is irreflexive (`before` is hb)"""
    return (graph.mo @ graph.rf.maybe @ before.maybe).is_irreflexive()


def read_coherence(graph: Graph, before: Relation) -> bool:
    """fr ; rf? ; hb is irreflexive"""
    return (graph.fr @ graph.rf.maybe @ before).is_irreflexive()


def atomicity(graph: Graph) -> bool:
    return (graph.fr @ graph.mo).is_irreflexive()


def po_rf(graph: Graph) -> bool:
    return (graph.po | graph.rf).is_acyclic()


def is_rc20_consistent(graph: Graph) -> bool:
    before = hb(graph)
    return write_coherence(graph, before) and read_coherence(graph, before) and atomicity(graph) and po_rf(graph)


# Races (Def 6.1)


def races(graph: Graph) -> Iterator[tuple[int, int]]:
    """Pairs of events, by number: in conflict, unordered by hb, one of them non-atomic."""
    before = hb(graph)
    labels = graph.labels
    accesses = [number for number, label in enumerate(labels) if label.cell is not None]
    for b in accesses:
        for a in accesses[: accesses.index(b)]:
            conflicting = labels[a].cell == labels[b].cell and "W" in (labels[a].kind, labels[b].kind)
            ordered = before.rows[a] >> b & 1 or before.rows[b] >> a & 1
            if conflicting and not ordered and Order.NON_ATOMIC in (labels[a].order, labels[b].order):
                yield a, b


# Questions about programs


@dataclass(frozen=True, slots=True)
class Graphs:
    """How many RC20-consistent graphs a program generates (by prefixes of runs), each counted once."""

    consistent: int
    sc_consistent: int  # how many of them are SC-consistent
    complete: int  # how many belong to runs in which every thread is over
    complete_sc: int


def rc20_states(program: Program) -> Iterator[Generated]:
    """All states of Pr || FG with an RC20-consistent graph."""
    return generated(encode(program), is_rc20_consistent)


def graphs(program: Program) -> Graphs:
    program = encode(program)
    is_full: dict[Graph, bool] = {}
    for state in rc20_states(program):
        is_full[state.graph] = is_full.get(state.graph, False) or is_complete(program, state)
    sc = {graph for graph in is_full if is_sc_consistent(graph)}
    full = {graph for graph in is_full if is_full[graph]}
    return Graphs(len(is_full), len(sc), len(full), len(full & sc))


def is_robust(program: Program) -> bool:
    """Def 4.1: every RC20-consistent graph is SC-consistent."""
    return all(is_sc_consistent(state.graph) for state in rc20_states(program))


def is_observationally_robust(program: Program) -> bool:
    """Def 4.9: hb_SC^dp is irreflexive in every RC20-consistent graph."""
    return all(hb_sc_dp(state.graph).is_irreflexive() for state in rc20_states(program))


def has_race(program: Program) -> bool:
    """Def 6.2 (ii): some RC20-consistent graph is racy."""
    return any(True for state in rc20_states(program) for _ in races(state.graph))


def may_fail(program: Program) -> bool:
    """Def 3.12: some RC20-consistent graph is generated with an assertion failed."""
    return any(thread.pc == FAILED for state in rc20_states(program) for thread in state.threads)
