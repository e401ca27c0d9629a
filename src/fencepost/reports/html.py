"""Results as one HTML page: the program beside the graph, and the steps to go through. Works from a file, without
network; without scripts, all of it can be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from fencepost.program.places import Lines
from fencepost.verdict.types import Answer, Change, CheckResult, NotRobust, Repair, Witness

from . import page
from .failure import Failure
from .text import place_text, statistics_line
from .words import (
    assertion_title,
    consequence,
    cycle_texts,
    cycle_title,
    deadlock_title,
    execution_title,
    model_title,
    notion_title,
    outcome_word,
    safety,
    verdict_line,
)

_KIND = {Answer.HOLD: "good", Answer.FAIL: "bad", Answer.UNKNOWN: "doubt"}


def render(result: CheckResult) -> str:
    return document([result])


def document(outcomes: Sequence[CheckResult | Failure]) -> str:
    """A page for all of them, with a summary where there are several."""
    one = len(outcomes) == 1
    title = f"fencepost: {_name(outcomes[0])}" if one else "fencepost"
    body = [part for number, outcome in enumerate(outcomes) for part in _article(number, outcome)]
    return page.page(title, body if one else [*_summary(outcomes), *body])


def _name(outcome: CheckResult | Failure) -> str:
    return outcome.file if isinstance(outcome, Failure) else outcome.file or outcome.program.name


def _summary(outcomes: Sequence[CheckResult | Failure]) -> Iterator[str]:
    words = Counter("no answer" if isinstance(each, Failure) else outcome_word(each) for each in outcomes)
    counts = ", ".join(f"{count} {word}" for word, count in words.items()) or "nothing was checked"
    return page.summary(f"{len(outcomes)} programs", counts, map(_row, outcomes))


def _row(outcome: CheckResult | Failure) -> tuple[str, str, str, str]:
    if isinstance(outcome, Failure):
        return "doubt", outcome.file, "", f"no answer: {outcome.message}"
    models = f"{model_title(outcome.model)} against {model_title(outcome.against)}"
    return _KIND[safety(outcome)], _name(outcome), models, verdict_line(outcome)


def _article(number: int, outcome: CheckResult | Failure) -> Iterator[str]:
    yield f'<article id="r{number}">'
    yield from page.no_answer(outcome) if isinstance(outcome, Failure) else _result(number, outcome)
    yield "</article>"


def _result(number: int, result: CheckResult) -> Iterator[str]:
    program = result.program
    threads = f"{len(program.threads)} thread{'' if len(program.threads) == 1 else 's'}"
    place = "" if result.file is None else f"{result.file}, "
    facts = (
        ("program", f"{program.name} ({place}{threads})"),
        ("model", f"{model_title(result.model)}, against {model_title(result.against)}"),
        ("notion", notion_title(result)),
    )
    yield from page.heading(_KIND[safety(result)], verdict_line(result), consequence(result), facts)
    shown = tuple(_witnesses(result))
    for index, (title, witness) in enumerate(shown):
        yield from page.execution(f"r{number}w{index}", title, witness, program, _reasons(witness, result))
    if not shown:
        yield f'<div class="both">{"".join(page.source(program))}</div>'
    lines = Lines(program)
    waits = [f"{place_text(lines, wait.thread, wait.span)}: {wait.what}" for wait in result.busy_waits]
    yield from page.bullets("Busy waits, treated as blocking waits", waits)
    yield from page.bullets("Warnings", result.warnings)
    yield f'<p class="cost">{page.text(statistics_line(result.statistics))}</p>'


def _witnesses(result: CheckResult) -> Iterator[tuple[str, Witness]]:
    if isinstance(result.verdict, NotRobust):
        yield execution_title(result.verdict.witness, result), result.verdict.witness
    if result.assertion_witness is not None:
        yield assertion_title(result), result.assertion_witness
    if result.deadlock is not None:
        yield deadlock_title(result), result.deadlock


def _reasons(witness: Witness, result: CheckResult) -> Iterator[str]:
    if witness.cycle:
        yield from page.bullets(cycle_title(witness, result), tuple(cycle_texts(witness, result.program)))
    yield from page.bullets(f"Why {model_title(result.model)} allows it" if witness.cycle else "Why", witness.reasons)
    repairs = [_repair(repair, Lines(result.program)) for repair in witness.repairs]
    choice = " (any one of these; then check again)" if len(repairs) > 1 else " (then check again)"
    yield from page.bullets("What would forbid this execution" + choice, repairs)


def _repair(repair: Repair, lines: Lines) -> str:
    return "; and ".join(_change(change, lines) for change in repair.changes)


def _change(change: Change, lines: Lines) -> str:
    source = lines.text(change.span, change.code).strip()
    place = f"{place_text(lines, change.thread, change.span)}: {change.what}"
    return f"{place}: {source}" if source else place
