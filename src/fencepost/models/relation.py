"""Sets of events and relations between them, so that a consistency axiom reads as it is printed.

Events are numbers 0..n-1. A set of events is an int (bit e is set iff e is in it); a relation is one such set of
successors per event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

Events = int


def members(events: Events) -> Iterator[int]:
    """The elements of a set, ascending."""
    while events:
        lowest = events & -events
        yield lowest.bit_length() - 1
        events ^= lowest


def set_of(elements: Iterable[int]) -> Events:
    result = 0
    for element in elements:
        result |= 1 << element
    return result


@dataclass(frozen=True, slots=True)
class Relation:
    """`a @ b` is the composition a;b, `~a` the inverse, `a.plus`, `a.star` and `a.maybe` are a+, a* and a?."""

    rows: tuple[Events, ...]

    @staticmethod
    def of(size: int, pairs: Iterable[tuple[int, int]]) -> Relation:
        rows = [0] * size
        for source, target in pairs:
            rows[source] |= 1 << target
        return Relation(tuple(rows))

    @staticmethod
    def identity(size: int, on: Events) -> Relation:
        """[on]: each event of the set with itself."""
        return Relation(tuple(1 << event & on for event in range(size)))

    def _with(self, other: Relation, combine: Callable[[int, int], int]) -> Relation:
        return Relation(tuple(map(combine, self.rows, other.rows)))

    def __or__(self, other: Relation) -> Relation:
        return self._with(other, int.__or__)

    def __and__(self, other: Relation) -> Relation:
        return self._with(other, int.__and__)

    def __sub__(self, other: Relation) -> Relation:
        return Relation(tuple(mine & ~theirs for mine, theirs in zip(self.rows, other.rows, strict=True)))

    def __matmul__(self, other: Relation) -> Relation:
        return Relation(tuple(other.image(row) for row in self.rows))

    def __invert__(self) -> Relation:
        rows = [0] * len(self.rows)
        for source, row in enumerate(self.rows):
            for target in members(row):
                rows[target] |= 1 << source
        return Relation(tuple(rows))

    @property
    def maybe(self) -> Relation:
        return Relation(tuple(row | 1 << event for event, row in enumerate(self.rows)))

    @property
    def plus(self) -> Relation:
        rows = list(self.rows)  # Warshall: after round k, paths may pass through events 0..k
        for middle in range(len(rows)):
            through = rows[middle]
            if through:
                for event, row in enumerate(rows):
                    if row >> middle & 1:
                        rows[event] = row | through
        return Relation(tuple(rows))

    @property
    def star(self) -> Relation:
        return self.plus.maybe

    def image(self, of: Events) -> Events:
        """The events that the relation reaches from the set."""
        result = 0
        for event in members(of):
            result |= self.rows[event]
        return result

    def domain(self, into: Events = -1) -> Events:
        """dom(self ; [into])"""
        return set_of(event for event, row in enumerate(self.rows) if row & into)

    def is_irreflexive(self) -> bool:
        return not any(row >> event & 1 for event, row in enumerate(self.rows))

    def is_acyclic(self) -> bool:
        return self.plus.is_irreflexive()

    def pairs(self) -> Iterator[tuple[int, int]]:
        for source, row in enumerate(self.rows):
            for target in members(row):
                yield source, target
