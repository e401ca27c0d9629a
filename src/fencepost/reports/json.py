"""The result as data. docs/json.md describes every field; `SCHEMA` changes when an old reader would go wrong."""

from __future__ import annotations

import json
from typing import Any

from fencepost._version import __version__
from fencepost.program.form import Assert, Program, Span
from fencepost.program.templates import Copies
from fencepost.verdict.types import (
    Answer,
    Attack,
    BusyWait,
    CheckResult,
    Edge,
    Event,
    Move,
    NotRobust,
    Repair,
    Statistics,
    TraceStep,
    Witness,
)

from .words import reason, verdict_word

SCHEMA = 1

RACES = {Answer.HOLD: "none", Answer.FAIL: "found", Answer.UNKNOWN: "unknown"}


def render(result: CheckResult) -> str:
    return dump(data(result))


def dump(document: object) -> str:
    """A document as text: ASCII only, so that it survives any terminal and any pipe."""
    return json.dumps(document, indent=2) + "\n"


def data(result: CheckResult) -> dict[str, Any]:
    """The result as dictionaries, lists, strings and numbers."""
    program = result.program
    witness = result.verdict.witness if isinstance(result.verdict, NotRobust) else None
    return {
        "schema": SCHEMA,
        "fencepost": __version__,
        "program": _program(result),
        "model": result.model,
        "against": result.against,
        "notion": result.notion.value,
        "verdict": verdict_word(result.verdict),
        "reason": reason(result.verdict),
        "assertions": result.assertions.value,
        "races": RACES[result.races],
        "expectation": result.expectation.value,
        "witness": witness_data(witness, program),
        "assertion_witness": witness_data(result.assertion_witness, program),
        "deadlock": witness_data(result.deadlock, program),
        "busy_waits": [_busy_wait(wait) for wait in result.busy_waits],
        "warnings": list(result.warnings),
        "statistics": statistics_data(result.statistics),
    }


def failure(
    file: str,
    kind: str,
    message: str,
    *,
    line: int | None = None,
    column: int | None = None,
    hint: str | None = None,
) -> dict[str, Any]:
    """What stands for a file that could not be checked; `kind` is "input" or "internal"."""
    error = {"kind": kind, "message": message, "line": line, "column": column, "hint": hint}
    return {"schema": SCHEMA, "fencepost": __version__, "file": file, "error": error}


def _program(result: CheckResult) -> dict[str, Any]:
    program = result.program
    return {
        "name": program.name,
        "file": result.file,
        "language": program.language,
        "threads": [thread.name for thread in program.threads],
        "templates": [program.threads[number].name for number in program.templates],
        "copies": copies_data(result.copies),
        "locations": [
            {"name": location.name, "size": location.size, "atomic": location.atomic} for location in program.locations
        ],
        "assertions": sum(isinstance(step, Assert) for thread in program.threads for step in thread.code),
        "source": program.source,
    }


def witness_data(witness: Witness | None, program: Program) -> dict[str, Any] | None:
    if witness is None:
        return None
    return {
        "kind": witness.kind.value,
        "headline": witness.headline,
        "confirmed": witness.confirmed,
        "thread": witness.thread,
        "span": span_data(witness.span),
        "trace": [_step(step, program) for step in witness.trace],
        "reasons": list(witness.reasons),
        "repairs": [_repair(repair) for repair in witness.repairs],
        "events": [_event(event) for event in witness.events],
        "edges": [_edge(edge) for edge in witness.edges],
        "cycle": [_edge(edge) for edge in witness.cycle],
        "schedule": [_move(move) for move in witness.schedule],
        "attack": _attack(witness.attack),
        "copies": copies_data(witness.copies),
        "axiom": witness.axiom,
    }


def copies_data(copies: Copies) -> list[dict[str, Any]]:
    return [{"thread": name, "count": count} for name, count in copies]


def _move(move: Move) -> dict[str, Any]:
    return {
        "thread": move.thread,
        "instructions": move.instructions,
        "choices": list(move.choices),
        "delays": move.delays,
    }


def _attack(attack: Attack | None) -> dict[str, Any] | None:
    if attack is None:
        return None
    return {"thread": attack.thread, "store": attack.store, "load": attack.load, "passed": list(attack.passed)}


def _step(step: TraceStep, program: Program) -> dict[str, Any]:
    return {
        "thread": step.thread,
        "span": span_data(step.span),
        "source": program.source_line(step.span),
        "code": step.code,
        "effect": step.effect,
        "event": step.event,
    }


def _repair(repair: Repair) -> dict[str, Any]:
    return {
        "changes": [
            {"thread": change.thread, "span": span_data(change.span), "what": change.what, "code": change.code}
            for change in repair.changes
        ]
    }


def _event(event: Event) -> dict[str, Any]:
    label = event.label
    return {
        "number": event.number,
        "thread": event.thread,
        "kind": label.kind,
        "location": None if label.cell is None else label.cell.location,
        "slot": None if label.cell is None else label.cell.slot,
        "order": None if label.order is None else label.order.value,
        "read": label.read,
        "written": label.written,
        "span": span_data(event.span),
    }


def _edge(edge: Edge) -> dict[str, Any]:
    return {"source": edge.source, "target": edge.target, "kind": edge.kind}


def _busy_wait(wait: BusyWait) -> dict[str, Any]:
    return {"thread": wait.thread, "span": span_data(wait.span), "what": wait.what}


def statistics_data(statistics: Statistics) -> dict[str, Any]:
    return {
        "states": statistics.states,
        "transitions": statistics.transitions,
        "seconds": statistics.seconds,
        "peak_bytes": statistics.peak_bytes,
        "workers": statistics.workers,
        "executions": statistics.executions,
    }


def span_data(span: Span | None) -> dict[str, int] | None:
    return None if span is None else {"line": span.line, "column": span.column}
