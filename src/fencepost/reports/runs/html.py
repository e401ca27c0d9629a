"""The findings of runs as one HTML page, in the frame of the other pages."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from fencepost.reports import page
from fencepost.sanitizer import advice, wording
from fencepost.sanitizer.results import HARMLESS, Event, Finding, Kind, RunResult

from .text import statistics, verdict


def render(result: RunResult) -> str:
    return page.page(f"fencepost: {result.program}", _body(result))


def _body(result: RunResult) -> Iterator[str]:
    kind = "bad" if result.found else "doubt" if result.is_inconclusive else "good"
    facts = [("program", shlex.join([result.program, *result.arguments])), ("runs", statistics(result))]
    yield '<article id="r0">'
    yield from page.heading(kind, verdict(result), "", facts)
    for number, finding in enumerate(result.findings, start=1):
        yield from _finding(number, finding, result)
    for text in (*result.remarks, *result.bounds):
        yield f"<p>{page.text(text)}</p>"
    yield "</article>"


def _finding(number: int, finding: Finding, result: RunResult) -> Iterator[str]:
    kind = "doubt" if finding.kind in HARMLESS else "bad"
    title = f"{number}. {advice.title(finding.kind)} (in {finding.runs:,} of {result.totals.runs:,} runs)"
    yield f'<section class="finding" id="f{number}"><h3 class="{kind}">{page.text(title)}</h3>'
    yield f"<p>{page.text(finding.headline)}</p>"
    race = finding.kind is Kind.RACE
    for name, event in (
        ("one access" if race else "the write that need not be seen", finding.missed),
        ("the other access" if race else "the access", finding.access),
        ("the old value comes from", finding.stale),
    ):
        if event is not None and event.frames:
            yield from _event(name, event)
    for event, waits_for in finding.threads:
        yield from _event(f"{wording.thread(event)} waits for {waits_for or 'something'}", event)
    yield from _list("why the one comes before the other under SC", finding.reasons)
    yield from _list(f"what would {'mend' if race else 'forbid'} it", finding.advice)
    if finding.output.strip():
        yield f"<h4>the end of what the program wrote</h4><pre>{page.text(finding.output.strip())}</pre>"
    if finding.setup.is_repeatable and finding.kind is not Kind.TROUBLE:
        command = ["fencepost", "run", *finding.setup.options(), "--", result.program, *result.arguments]
        yield f"<h4>to see it again</h4><pre>{page.text(shlex.join(command))}</pre>"
    yield "</section>"


def _event(name: str, event: Event) -> Iterator[str]:
    about = f"{wording.what(event)}, {wording.thread(event)}" if event.what else ""
    yield f"<h4>{page.text(name)}{': ' + page.text(about) if about else ''}</h4>"
    if event.text:
        yield f"<pre>{page.text(event.text)}</pre>"
    yield "<ol>"
    for frame in event.frames:
        yield f"<li><code>{page.text(wording.where(frame))}</code></li>"
    yield "</ol>"


def _list(title: str, items: tuple[str, ...]) -> Iterator[str]:
    if items:
        yield f"<h4>{page.text(title)}</h4><ul>"
        yield from (f"<li>{page.text(item)}</li>" for item in items)
        yield "</ul>"
