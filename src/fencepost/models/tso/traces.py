"""Happens-before of traces in which a block under a lock is one step, as it is under SC.

The thesis (2.7.2, 7.1.1) has an event for each access of a block. Then happens-before may have no cycle although no run
under SC has this trace: another thread's accesses would have to come in the middle of a block (MODEL.md).
"""

from __future__ import annotations

from fencepost.models.evidence import Link, shortest_cycle
from fencepost.models.execution import Graph
from fencepost.models.relation import Relation


def blocks(graph: Graph) -> Relation:
    """Each access of a block with the others of the same block. The last block of a thread may have no end."""
    pairs: list[tuple[int, int]] = []
    open_block: list[int] | None = None
    for number, (event, label) in enumerate(zip(graph.ids, graph.labels, strict=True)):
        if event.serial == 0 or label.kind == "UNLOCK":
            open_block = None
        if label.kind == "LOCK":
            open_block = []
        elif open_block is not None:
            pairs += [pair for other in open_block for pair in ((other, number), (number, other))]
            open_block.append(number)
    return Relation.of(len(graph.ids), pairs)


def happens_before(graph: Graph) -> Relation:
    """(po | rf | mo | fr | block)+; every access of a block comes before the others of it."""
    return (graph.po | graph.rf | graph.mo | graph.fr | blocks(graph)).plus


def is_serial(graph: Graph) -> bool:
    """Whether some run under SC has this trace: happens-before has no cycle but those inside a block."""
    block = blocks(graph)
    return (((graph.po | graph.rf | graph.mo | graph.fr) - block) @ block.maybe).plus.is_irreflexive()


def cycle(graph: Graph) -> tuple[Link, ...]:
    """A shortest cycle of happens-before that leaves every block; none if the trace is serial."""
    block = blocks(graph)
    apart = tuple(
        (kind, relation - block)
        for kind, relation in (("po", graph.po), ("rf", graph.rf), ("mo", graph.mo), ("fr", graph.fr))
    )
    into = tuple((kind, relation @ block) for kind, relation in apart)
    found = shortest_cycle(graph, (*apart, *into))
    return tuple(step for link in found for step in _steps(graph, dict(apart)[link.kind], block, link))


def _steps(graph: Graph, relation: Relation, block: Relation, link: Link) -> tuple[Link, ...]:
    """The link itself or, if it goes to another access of a block than that which comes after, both steps."""
    source, target = graph.number[link.source], graph.number[link.target]
    if relation.rows[source] >> target & 1:
        return (link,)
    inner = relation.rows[source] & block.rows[target]
    between = graph.ids[(inner & -inner).bit_length() - 1]
    return (Link(link.source, between, link.kind), Link(between, link.target, "block"))
