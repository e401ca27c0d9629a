"""What a search for a repair answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from fencepost.program.form import Program
from fencepost.program.templates import Copies
from fencepost.verdict.types import BusyWait, CheckResult, Notion, Statistics, Witness

from .edits import Edit


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a repair, and what goes wrong without it (all other parts being made)."""

    edits: tuple[Edit, ...]  # an access that becomes both acquire and release is two edits
    what: str  # "make this load acquire"
    cost: Fraction
    without: Witness | None = None  # of the program with all other parts
    hint: str | None = None  # what could be done instead


@dataclass(frozen=True, slots=True)
class Repaired:
    """A cheapest repair; `changes` is empty if the program needs none. It has been checked in the form it has here."""

    changes: tuple[Part, ...]
    cost: Fraction
    program: Program
    text: str | None  # in the language of the input, if it can be said there
    check: CheckResult
    optimal: int | None = None  # how many cheapest repairs there are, if it was asked
    more: bool = False  # there are even more of them


@dataclass(frozen=True, slots=True)
class Unrepairable:
    """No repair of this vocabulary is enough. `witness`: the last violation that was found on the way."""

    reason: str
    witness: Witness | None = None


@dataclass(frozen=True, slots=True)
class Undecided:
    reason: str


Outcome = Repaired | Unrepairable | Undecided


@dataclass(frozen=True, slots=True)
class FenceResult:
    """All that one search for a repair found out."""

    program: Program
    model: str
    notion: Notion
    outcome: Outcome
    cost: str  # of which costs: "size", "frequency" or a file
    candidates: int = 0
    checks: int = 0  # of programs, until the answer was sure
    constraints: int = 0  # what their violations have taught
    statistics: Statistics = field(default_factory=Statistics)  # of all checks together
    busy_waits: tuple[BusyWait, ...] = ()
    warnings: tuple[str, ...] = ()
    file: str | None = None
    copies: Copies = ()  # of each template, where only this instance was asked about
