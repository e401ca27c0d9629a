"""Reports on repairs: what to change, what it costs, and why nothing of it can be left out."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from fractions import Fraction
from typing import Any

from fencepost._version import __version__
from fencepost.fences.types import FenceResult, Part, Repaired, Undecided, Unrepairable
from fencepost.program.form import Program
from fencepost.program.places import Lines
from fencepost.program.templates import counted, instance_of, template_names
from fencepost.verdict.types import Answer, Witness

from .json import SCHEMA, copies_data, dump, span_data, statistics_data, witness_data
from .style import PLAIN, Style
from .text import heading, item, more, painted, place_text, statistics_line, witness_table, wrapped
from .words import model_title, printable

FORMATS = ("text", "json")


def render(result: FenceResult, format: str = "text", style: Style = PLAIN) -> str:
    """The report, as a text that ends with a newline."""
    if format == "json":
        return dump(data(result))
    return "\n".join(line.rstrip() for line in _report(result, style)) + "\n"


def diff(result: FenceResult) -> str:
    """The repair as a unified diff of the input's text; empty if nothing changes or there is no text."""
    outcome = result.outcome
    if not isinstance(outcome, Repaired) or outcome.text is None or result.program.source is None:
        return ""
    name = result.file or result.program.name
    old, new = result.program.source.splitlines(keepends=True), outcome.text.splitlines(keepends=True)
    return "".join(
        line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n"
        for line in unified_diff(old, new, name, name)
    )


def headline(result: FenceResult) -> str:
    """The first line of a report."""
    match result.outcome:
        case Repaired(changes=()):
            return (
                f"robust already: {result.program.name} needs no change under {model_title(result.model)}{_for(result)}"
            )
        case Repaired(changes=changes, cost=cost):
            count = "1 change" if len(changes) == 1 else f"{len(changes)} changes"
            only = _for(result)
            return f"repaired{only}: {count}, cost {number(cost)}, and no cheaper repair exists"
        case Unrepairable(reason):
            return f"cannot be repaired: {reason}"
        case Undecided(reason):
            return f"unknown: {reason}"


def _for(result: FenceResult) -> str:
    if result.copies:
        return f" with {counted(result.copies)}, nothing is said about more"
    return f" for any number of threads of {template_names(result.program)}" if result.program.templates else ""


def number(cost: Fraction) -> str:
    return str(cost) if cost.denominator in (1, 2, 3) else f"{float(cost):g}"


def _report(result: FenceResult, style: Style) -> Iterator[str]:
    outcome = result.outcome
    tone = {Repaired: style.good, Unrepairable: style.bad, Undecided: style.doubt}[type(outcome)]
    yield from painted(tone, wrapped(printable(headline(result))), style)
    yield ""
    details = "" if result.file is None else f" ({printable(result.file)})"
    yield f"  program  {printable(result.program.name)}{details}"
    yield f"  model    {model_title(result.model)}, {result.notion.value} notion"
    yield f"  costs    {printable(result.cost)}"
    match outcome:
        case Repaired():
            yield from _repair(result, outcome, style)
        case Unrepairable(_, witness) if witness is not None:
            yield from heading("What no repair of this kind forbids", style)
            yield from item(printable(witness.headline))
            yield from witness_table(witness, Lines(instance_of(result.program, witness.copies)), style)
    if result.busy_waits:
        yield from heading("Busy waits, treated as blocking waits", style)
        for wait in result.busy_waits:
            yield from item(f"{place_text(Lines(result.program), wait.thread, wait.span)}: {wait.what}")
    for warning in _warnings(result):
        yield ""
        yield from painted(style.doubt, wrapped(f"warning: {printable(warning)}"), style)
    yield ""
    yield style.paint(style.faint, _effort(result))


def _repair(result: FenceResult, repaired: Repaired, style: Style) -> Iterator[str]:
    if not repaired.changes:
        return
    yield from heading("What to change", style)
    for change in repaired.changes:
        yield from item(_change_line(result, change))
        if change.hint is not None:
            yield from more(printable(change.hint))
    if repaired.optimal is not None:
        than = "more than " if repaired.more else ""
        yield ""
        yield f"  cheapest repairs: {than}{repaired.optimal}"
    patch = diff(result)
    if patch:
        yield from heading("As a patch", style)
        yield ""
        yield from map(printable, patch.splitlines())
    yield from heading("Why nothing of this can be left out", style)
    for change in repaired.changes:
        reason = "not known" if change.without is None else change.without.headline
        if change.without is not None and change.without.copies:
            reason += f", with {counted(change.without.copies)}"
        yield from item(f"without this ({_short_line(result, change)}): {printable(reason)}")


def _witness(witness: Witness | None, program: Program) -> dict[str, Any] | None:
    return None if witness is None else witness_data(witness, instance_of(program, witness.copies))


def _change_line(result: FenceResult, change: Part) -> str:
    line = printable(Lines(result.program).text(change.edits[0].span, ""))
    text = f"{_short_line(result, change)} (cost {number(change.cost)})"
    return f"{text}:  {line}" if line else text


def _short_line(result: FenceResult, change: Part) -> str:
    first = change.edits[0]
    return f"{place_text(Lines(result.program), first.thread, first.span)}: {printable(change.what)}"


def _warnings(result: FenceResult) -> Iterator[str]:
    yield from result.warnings
    if not isinstance(result.outcome, Repaired):
        return
    if result.outcome.check.assertions is Answer.FAIL:
        yield "an assertion fails under SC already, which no change of this kind can prevent"
    if result.outcome.changes:
        for expectation in result.program.expectations:
            mine = expectation.notion == result.notion.value and result.model in expectation.models
            if mine and not expectation.robust and expectation.span is not None:
                yield f"line {expectation.span.line} still says that the program is not robust"


def _effort(result: FenceResult) -> str:
    checks = "1 check" if result.checks == 1 else f"{result.checks} checks"
    return f"{result.candidates} possible changes, {checks}: {statistics_line(result.statistics)}"


def data(result: FenceResult) -> dict[str, Any]:
    """The result as dictionaries, lists, strings and numbers."""
    outcome = result.outcome
    repaired = outcome if isinstance(outcome, Repaired) else None
    witness = outcome.witness if isinstance(outcome, Unrepairable) else None
    return {
        "schema": SCHEMA,
        "fencepost": __version__,
        "program": {"name": result.program.name, "file": result.file, "language": result.program.language},
        "copies": copies_data(result.copies),
        "model": result.model,
        "notion": result.notion.value,
        "outcome": {Repaired: "repaired", Unrepairable: "unrepairable", Undecided: "unknown"}[type(outcome)],
        "reason": headline(result),
        "cost": None if repaired is None else _json_number(repaired.cost),
        "costs": result.cost,
        "changes": [] if repaired is None else [_change_data(result, change) for change in repaired.changes],
        "optimal_repairs": None if repaired is None else repaired.optimal,
        "more_optimal_repairs": False if repaired is None else repaired.more,
        "text": None if repaired is None else repaired.text,
        "witness": _witness(witness, result.program),
        "candidates": result.candidates,
        "checks": result.checks,
        "warnings": list(_warnings(result)),
        "statistics": statistics_data(result.statistics),
    }


def _change_data(result: FenceResult, change: Part) -> dict[str, Any]:
    first = change.edits[0]
    return {
        "thread": result.program.threads[first.thread].name,
        "span": span_data(first.span),
        "state": first.name,
        "kinds": [("fence " if edit.is_fence else "") + edit.what.value for edit in change.edits],
        "what": change.what,
        "cost": _json_number(change.cost),
        "hint": change.hint,
        "without": _witness(change.without, result.program),
    }


def _json_number(cost: Fraction) -> int | float:
    return cost.numerator if cost.denominator == 1 else float(cost)
