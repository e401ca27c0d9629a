"""What a check answers: values, never booleans or strings. Unknown is never read as robust."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from typing import cast

from fencepost.models.notions import Notion as Notion
from fencepost.program.form import Program, Span
from fencepost.program.lts import Label
from fencepost.program.templates import Copies


class WitnessKind(Enum):
    STALE_ACCESS = "stale-access"  # an access may see, or follow, a write that SC has already replaced
    STALE_USE = "stale-use"  # the program uses a value that may be stale (observational notion)
    RACE = "race"  # two unordered accesses to a non-atomic location
    ASSERTION = "assertion"  # an assertion fails under SC
    CYCLE = "cycle"  # happens-before has a cycle: a load overtakes a delayed store
    TRIANGULAR_RACE = "triangular-race"  # a load that overtakes a delayed store, and a store to where it reads
    EXECUTION = "execution"  # an execution of the one model that the other forbids
    STATE = "state"  # a thread comes to where it does not come under SC
    DEADLOCK = "deadlock"  # all threads are over or blocked under SC, one of them blocked


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a schedule: a thread runs `instructions` instructions; `choices` resolve the `Choose`s among them.

    `delays`: the thread's stores, from this step on, have not reached memory yet when the schedule ends.
    """

    thread: int
    instructions: int
    choices: tuple[int, ...] = ()
    delays: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """A node of an execution graph. `thread` is None for the initial writes."""

    number: int
    thread: int | None
    label: Label
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    source: int
    target: int
    kind: str  # po rf mo fr, addr data ctrl rmw, and more with other models


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One instruction of the replayed schedule, ready to be read: what it did, in words."""

    thread: int
    span: Span | None
    effect: str  # "reads y = 1"
    event: int | None = None  # number of the event in the graph, if it made one
    code: str = ""  # the instruction, in the words of program.printer


@dataclass(frozen=True, slots=True)
class Change:
    """One edit of the program."""

    thread: int
    span: Span | None
    what: str  # "make this load acquire"
    code: str = ""  # the instruction, in the words of program.printer


@dataclass(frozen=True, slots=True)
class Repair:
    """Changes that together would forbid this witness (not necessarily all others)."""

    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Attack:
    """How a thread's store is overtaken: the pcs of the store, of the load, and of all that it passes in between."""

    thread: int
    store: int
    load: int
    passed: tuple[int, ...]  # from the store on to the load, both included


@dataclass(frozen=True, slots=True)
class Witness:
    """An execution that shows the verdict. It has been replayed by the reading version when it exists.

    `events` and `edges` are the graph that the weak model allows, with the offending event last; `cycle` lists the
    edges (also in `edges`) that SC cannot order; it is empty for races, assertions and deadlocks.
    """

    kind: WitnessKind
    schedule: tuple[Move, ...]
    headline: str  # one sentence: what goes wrong
    trace: tuple[TraceStep, ...]
    reasons: tuple[str, ...] = ()  # why the weak model allows it, and why SC does not; one sentence each
    repairs: tuple[Repair, ...] = ()
    events: tuple[Event, ...] = ()
    edges: tuple[Edge, ...] = ()
    cycle: tuple[Edge, ...] = ()
    confirmed: bool = True  # False: by a check that is sound and not complete, so it may be a false alarm
    thread: int | None = None  # the thread and the place of the offending instruction
    span: Span | None = None
    attack: Attack | None = None  # where a store is overtaken
    copies: Copies = ()  # it is an execution of this instance of a program with templates
    axiom: str | None = None  # of the stronger model, which the execution violates


@dataclass(frozen=True, slots=True)
class Robust:
    coverage: str  # what was searched, in words: "all reachable states", ...


@dataclass(frozen=True, slots=True)
class NotRobust:
    witness: Witness


@dataclass(frozen=True, slots=True)
class Unknown:
    reason: str
    stopped: bool = field(default=False, compare=False)  # by the user, who does not want anything else searched
    unsupported: bool = field(default=False, compare=False)  # by this engine; another one may do better


Verdict = Robust | NotRobust | Unknown


class Answer(Enum):
    """Of a side question that the same search decides."""

    HOLD = "hold"
    FAIL = "fail"
    UNKNOWN = "unknown"


class Agreement(Enum):
    """Of the answer with the verdict that the source file itself announces for this question."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NONE = "none"  # the file announces nothing here, or the answer is Unknown


@dataclass(frozen=True, slots=True)
class Statistics:
    states: int = 0
    transitions: int = 0
    seconds: float = 0.0
    peak_bytes: int = 0
    workers: int = 1
    executions: int = 0  # execution graphs, if they were enumerated


@dataclass(frozen=True, slots=True)
class BusyWait:
    """A loop that only waits, and was treated as blocking."""

    thread: int
    span: Span | None
    what: str  # "load of x until r == 0"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """All that one check found out."""

    program: Program
    model: str
    against: str
    notion: Notion
    verdict: Verdict
    assertions: Answer = Answer.UNKNOWN  # under `against`
    races: Answer = Answer.UNKNOWN  # HOLD: no race; FAIL: a race
    assertion_witness: Witness | None = None
    deadlock: Witness | None = None
    busy_waits: tuple[BusyWait, ...] = ()
    statistics: Statistics = field(default_factory=Statistics)
    warnings: tuple[str, ...] = ()
    expectation: Agreement = Agreement.NONE
    file: str | None = None  # where the program was read from
    copies: Copies = ()  # `program` is this instance of one with templates

    def _repr_svg_(self) -> str:
        """The picture, for Jupyter, which asks values themselves."""
        return cast(str, import_module("fencepost.reports.svg").render(self))
