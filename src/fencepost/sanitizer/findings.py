"""From the records of many runs to findings: each once, with source lines, reasons and advice."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from . import advice
from .records import Access, Blocked, Deadlock, Place, Race, Record, Trouble, Violation
from .results import Event, Finding, Kind, Setup
from .server import RunOutcome, signal_name
from .suppressions import Suppressions
from .symbols import Symboliser, source_line
from .wording import source


@dataclass(slots=True)
class _Seen:
    """A record, and the runs in which one like it was seen."""

    key: Hashable
    record: Record | RunOutcome
    setup: Setup
    runs: int = 0
    last_run: int = -1


class Findings:
    """Collects. What is kept grows with the number of different findings, not with that of runs."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, _Seen] = {}
        self._run = 0
        self.suppressed_by_runtime = 0

    def add(self, outcome: RunOutcome) -> bool:
        """Takes what a run has shown. Returns whether there was something that says anything against the program."""
        self._run += 1
        found = False
        for key, record in _keyed(outcome):
            if isinstance(record, (Violation, Race)) and record.suppressed:
                self.suppressed_by_runtime += 1
                continue
            self._count(key, record, outcome)
            harmless = isinstance(record, Trouble) or (isinstance(record, Violation) and record.benign)
            found = found or not harmless
        return found

    @staticmethod
    def keys_of(outcome: RunOutcome) -> set[Hashable]:
        """What a run has shown, to be compared with the `key` of findings."""
        return {key for key, _ in _keyed(outcome)}

    def _count(self, key: Hashable, record: Record | RunOutcome, outcome: RunOutcome) -> None:
        seen = self._seen.setdefault(key, _Seen(key, record, outcome.setup))
        if seen.last_run != self._run:
            seen.last_run = self._run
            seen.runs += 1

    def __len__(self) -> int:
        return len(self._seen)

    def told(self, symboliser: Symboliser, suppressions: Suppressions) -> tuple[tuple[Finding, ...], int]:
        """The findings, what needs attention most first; and how many are suppressed."""
        places = [place for seen in self._seen.values() for place in _places(seen.record)]
        symboliser.prepare(places)
        merged: dict[Hashable, Finding] = {}
        quiet = 0
        for seen in self._seen.values():
            finding = replace(_told(seen, symboliser), key=seen.key)
            if suppressions.cover(finding):
                quiet += 1
                continue
            key = _source_key(finding)
            before = merged.get(key)
            if before is None or finding.runs > before.runs:  # the same code, compiled more than once
                merged[key] = finding
        ranks = {kind: rank for rank, kind in enumerate(Kind)}
        ordered = sorted(merged.values(), key=lambda finding: (ranks[finding.kind], -finding.runs))
        return tuple(ordered), quiet + self.suppressed_by_runtime


def _keyed(outcome: RunOutcome) -> Iterator[tuple[Hashable, Record | RunOutcome]]:
    for record in outcome.records:
        key = _key(record)
        if key is not None:
            yield key, record
    told = outcome.ending == "deadlock" and any(isinstance(record, Deadlock) for record in outcome.records)
    if outcome.ending in ("crashed", "failed", "timeout", "bound", "deadlock", "diverged") and not told:
        yield (outcome.ending, outcome.status), outcome


def _key(record: Record) -> Hashable | None:
    match record:
        case Violation():
            return ("violation", record.benign, record.kind, _top(record.access), _top(record.missed))
        case Race():
            return ("race", frozenset((_top(record.first), _top(record.second))))
        case Deadlock():
            return ("deadlock", frozenset((blocked.stack[:1], blocked.waits_for) for blocked in record.threads))
        case Trouble():
            return ("trouble", record.message)
        case _:
            return None


def _top(access: Access) -> tuple[object, ...]:
    return (access.stack[:1], access.what, access.order)


def _places(record: Record | RunOutcome) -> Iterator[Place]:
    match record:
        case Violation():
            for access in (record.access, record.missed, record.stale, *record.path):
                yield from access.stack if access is not None else ()
        case Race():
            yield from record.first.stack
            yield from record.second.stack
        case Deadlock():
            for blocked in record.threads:
                yield from blocked.stack
        case _:
            return


def _told(seen: _Seen, symboliser: Symboliser) -> Finding:
    match seen.record:
        case Violation() as record:
            return _violation(record, seen, symboliser)
        case Race() as record:
            first, second = _event(record.first, symboliser), _event(record.second, symboliser)
            return Finding(
                Kind.RACE,
                advice.race_headline(first, second),
                seen.setup,
                seen.runs,
                access=second,
                missed=first,
                advice=advice.race_advice(first, second),
            )
        case Deadlock() as record:
            threads = tuple((_blocked(blocked, symboliser), blocked.waits_for) for blocked in record.threads)
            text = (
                f"deadlock: {len(threads)} threads wait for each other"
                if len(threads) > 1
                else ("deadlock: the thread waits for something that nobody will do")
            )
            return Finding(Kind.DEADLOCK, text, seen.setup, seen.runs, threads=threads)
        case RunOutcome() as outcome:
            return _ending(outcome, seen)
        case Trouble() as record:
            return Finding(Kind.TROUBLE, record.message, seen.setup, seen.runs)
        case other:
            raise TypeError(f"{type(other).__name__} is no finding")


def _violation(record: Violation, seen: _Seen, symboliser: Symboliser) -> Finding:
    access, missed = _event(record.access, symboliser), _event(record.missed, symboliser)
    stale = None if record.stale is None else _event(record.stale, symboliser)
    path = tuple(_event(event, symboliser) for event in record.path)
    chain = [missed, *(event for event in path if event not in (missed, access)), access]
    known = bool(path)
    return Finding(
        Kind.BENIGN_WAIT if record.benign else Kind.VIOLATION,
        advice.headline(record.kind, access, missed, stale),
        seen.setup,
        seen.runs,
        access=access,
        missed=missed,
        stale=stale,
        path=tuple(chain[1:-1]),
        reasons=tuple(advice.reasons(chain)) if known else (),
        advice=() if record.benign else tuple(advice.repairs(chain, path_known=known)),
    )


def _ending(outcome: RunOutcome, seen: _Seen) -> Finding:
    """A run that did not end well."""
    status = outcome.status or 0
    if outcome.ending == "crashed":
        name = f"signal {-status} ({signal_name(-status)})" if status < 0 else "a signal"
        kind, text = Kind.CRASH, f"the program crashed: {name}"
    elif outcome.ending == "failed":
        kind, text = Kind.FAILURE, f"the program ended with exit code {status}"
    elif outcome.ending == "deadlock":
        kind, text = Kind.DEADLOCK, "deadlock: every thread waits for another"
    elif outcome.ending == "diverged":
        kind, text = Kind.HANG, "the schedule does not fit: the program does not do what it did when it was recorded"
    elif outcome.ending == "bound":
        kind, text = Kind.HANG, f"a run did not end within its limit of steps ({outcome.steps:,} were made)"
    else:
        kind, text = Kind.HANG, "a run did not end within its time"
    return Finding(kind, text, seen.setup, seen.runs, output=outcome.output)


def _event(access: Access, symboliser: Symboliser) -> Event:
    frames = symboliser.stack(access.stack)
    text = source_line(frames[0]) if frames else ""
    return Event(access.thread, access.what, access.order, access.size, access.address, access.value, frames, text)


def _blocked(blocked: Blocked, symboliser: Symboliser) -> Event:
    frames = symboliser.stack(blocked.stack)
    text = source_line(frames[0]) if frames else ""
    return Event(blocked.thread, "", "", None, blocked.address, None, frames, text)


def _source_key(finding: Finding) -> Hashable:
    """Equal for findings about the same lines of source."""
    if finding.access is None or finding.missed is None:
        return (finding.kind, finding.headline, finding.setup if finding.kind is Kind.DEADLOCK else None)
    events = (finding.access, finding.missed)
    lines = tuple(
        (source(event.frame) if event.frame and event.frame.is_known else event.frame, event.what, event.order)
        for event in events
    )
    return (finding.kind, frozenset(lines) if finding.kind is Kind.RACE else lines)
