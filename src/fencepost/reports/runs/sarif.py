"""The findings of runs as SARIF 2.1.0, for tools that show findings beside the code."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import PurePath

from fencepost.reports.sarif_log import Json, Rule, fingerprint, log, place
from fencepost.reports.words import printable
from fencepost.sanitizer import advice, wording
from fencepost.sanitizer.results import HARMLESS, Event, Finding, Kind, RunResult
from fencepost.sanitizer.symbols import Frame

from .text import verdict

_RULES = {
    Kind.VIOLATION: Rule(
        "FP2001",
        "NotRobustWhenRun",
        "An access may see, or come before, something older than what it sees under SC.",
        "Make the accesses in the message stronger, or put fences between them, as it suggests; then run it again.",
    ),
    Kind.RACE: Rule(
        "FP2002",
        "DataRaceWhenRun",
        "Two accesses race, one of them plain: the program has no meaning.",
        "Make the accesses atomic, or order them by synchronization.",
    ),
    Kind.CRASH: Rule(
        "FP2003",
        "Crash",
        "The program was ended by a signal.",
        "Repeat the run by the command in the message.",
    ),
    Kind.DEADLOCK: Rule(
        "FP2004", "DeadlockWhenRun", "All threads wait.", "Repeat the run by the command in the message."
    ),
    Kind.FAILURE: Rule("FP2005", "FailedRun", "The program ended with an exit code other than 0.", "Repeat the run."),
    Kind.HANG: Rule("FP2006", "NoEnd", "A run did not come to its end.", "Repeat the run, or give it more time."),
    Kind.TROUBLE: Rule("FP2007", "Remark", "The runtime has something to say.", "Read the message.", level="note"),
    Kind.BENIGN_WAIT: Rule(
        "FP2008", "BenignWait", "A loop that only waits may read old values.", "Annotate the wait.", level="note"
    ),
}


def render(result: RunResult) -> str:
    results = [_finding(finding, result) for finding in result.findings]
    invocation = {"executionSuccessful": True, "commandLine": shlex.join([result.program, *result.arguments])}
    return log(_RULES.values(), results, invocation, {"verdict": verdict(result)})


def _finding(finding: Finding, result: RunResult) -> Json:
    found: Json = {
        "ruleId": _RULES[finding.kind].id,
        "ruleIndex": list(_RULES).index(finding.kind),
        "kind": "fail" if finding.kind not in HARMLESS else "informational",
        "level": "error" if finding.kind not in HARMLESS else "none",
        "message": {"text": printable("\n".join(_message(finding, result)), keep="\n")},
        "locations": [_location(finding.access)],
        "partialFingerprints": {"fencepost/v1": _fingerprint(finding)},
        "occurrenceCount": max(1, finding.runs),
    }
    others = [event for event in (finding.missed, finding.stale) if event is not None and event.frames]
    if others:
        found["relatedLocations"] = [_location(event) for event in others]
    stacks = [event for event in (finding.access, finding.missed) if event is not None and event.frames]
    if stacks:
        found["stacks"] = [_stack(event) for event in stacks]
    return found


def _message(finding: Finding, result: RunResult) -> Iterator[str]:
    yield finding.headline[:1].upper() + finding.headline[1:] + "."
    if finding.reasons:
        yield "Why the one comes before the other under SC:"
        yield from (f"- {reason}" for reason in finding.reasons)
    if finding.advice:
        yield f"What would {'mend' if finding.kind is Kind.RACE else 'forbid'} it:"
        yield from (f"- {change}" for change in finding.advice)
    if finding.setup.is_repeatable and finding.kind is not Kind.TROUBLE:
        command = ["fencepost", "run", *finding.setup.options(), "--", result.program, *result.arguments]
        yield f"To see it again: {shlex.join(command)}"


def _location(event: Event | None) -> Json:
    if event is None or event.frame is None:
        return {}
    location: Json = {"message": {"text": printable(f"{wording.what(event) or advice.title(Kind.DEADLOCK)}")}}
    if event.frame.is_known:
        location["physicalLocation"] = _physical(event.frame)
    location["logicalLocations"] = [{"fullyQualifiedName": printable(event.frame.function), "kind": "function"}]
    return location


def _stack(event: Event) -> Json:
    frames = []
    for frame in event.frames:
        location: Json = {"logicalLocations": [{"fullyQualifiedName": printable(frame.function), "kind": "function"}]}
        if frame.is_known:
            location["physicalLocation"] = _physical(frame)
        frames.append({"location": location})
    return {"message": {"text": f"{wording.what(event)}, {wording.thread(event)}"}, "frames": frames}


def _physical(frame: Frame) -> Json:
    relative = os.path.relpath(frame.file) if os.path.isabs(frame.file) else frame.file
    path = os.path.abspath(frame.file) if relative.startswith(os.pardir) else relative
    return place(PurePath(path), frame.line, frame.column)


def _fingerprint(finding: Finding) -> str:
    """The same for the same lines of source, wherever they have moved."""
    parts = [finding.kind.value]
    for event in (finding.missed, finding.access):
        if event is not None:
            function = wording.bare_function(event.frame.function) if event.frame else ""
            parts += [event.what, event.order, event.text, function]
    if finding.access is None:
        parts.append(finding.headline)
    return fingerprint(parts)
