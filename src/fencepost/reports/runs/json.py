"""The result of runs as data; docs/json.md describes every field."""

from __future__ import annotations

from typing import Any

from fencepost._version import __version__
from fencepost.reports.json import SCHEMA, dump
from fencepost.sanitizer import wording
from fencepost.sanitizer.results import Event, Finding, RunResult, Setup


def render(result: RunResult) -> str:
    return dump(data(result))


def data(result: RunResult) -> dict[str, Any]:
    """The result as dictionaries, lists, strings and numbers."""
    return {
        "schema": SCHEMA,
        "fencepost": __version__,
        "kind": "run",
        "program": result.program,
        "arguments": list(result.arguments),
        "schedule": result.schedule,
        "seed": result.seed,
        "found": result.found,
        "findings": [_finding(finding) for finding in result.findings],
        "suppressed": result.suppressed,
        "interrupted": result.interrupted,
        "runs": {
            "planned": result.planned,
            "made": result.totals.runs,
            "all_schedules": result.covered,
            "endings": dict(result.totals.endings),
            "steps": result.totals.steps,
            "seconds": result.totals.seconds,
        },
        "bounds": list(result.bounds),
        "remarks": list(result.remarks),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind.value,
        "headline": finding.headline,
        "runs": finding.runs,
        "setup": _setup(finding.setup),
        "access": _event(finding.access),
        "missed": _event(finding.missed),
        "stale": _event(finding.stale),
        "path": [_event(event) for event in finding.path],
        "threads": [{"waits_for": waits_for, "event": _event(event)} for event, waits_for in finding.threads],
        "reasons": list(finding.reasons),
        "advice": list(finding.advice),
        "output": finding.output,
        "schedule_file": finding.schedule_file,
        "switches": None if finding.switches is None else list(finding.switches),
    }


def _setup(setup: Setup) -> dict[str, Any]:
    return {
        "schedule": setup.schedule,
        "seed": setup.seed,
        "depth": setup.depth,
        "steps": setup.steps,
        "replay": setup.replay,
        "options": list(setup.options()),
    }


def _event(event: Event | None) -> dict[str, Any] | None:
    if event is None:
        return None
    return {
        "thread": event.thread,
        "what": event.what,
        "order": event.order,
        "size": event.size,
        "address": event.address,
        "value": wording.value(event),
        "source": event.text,
        "stack": [
            {"function": frame.function, "file": frame.file, "line": frame.line, "column": frame.column}
            for frame in event.frames
        ],
    }
