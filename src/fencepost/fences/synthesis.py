"""The cheapest repair of a program: check, learn from the violation what every repair must do, choose again.

Implicit hitting sets. The clauses learned so far say what every repair must satisfy at least; a cheapest choice under
them is checked; if it is a repair, none is cheaper, and if not, its violation gives a clause that it does not satisfy.
So every round excludes the choice it began with, for sound reasons only, and the answer is exact for any model: the
learner of a model says what a violation of one choice means for others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from fencepost.verdict.types import CheckResult, NotRobust, Robust, Statistics, Unknown, Witness

from .optimum import Choice, Clause, all_of_cost, cheapest


class Learner(Protocol):
    def learn(self, chosen: Choice, witness: Witness) -> list[Clause]:
        """Clauses that every repair satisfies, and `chosen`, of which `witness` is a violation, does not."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """A cheapest choice that was checked."""

    chosen: Choice


@dataclass(frozen=True, slots=True)
class NoneFound:
    """No choice satisfies what was learned; `witness` is the last violation."""

    witness: Witness | None


@dataclass(frozen=True, slots=True)
class GivenUp:
    reason: str


Answer = Found | NoneFound | GivenUp


@dataclass
class Synthesis:
    """One search. `check` decides the program with the chosen edits."""

    check: Callable[[Choice], CheckResult]
    learner: Learner
    costs: Sequence[Fraction]
    statistics: Statistics = field(default_factory=Statistics)
    checks: int = 0

    def __post_init__(self) -> None:
        self.clauses: list[Clause] = []
        self._repairs: set[Choice] = set()

    def find(self) -> Answer:
        """A choice of least cost; the same one every time."""
        witness: Witness | None = None
        while True:
            chosen = cheapest(self.clauses, self.costs)
            if chosen is None:
                return NoneFound(witness)
            result = self._checked(chosen)
            match result.verdict:
                case Robust():
                    return Found(chosen)
                case Unknown(reason):
                    return GivenUp(reason)
                case NotRobust(witness):
                    self._learn(chosen, witness)

    def count(self, cost: Fraction, most: int) -> tuple[int, bool] | GivenUp:
        """How many choices of the least cost are repairs, up to `most`, each checked; and whether there are more."""
        while True:
            good = 0
            for good, chosen in enumerate(all_of_cost(self.clauses, self.costs, cost), start=1):
                if good > most:
                    return most, True
                if chosen not in self._repairs:
                    verdict = self._checked(chosen).verdict
                    if isinstance(verdict, Unknown):
                        return GivenUp(verdict.reason)
                    if isinstance(verdict, NotRobust):
                        self._learn(chosen, verdict.witness)
                        break
            else:
                return good, False

    def witness_without(self, chosen: Choice, missing: Choice) -> Witness | None:
        """What goes wrong with `chosen` without `missing`; None if that could not be decided."""
        verdict = self._checked(chosen - missing).verdict
        if isinstance(verdict, Robust):
            raise RuntimeError("a part of a cheapest repair can be left out")
        return verdict.witness if isinstance(verdict, NotRobust) else None

    def _learn(self, chosen: Choice, witness: Witness) -> None:
        new = self.learner.learn(chosen, witness)
        if not new or any(clause.allows(chosen) for clause in new):
            raise RuntimeError("nothing was learned from a violation")
        self.clauses += new

    def _checked(self, chosen: Choice) -> CheckResult:
        result = self.check(chosen)
        self.checks += 1
        mine, others = self.statistics, result.statistics
        self.statistics = Statistics(
            mine.states + others.states,
            mine.transitions + others.transitions,
            mine.seconds + others.seconds,
            max(mine.peak_bytes, others.peak_bytes),
            others.workers,
        )
        if isinstance(result.verdict, Robust):
            self._repairs.add(chosen)
        return result
