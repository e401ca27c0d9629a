"""Cheapest choices under clauses: 0/1 optimisation, exact and deterministic.

Items are numbers with positive costs. A clause is satisfied if one of its `wanted` items is chosen or one of its
`unwanted` items is not. With no unwanted items this is the minimum-cost hitting set. Branch and bound: what clauses
force is done at once, independent groups of clauses are solved apart, and the bound is what disjoint clauses cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

Choice = frozenset[int]


class Clause(NamedTuple):
    wanted: Choice
    unwanted: Choice = Choice()

    def allows(self, chosen: Choice) -> bool:
        return not self.wanted.isdisjoint(chosen) or not self.unwanted <= chosen


def cheapest(clauses: Iterable[Clause], costs: Sequence[Fraction]) -> Choice | None:
    """A choice of least total cost that satisfies all clauses; None if there is none."""
    found = _solve(_reduced(clauses), costs, None)
    return None if found is None else found[1]


def all_of_cost(clauses: Iterable[Clause], costs: Sequence[Fraction], limit: Fraction) -> Iterator[Choice]:
    """Every choice that satisfies all clauses and costs at most `limit`, which must be the least possible cost."""
    yield from _all(_reduced(clauses), costs, limit, Choice())


def _solve(
    clauses: list[Clause] | None, costs: Sequence[Fraction], below: Fraction | None
) -> tuple[Fraction, Choice] | None:
    """The best choice; None if there is none that costs less than `below`."""
    if clauses is None:
        return None
    forced = Choice()
    while (unit := _forced(clauses)) is not None:
        item, wanted = unit
        forced |= {item} if wanted else Choice()
        rest = _assigned(clauses, item, chosen=wanted)
        if rest is None:
            return None
        clauses = rest
    total = sum((costs[item] for item in forced), Fraction(0))
    for group in _independent(clauses):
        room = None if below is None else below - total
        found = _branch(group, costs, room)
        if found is None:
            return None
        total += found[0]
        forced |= found[1]
    return None if below is not None and total >= below else (total, forced)


def _branch(clauses: list[Clause], costs: Sequence[Fraction], below: Fraction | None) -> tuple[Fraction, Choice] | None:
    pivot = _pivot(clauses)
    if pivot is None:  # choosing nothing more satisfies all
        return Fraction(0), Choice()
    if below is not None and _bound(clauses, costs) >= below:
        return None
    best: tuple[Fraction, Choice] | None = None
    rest: list[Clause] | None = clauses
    for item in _promising(pivot, clauses, costs):
        if rest is None:
            break
        room = None if below is None else below - costs[item]
        found = _solve(_assigned(rest, item, chosen=True), costs, room)
        if found is not None:
            below = found[0] + costs[item]
            best = below, found[1] | {item}
        rest = _assigned(rest, item, chosen=False)
    return best


def _all(clauses: list[Clause] | None, costs: Sequence[Fraction], limit: Fraction, chosen: Choice) -> Iterator[Choice]:
    if clauses is None or _bound(clauses, costs) > limit:
        return
    pivot = _pivot(clauses)
    if pivot is None:
        yield chosen
        return
    rest: list[Clause] | None = clauses
    for item in sorted(pivot.wanted):
        if rest is None:
            return
        yield from _all(_assigned(rest, item, chosen=True), costs, limit - costs[item], chosen | {item})
        rest = _assigned(rest, item, chosen=False)


def _pivot(clauses: Iterable[Clause]) -> Clause | None:
    """A smallest clause that choosing nothing would not satisfy."""
    return min(
        (clause for clause in clauses if not clause.unwanted),
        key=lambda clause: (len(clause.wanted), sorted(clause.wanted)),
        default=None,
    )


def _promising(pivot: Clause, clauses: Iterable[Clause], costs: Sequence[Fraction]) -> list[int]:
    """Its items, those first that satisfy many clauses for their cost."""
    gain = dict.fromkeys(pivot.wanted, 0)
    for clause in clauses:
        if not clause.unwanted:
            for item in clause.wanted & pivot.wanted:
                gain[item] += 1
    return sorted(pivot.wanted, key=lambda item: (costs[item] / gain[item], item))


def _bound(clauses: Iterable[Clause], costs: Sequence[Fraction]) -> Fraction:
    """What clauses that share no item cost at least."""
    total = Fraction(0)
    used: set[int] = set()
    for clause in sorted((c for c in clauses if not c.unwanted), key=lambda c: (len(c.wanted), sorted(c.wanted))):
        if used.isdisjoint(clause.wanted):
            used |= clause.wanted
            total += min(costs[item] for item in clause.wanted)
    return total


def _forced(clauses: Iterable[Clause]) -> tuple[int, bool] | None:
    """An item that a clause leaves no choice about."""
    for wanted, unwanted in clauses:
        if len(wanted) + len(unwanted) == 1:
            return (next(iter(wanted)), True) if wanted else (next(iter(unwanted)), False)
    return None


def _assigned(clauses: Iterable[Clause], item: int, *, chosen: bool) -> list[Clause] | None:
    """The clauses that are left when `item` is decided; None if one cannot be satisfied any more."""
    rest = []
    for wanted, unwanted in clauses:
        if item in (wanted if chosen else unwanted):
            continue
        rest.append(Clause(wanted - {item}, unwanted - {item}))
        if not rest[-1].wanted and not rest[-1].unwanted:
            return None
    return rest


def _reduced(clauses: Iterable[Clause]) -> list[Clause] | None:
    """Without clauses that others imply; None if one is empty."""
    kept: list[Clause] = []
    for clause in sorted(set(clauses), key=lambda c: (len(c.wanted) + len(c.unwanted), sorted(c.wanted))):
        if not clause.wanted and not clause.unwanted:
            return None
        if not any(other.wanted <= clause.wanted and other.unwanted <= clause.unwanted for other in kept):
            kept.append(clause)
    return kept


def _independent(clauses: Iterable[Clause]) -> list[list[Clause]]:
    """Groups of clauses such that no two groups share an item."""
    groups: list[tuple[set[int], list[Clause]]] = []
    for clause in clauses:
        items = set(clause.wanted | clause.unwanted)
        joined = [clause]
        apart = []
        for others, members in groups:
            if items.isdisjoint(others):
                apart.append((others, members))
            else:
                items |= others
                joined = members + joined
        groups = [*apart, (items, joined)]
    return [members for _, members in groups]
