"""Why RC20 allows an execution: the steps of the cycle by which it orders nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fencepost.models.evidence import Gap, Link
from fencepost.models.execution import EventId, Graph

from .reading import acquires, hb, releases

_NO_RELEASE = "the write is no release"
_NO_ACQUIRE = "the read is no acquire"
_ONLY_VALUE = "so the value arrives, and nothing of what came before it"


def gaps(graph: Graph, cycle: Iterable[Link], stale: frozenset[EventId]) -> Iterator[Gap]:
    """The links of the cycle that are not in hb, and why; without those from the `stale` events, which follow."""
    before = hb(graph)
    for link in cycle:
        source, target = graph.number[link.source], graph.number[link.target]
        if before.rows[source] >> target & 1 or link.source in stale:
            continue
        if link.kind == "rf":
            yield Gap(link, _unsynchronised(graph, source, target))
        else:
            yield Gap(
                link, "which orders nothing: only an acquire that reads from a release does, or a pair of SC fences"
            )


def _unsynchronised(graph: Graph, write: int, read: int) -> str:
    """What the write and the read lack for a synchronises-with edge (see `reading.sw`)."""
    fences, po = graph.of_kind("F"), graph.po
    may_release = 1 << write | (~po).rows[write] & fences
    may_acquire = 1 << read | po.rows[read] & fences
    lacks = [
        why
        for why, events, has in ((_NO_RELEASE, may_release, releases), (_NO_ACQUIRE, may_acquire, acquires))
        if not events & graph.where(has)
    ]
    return f"but {' and '.join(lacks)}, {_ONLY_VALUE}"
