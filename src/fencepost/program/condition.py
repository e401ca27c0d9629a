"""What a litmus test asks about its final states: a proposition over registers and memory, and a quantifier.

A final state is given as a function from what can be observed (`InRegister`, `InMemory`) to its value, so models keep
final states in whatever form they like.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class InRegister:
    """A register of a thread (by its number) at the end of the run, of which the low `bits` count."""

    thread: int
    register: str
    bits: int = 64

    def __str__(self) -> str:
        return f"{self.thread}:{self.register}"


@dataclass(frozen=True, slots=True)
class InMemory:
    """A shared location, or a slot of an array, at the end of the run."""

    location: str
    slot: int | None = None
    bits: int = 64

    def __str__(self) -> str:
        return self.location if self.slot is None else f"{self.location}[{self.slot}]"


Observable = InRegister | InMemory
FinalState = Callable[[Observable], int]


@dataclass(frozen=True, slots=True)
class Equal:
    """Whether `left` holds the same low bits (as many as it has) as `right`."""

    left: Observable
    right: Observable | int


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool


@dataclass(frozen=True, slots=True)
class Not:
    arg: Proposition


@dataclass(frozen=True, slots=True)
class And:
    args: tuple[Proposition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    args: tuple[Proposition, ...]


@dataclass(frozen=True, slots=True)
class Implies:
    premise: Proposition
    conclusion: Proposition


Proposition = Equal | Truth | Not | And | Or | Implies


class Quantifier(Enum):
    EXISTS = "exists"
    NOT_EXISTS = "~exists"
    FORALL = "forall"


class Occurrence(Enum):
    """In which final states a proposition holds (whatever the quantifier): in all, in some but not all, in none."""

    ALWAYS = "Always"
    SOMETIMES = "Sometimes"
    NEVER = "Never"


@dataclass(frozen=True, slots=True)
class Final:
    """The end of a litmus test. Runs whose final state does not satisfy `filter` do not count."""

    quantifier: Quantifier
    proposition: Proposition
    listed: tuple[Observable, ...] = ()  # the `locations` line
    filter: Proposition = Truth(True)

    @property
    def observed(self) -> tuple[Observable, ...]:
        """What the states to report consist of: what the condition speaks of and what is listed, once each."""
        return tuple(dict.fromkeys((*observables(self.proposition), *self.listed, *observables(self.filter))))

    def is_satisfied(self, occurrence: Occurrence) -> bool:
        """Whether the condition, quantifier included, holds."""
        match self.quantifier:
            case Quantifier.EXISTS:
                return occurrence is not Occurrence.NEVER
            case Quantifier.NOT_EXISTS:
                return occurrence is Occurrence.NEVER
            case Quantifier.FORALL:
                return occurrence is Occurrence.ALWAYS


def holds(proposition: Proposition, state: FinalState) -> bool:
    match proposition:
        case Equal(left, right):
            other = right if isinstance(right, int) else state(right)
            return (state(left) - other) % (1 << left.bits) == 0
        case Truth(value):
            return value
        case Not(arg):
            return not holds(arg, state)
        case And(args):
            return all(holds(arg, state) for arg in args)
        case Or(args):
            return any(holds(arg, state) for arg in args)
        case Implies(premise, conclusion):
            return not holds(premise, state) or holds(conclusion, state)


def occurrence(proposition: Proposition, states: Iterable[FinalState]) -> Occurrence:
    """Over no states at all, a proposition never holds."""
    answers = {holds(proposition, state) for state in states}
    if True not in answers:
        return Occurrence.NEVER
    return Occurrence.SOMETIMES if False in answers else Occurrence.ALWAYS


def observables(proposition: Proposition) -> Iterator[Observable]:
    """What `proposition` speaks of, in the order of the text."""
    match proposition:
        case Equal(left, right):
            yield left
            if not isinstance(right, int):
                yield right
        case Not(arg):
            yield from observables(arg)
        case And(args) | Or(args):
            for arg in args:
                yield from observables(arg)
        case Implies(premise, conclusion):
            yield from observables(premise)
            yield from observables(conclusion)


def show(proposition: Proposition, value: Callable[[int], str] = str, level: int = 0) -> str:
    """The proposition as a litmus test has it, with the parentheses that it needs. `value` says what numbers mean."""

    def of(part: Proposition, inner: int = 0) -> str:
        return show(part, value, inner)

    match proposition:
        case Equal(left, right):
            return f"{left}={value(right) if isinstance(right, int) else right}"
        case Truth(truth):
            return "true" if truth else "false"
        case Not(Equal(left, right)):
            return f"{left}!={value(right) if isinstance(right, int) else right}"
        case Not(arg):
            return f"not {of(arg, 3)}"
        case And(args):
            text, mine = " /\\ ".join(of(arg, 3) for arg in args), 2
        case Or(args):
            text, mine = " \\/ ".join(of(arg, 2) for arg in args), 1
        case Implies(premise, conclusion):
            text, mine = f"{of(premise, 1)} => {of(conclusion)}", 0
    return f"({text})" if mine < level else text
