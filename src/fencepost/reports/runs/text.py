"""The report of runs for a person who must act: what is wrong first, then each finding with what would help."""

from __future__ import annotations

import os
import shlex
import textwrap
from collections import Counter
from collections.abc import Iterator

from fencepost.reports.style import PLAIN, Style
from fencepost.reports.text import WIDTH, painted, wrapped
from fencepost.reports.words import printable
from fencepost.sanitizer import advice, wording
from fencepost.sanitizer.results import HARMLESS, Event, Finding, Kind, RunResult

_MOST_FRAMES = 8
_COUNTED = {
    Kind.VIOLATION: ("robustness violation", "robustness violations"),
    Kind.RACE: ("data race", "data races"),
    Kind.CRASH: ("crash", "crashes"),
    Kind.DEADLOCK: ("deadlock", "deadlocks"),
    Kind.FAILURE: ("kind of failed run", "kinds of failed runs"),
    Kind.HANG: ("kind of run without end", "kinds of runs without end"),
}


def render(result: RunResult, style: Style = PLAIN) -> str:
    """The whole report."""
    return "\n".join(line.rstrip() for line in _report(result, style)) + "\n"


def summary(result: RunResult, style: Style = PLAIN) -> str:
    """The report's first line."""
    return style.paint(_style(result, style), verdict(result))


def verdict(result: RunResult) -> str:
    runs = _runs(result)
    program = printable(os.path.basename(result.program))
    counts = Counter(finding.kind for finding in result.findings)
    wrong = [f"{counts[kind]} {_COUNTED[kind][counts[kind] > 1]}" for kind in _COUNTED if counts[kind]]
    if not result.totals.runs:
        return f"unknown: no run of {program} came to an end"
    if not wrong and result.covered:
        return f"nothing found in {program}: {_all_schedules(result)} (other inputs may show more)"
    if not wrong and result.covered is False:
        return f"unknown: nothing found in {runs} of {program}, which are not all schedules"
    if not wrong:
        return f"nothing found in {runs} of {program} (other schedules and inputs may show more)"
    robust = "NOT robust: " if counts[Kind.VIOLATION] else ""
    where = f"{runs} of {program}" if not result.covered else f"{program}: {_all_schedules(result)}"
    return f"{robust}{', '.join(wrong)} in {where}"


def _all_schedules(result: RunResult) -> str:
    number = result.totals.runs
    few = "the only schedule was run" if number == 1 else f"all {number:,} schedules were run"
    return f"{few}, up to the order of steps that do not conflict"


def _runs(result: RunResult) -> str:
    number = result.totals.runs
    text = "1 run" if number == 1 else f"{number:,} runs"
    stopped = result.interrupted and result.planned is not None and number < result.planned
    return f"{text} (interrupted; {result.planned:,} were planned)" if stopped else text


def _style(result: RunResult, style: Style) -> str:
    if result.found:
        return style.bad
    return style.doubt if result.is_inconclusive else style.good


def _report(result: RunResult, style: Style) -> Iterator[str]:
    yield from painted(_style(result, style), wrapped(verdict(result)), style)
    for number, finding in enumerate(result.findings, start=1):
        yield ""
        yield from _finding(number, finding, result, style)
    for remark in result.remarks:
        yield ""
        yield from painted(style.doubt, wrapped(f"warning: {printable(remark)}"), style)
    yield ""
    for bound in result.bounds:
        yield from painted(style.faint, wrapped(bound), style)
    yield style.paint(style.faint, statistics(result))


def _finding(number: int, finding: Finding, result: RunResult, style: Style) -> Iterator[str]:
    kind = style.bad if finding.kind not in HARMLESS else style.strong
    seen = f" ({_share(finding, result)})" if result.totals.runs > 1 else ""
    yield from painted(kind, wrapped(f"{number}. {advice.title(finding.kind)}{seen}"), style)
    yield from textwrap.wrap(printable(finding.headline), WIDTH, initial_indent="   ", subsequent_indent="   ")
    if finding.access is not None and finding.missed is not None:
        race = finding.kind is Kind.RACE
        yield from _event("one access" if race else "the write that need not be seen", finding.missed, style)
        yield from _event("the other access" if race else "the access", finding.access, style)
        if finding.stale is not None and finding.stale.frames:
            old = f"{wording.what(finding.stale)} at {wording.place(finding.stale)}, {wording.thread(finding.stale)}"
            yield ""
            yield f"   {style.paint(style.strong, 'the old value comes from')}: {printable(old)}"
    for event, waits_for in finding.threads:
        yield from _event(f"{wording.thread(event)} waits for {waits_for or 'something'}", event, style)
    if finding.reasons:
        yield from _heading("why the one comes before the other under SC", style)
        for reason in finding.reasons:
            yield from _item(reason)
    if finding.advice:
        several = " (any one of these; then run it again)" if len(finding.advice) > 1 else " (then run it again)"
        race = finding.kind is Kind.RACE
        yield from _heading(f"what would {'mend' if race else 'forbid'} it{several}", style)
        for change in finding.advice:
            yield from _item(change)
    if finding.output.strip():
        yield from _heading("the end of what the program wrote", style)
        for line in finding.output.rstrip().splitlines()[-12:]:
            yield f"   | {printable(line)}"
    yield from _again(finding, result, style)


def _heading(text: str, style: Style) -> Iterator[str]:
    yield ""
    yield f"   {style.paint(style.strong, text)}"


def _item(text: str) -> Iterator[str]:
    yield from textwrap.wrap(printable(text), WIDTH, initial_indent="     - ", subsequent_indent="       ")


def _share(finding: Finding, result: RunResult) -> str:
    return f"in {finding.runs:,} of {result.totals.runs:,} runs"


def _event(title: str, event: Event, style: Style) -> Iterator[str]:
    yield ""
    details = [wording.what(event)] if event.what else []
    if event.size:
        details.append(f"{event.size} byte{'' if event.size == 1 else 's'}")
    if event.address:
        details.append(f"at {event.address}")
    if event.what:
        details.append(wording.thread(event))
    about = f": {printable(', '.join(details))}" if details else ""
    yield f"   {style.paint(style.strong, title)}{about}"
    if event.text:
        yield f"     {printable(event.text)}"
    for frame in event.frames[:_MOST_FRAMES]:
        yield f"       {printable(wording.where(frame))}"
    if len(event.frames) > _MOST_FRAMES:
        yield f"       ... and {len(event.frames) - _MOST_FRAMES} more"


def _again(finding: Finding, result: RunResult, style: Style) -> Iterator[str]:
    if finding.kind is Kind.TROUBLE:
        return
    command = [result.program, *result.arguments]
    if finding.schedule_file is not None:
        options: tuple[str, ...] = ("--replay", finding.schedule_file)
    elif finding.setup.is_repeatable:
        options = finding.setup.options()
    else:
        yield from _heading("to see it again", style)
        yield "     the operating system chose the schedule; --schedule default makes runs that can be repeated"
        return
    yield from _heading("to see it again", style)
    yield f"     {shlex.join(['fencepost', 'run', *options, '--', *command])}"
    if finding.switches is not None:
        before, after = finding.switches
        yield f"     (the schedule, minimised from {before} to {after} context switches)"


def statistics(result: RunResult) -> str:
    """How many runs, and how fast."""
    totals = result.totals
    parts = [f"{totals.runs:,} run{'' if totals.runs == 1 else 's'}", f"{totals.seconds:.2f} s"]
    if totals.seconds > 0 and totals.runs > 1:
        parts.append(f"{totals.runs / totals.seconds:,.0f} runs/s")
    if totals.steps:
        parts.append(f"{totals.steps:,} steps")
    parts.append(f"schedule {result.schedule}" + (f", seed {result.seed}" if result.seed is not None else ""))
    if result.suppressed:
        parts.append(f"{result.suppressed} suppressed")
    return ", ".join(parts)
