"""What running a program under the sanitizer has shown, as values: reports only phrase them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum

from .symbols import Frame


class Kind(Enum):
    """Of a finding. The order is that of reports: what needs attention most comes first."""

    VIOLATION = "violation"  # an access need not see a write that comes first under SC
    RACE = "race"
    CRASH = "crash"  # the program was ended by a signal
    DEADLOCK = "deadlock"
    FAILURE = "failure"  # the program ended with an exit code other than 0
    HANG = "hang"  # a run came to its time limit, or to its limit of steps
    TROUBLE = "trouble"  # something that the runtime had to say
    BENIGN_WAIT = "benign-wait"  # a violation in a loop that only waits


# These say nothing against the program.
HARMLESS = frozenset({Kind.BENIGN_WAIT, Kind.TROUBLE})


@dataclass(frozen=True, slots=True)
class Setup:
    """What makes a run happen again."""

    schedule: str  # native random pct pos replay exhaustive
    seed: int  # of an exploration of all schedules: which of them
    depth: int = 0
    steps: int = 0
    replay: str | None = None

    @property
    def is_repeatable(self) -> bool:
        return self.schedule != "native"

    def options(self) -> tuple[str, ...]:
        """Of `fencepost run`."""
        if self.replay is not None:
            return ("--replay", self.replay)
        if self.schedule == "native":
            return ("--schedule", "native")
        if self.schedule == "exhaustive":
            return ("--schedule", "exhaustive", "--runs", str(self.seed))
        words: tuple[str, ...] = ("--schedule", self.schedule)
        if self.schedule == "pct":
            words += ("--depth", str(self.depth), "--steps", str(self.steps))
        return (*words, "--seed", str(self.seed), "--runs", "1")


@dataclass(frozen=True, slots=True)
class Event:
    """An access, or another thing that a thread did, with its source."""

    thread: int | None
    what: str
    order: str
    size: int | None
    address: str | None
    value: str | None
    frames: tuple[Frame, ...]
    text: str = ""  # the line of source, if it could be read

    @property
    def frame(self) -> Frame | None:
        """Where the user has to look."""
        return self.frames[0] if self.frames else None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong, once for all the runs in which it was seen."""

    kind: Kind
    headline: str
    setup: Setup  # of the first run in which it was seen
    runs: int  # in how many
    access: Event | None = None  # what could go wrong; of a race, the second access
    missed: Event | None = None  # the write that need not be seen; of a race, the first access
    stale: Event | None = None  # what could be read instead
    path: tuple[Event, ...] = ()  # how the missed write comes before the access under SC, from the one to the other
    threads: tuple[tuple[Event, str], ...] = ()  # of a deadlock: where each is, and what it waits for
    reasons: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    output: str = ""  # the end of what the program wrote in a run that crashed or failed
    schedule_file: str | None = None  # the minimised schedule, if it was asked for
    switches: tuple[int, int] | None = None  # context switches before and after it was minimised
    key: Hashable = field(default=None, compare=False)  # what tells it from others in the records of a run


@dataclass(frozen=True, slots=True)
class Totals:
    runs: int = 0
    seconds: float = 0.0
    steps: int = 0
    endings: dict[str, int] = field(default_factory=dict)  # how many runs ended how: ok, crashed, ...


@dataclass(frozen=True, slots=True)
class RunResult:
    """All runs of one call of `fencepost run`, or what a saved log tells."""

    program: str
    arguments: tuple[str, ...]
    schedule: str
    seed: int | None
    findings: tuple[Finding, ...]
    totals: Totals
    suppressed: int = 0  # findings that a suppression file keeps quiet
    interrupted: bool = False
    planned: int | None = None  # how many runs there were to be
    covered: bool | None = None  # whether these were all schedules that there are; None: that was not the aim
    bounds: tuple[str, ...] = ()  # what the runs would have found, with which probability
    remarks: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        return any(finding.kind not in HARMLESS | {Kind.HANG} for finding in self.findings)

    @property
    def is_inconclusive(self) -> bool:
        """No run came to its end, or some did not, or not all schedules: nothing found means nothing then."""
        return (
            not self.totals.runs or self.covered is False or any(finding.kind is Kind.HANG for finding in self.findings)
        )
