"""Results as SARIF 2.1.0 (OASIS), for tools that show findings beside the code.

A program that is not robust is a finding of kind "fail"; what is not known is "open", and what is fine is "pass": a
reader of findings alone cannot take one for the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from fencepost.program.form import Span
from fencepost.program.places import Lines
from fencepost.verdict.types import Answer, CheckResult, NotRobust, Repair, Robust, Unknown, Witness, WitnessKind

from .failure import Failure
from .sarif_log import Json, Rule, fingerprint, log, place
from .text import place_text
from .words import consequence, cycle_texts, model_title, printable, thread_name, verdict_line

_ROBUST, _RACE, _ASSERTION, _DEADLOCK = _RULES = (
    Rule(
        "FP1001",
        "NotRobust",
        "The program has an execution under the weak model that the stronger model forbids.",
        "Make the accesses in the message stronger, or put fences between them, as it suggests; "
        "'fencepost fence' finds the cheapest change that makes the whole program robust.",
    ),
    Rule(
        "FP1002",
        "DataRace",
        "Two accesses to a non-atomic location race: the program has no meaning.",
        "Make the accesses atomic, or order them by synchronization.",
    ),
    Rule(
        "FP1003",
        "AssertionFails",
        "An assertion of the program fails.",
        "Step through the flow in this finding: it leads to the failure.",
    ),
    Rule(
        "FP1004",
        "Deadlock",
        "All threads are over or blocked, one of them blocked.",
        "Step through the flow in this finding: after it, no thread can go on.",
    ),
)


def render(result: CheckResult) -> str:
    return document([result])


def document(outcomes: Sequence[CheckResult | Failure]) -> str:
    """One log with one run."""
    failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    results = [found for outcome in outcomes if not isinstance(outcome, Failure) for found in _results(outcome)]
    invocation: Json = {
        "executionSuccessful": not failures,
        "toolExecutionNotifications": [_notification(failure) for failure in failures],
    }
    return log(_RULES, results, invocation)


def _notification(failure: Failure) -> Json:
    where = {"physicalLocation": place(PurePath(failure.file), failure.line, failure.column)}
    hint = "" if failure.hint is None else f" ({failure.hint})"
    return {
        "level": "error",
        "message": {"text": printable(failure.message + hint)},
        "locations": [where],
        "descriptor": {"id": "internal-error" if failure.is_ours else "bad-input"},
    }


def _results(result: CheckResult) -> Iterator[Json]:
    match result.verdict:
        case NotRobust(witness):
            rule = _RACE if witness.kind is WitnessKind.RACE else _ROBUST
            yield _finding(rule, result, verdict_line(result), witness)
        case Unknown():
            yield _finding(_ROBUST, result, verdict_line(result), None, kind="open")
        case Robust():
            if result.races is Answer.FAIL:
                yield _finding(_RACE, result, verdict_line(result), None)
            yield _finding(_ROBUST, result, f"{verdict_line(result)}; {consequence(result)}", None, kind="pass")
    if result.assertions is Answer.FAIL:
        where = result.assertion_witness
        text = "an assertion fails" if where is None else where.headline
        yield _finding(_ASSERTION, result, f"under {model_title(result.against)}: {text}", where)
    if result.deadlock is not None:
        text = f"deadlock under {model_title(result.against)}: {result.deadlock.headline}"
        yield _finding(_DEADLOCK, result, text, result.deadlock)


def _finding(rule: Rule, result: CheckResult, text: str, witness: Witness | None, kind: str = "fail") -> Json:
    level = "none" if kind != "fail" else "error" if witness is None or witness.confirmed else "warning"
    thread = None if witness is None else witness.thread
    span = None if witness is None else witness.span or _last_span(witness)
    found: Json = {
        "ruleId": rule.id,
        "ruleIndex": _RULES.index(rule),
        "kind": kind,
        "level": level,
        "message": {"text": printable("\n".join([_sentence(text), *_explanation(witness, result)]), keep="\n")},
        "locations": [_location(result, span, thread)],
        "partialFingerprints": {"fencepost/v1": _fingerprint(rule, result, span)},
        "properties": {"model": result.model, "against": result.against, "notion": result.notion.value},
    }
    if witness is not None and witness.trace:
        found["codeFlows"] = [{"threadFlows": [{"locations": list(_flow(witness, result))}]}]
    return found


def _explanation(witness: Witness | None, result: CheckResult) -> Iterator[str]:
    if witness is None:
        return
    if witness.cycle:
        yield f"Why {model_title(result.against)} forbids it: these steps would come in a circle."
        yield from map(_item, cycle_texts(witness, result.program))
    if witness.reasons:
        yield "Why:"
        yield from map(_item, witness.reasons)
    if witness.repairs:
        yield "What would forbid this execution:"
        yield from (_item(_repair(repair, Lines(result.program))) for repair in witness.repairs)


def _repair(repair: Repair, lines: Lines) -> str:
    return "; and ".join(f"{place_text(lines, change.thread, change.span)}: {change.what}" for change in repair.changes)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _item(text: str) -> str:
    return f"- {text}"


def _flow(witness: Witness, result: CheckResult) -> Iterator[Json]:
    """The steps, in the order in which they happen; SARIF has no line for a step without a place."""
    for number, step in enumerate(witness.trace, start=1):
        location = _location(result, step.span, step.thread)
        location["message"] = {"text": printable(f"{thread_name(result.program, step.thread)}: {step.effect}")}
        yield {"location": location, "executionOrder": number}


def _location(result: CheckResult, span: Span | None, thread: int | None) -> Json:
    location: Json = {}
    if result.file is not None:
        line, column = (1, 1) if span is None else (span.line, span.column)
        location["physicalLocation"] = place(PurePath(result.file), line, column)
    if thread is not None or result.file is None:
        name = (
            result.program.name if thread is None else f"{result.program.name}::{thread_name(result.program, thread)}"
        )
        location["logicalLocations"] = [{"fullyQualifiedName": printable(name), "kind": "function"}]
    return location


def _last_span(witness: Witness) -> Span | None:
    return next((step.span for step in reversed(witness.trace) if step.span is not None), None)


def _fingerprint(rule: Rule, result: CheckResult, span: Span | None) -> str:
    """The same for the same question about the same text at that place, whatever is added above it."""
    line = result.program.source_line(span) or ""
    parts = (rule.id, result.program.name, result.model, result.against, result.notion.value, line.strip())
    return fingerprint(parts)
