"""The report for a person who must act: the verdict first, then why, then what would help."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from fencepost.program.form import Span
from fencepost.program.places import Lines
from fencepost.verdict.types import Answer, Change, CheckResult, NotRobust, Statistics, TraceStep, Witness, WitnessKind

from .style import PLAIN, Style
from .words import (
    assertion_title,
    consequence,
    cycle_texts,
    cycle_title,
    deadlock_title,
    execution_title,
    model_title,
    notion_title,
    printable,
    safety,
    thread_name,
    threads_text,
    verdict_line,
)

WIDTH = 116
_SOURCE_WIDTH = 44
_NAME_WIDTH = 18


def render(result: CheckResult, style: Style = PLAIN) -> str:
    """The whole report."""
    return "\n".join(line.rstrip() for line in _report(result, style)) + "\n"


def verdict_only(result: CheckResult, style: Style = PLAIN) -> str:
    """The report's first line."""
    return style.paint(_verdict_style(result, style), printable(verdict_line(result)))


def _report(result: CheckResult, style: Style) -> Iterator[str]:
    yield from painted(_verdict_style(result, style), wrapped(printable(verdict_line(result))), style)
    yield from painted(style.strong, wrapped(printable(consequence(result)), "  "), style)
    yield ""
    yield from _facts(result)
    if isinstance(result.verdict, NotRobust):
        yield from _witness(execution_title(result.verdict.witness, result), result.verdict.witness, result, style)
    if result.assertion_witness is not None:
        yield from _witness(assertion_title(result), result.assertion_witness, result, style)
    if result.deadlock is not None:
        yield from _witness(deadlock_title(result), result.deadlock, result, style)
    if result.busy_waits:
        yield from heading("Busy waits, treated as blocking waits", style)
        lines = Lines(result.program)
        for wait in result.busy_waits:
            yield from item(f"{place_text(lines, wait.thread, wait.span)}: {wait.what}")
    if result.warnings:
        yield ""
        for warning in result.warnings:
            yield from painted(style.doubt, wrapped(f"warning: {printable(warning)}"), style)
    yield ""
    yield style.paint(style.faint, statistics_line(result.statistics))


def statistics_line(statistics: Statistics) -> str:
    """What the search cost, on one line."""
    if statistics.executions:
        return f"{_count(statistics.executions, 'execution')}, {statistics.seconds:.2f} s"
    work = f"{_count(statistics.states, 'state')}, {_count(statistics.transitions, 'transition')}"
    memory = f"{statistics.peak_bytes / (1 << 20):,.1f} MiB"
    return f"{work}, {statistics.seconds:.2f} s, {memory}, {_count(statistics.workers, 'worker')}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _verdict_style(result: CheckResult, style: Style) -> str:
    match safety(result):
        case Answer.HOLD:
            return style.good
        case Answer.FAIL:
            return style.bad
        case Answer.UNKNOWN:
            return style.doubt


def _facts(result: CheckResult) -> Iterator[str]:
    program = result.program
    details = [] if result.file is None else [printable(result.file)]
    details.append(printable(threads_text(result)))
    yield f"  program  {printable(program.name)} ({', '.join(details)})"
    yield f"  model    {model_title(result.model)}, against {model_title(result.against)}"
    yield f"  notion   {notion_title(result)}"


def _witness(title: str, witness: Witness, result: CheckResult, style: Style) -> Iterator[str]:
    lines = Lines(result.program)
    yield from heading(title, style)
    yield from witness_table(witness, lines, style)
    if witness.cycle:
        yield from heading(cycle_title(witness, result), style)
        for text in cycle_texts(witness, result.program):
            yield from item(text)
    if witness.reasons:
        yield from heading(f"Why {model_title(result.model)} allows it" if witness.cycle else "Why", style)
        for reason in witness.reasons:
            yield from item(printable(reason))
    if witness.repairs:
        choice = " (any one of these; then check again)" if len(witness.repairs) > 1 else " (then check again)"
        yield from heading("What would forbid this execution" + choice, style)
        for repair in witness.repairs:
            first, *others = repair.changes
            yield from item(_change(first, lines))
            for change in others:
                yield from more(f"and {_change(change, lines)}")


def _change(change: Change, lines: Lines) -> str:
    source = _short(lines.text(change.span, change.code), _SOURCE_WIDTH)
    place = f"{place_text(lines, change.thread, change.span)}: {printable(change.what)}"
    return f"{place}:  {source}" if source else place


def witness_table(witness: Witness, lines: Lines, style: Style) -> Iterator[str]:
    """The steps, aligned; `>` marks the offending one."""
    rows = [
        (
            ">" if step is offending(witness) else "",
            str(number),
            _short(thread_name(lines.program, step.thread), _NAME_WIDTH),
            "" if step.span is None else lines.number(step.span),
            _short(lines.text(step.span, step.code), _SOURCE_WIDTH),
            printable(step.effect),
        )
        for number, step in enumerate(witness.trace, start=1)
    ]
    header = ("", "step", "thread", "line", "source", "what happens")
    shown = [index for index in range(len(header)) if index in (0, 5) or any(row[index] for row in rows)]
    widths = [max(len(row[index]) for row in (header, *rows)) for index in shown[:-1]]
    right = {1, 3}
    for row in (header, *rows) if rows else ():
        cells = [
            row[index].rjust(width) if index in right else row[index].ljust(width)
            for index, width in zip(shown, widths, strict=False)
        ]
        left = "  ".join(cells) + "  "
        effect = textwrap.wrap(row[-1], max(WIDTH - len(left), 30)) or [""]
        whole = [left + effect[0], *(" " * len(left) + more for more in effect[1:])]
        emphasis = style.faint if row is header else style.strong if row[0] else ""
        yield from painted(emphasis, whole, style)


def offending(witness: Witness) -> TraceStep | None:
    """The step that makes the graph's last event, or the last one at the witness's place. A deadlock has none, nor has
    an execution that is wrong as a whole."""
    if witness.kind in (WitnessKind.DEADLOCK, WitnessKind.EXECUTION):
        return None
    last = witness.events[-1].number if witness.events else None
    for step in reversed(witness.trace):
        if step.event == last if last is not None else (step.thread, step.span) == (witness.thread, witness.span):
            return step
    return None


def place_text(lines: Lines, thread: int, span: Span | None) -> str:
    name = printable(thread_name(lines.program, thread))
    return f"thread {name}" if span is None else f"{lines.where(span)}, thread {name}"


def _short(text: str, width: int) -> str:
    text = printable(text)
    return text if len(text) <= width else text[: width - 3] + "..."


def heading(text: str, style: Style) -> Iterator[str]:
    yield ""
    yield from painted(style.strong, wrapped(text), style)


def item(text: str) -> Iterator[str]:
    yield from textwrap.wrap(text, WIDTH, initial_indent="  - ", subsequent_indent="    ")


def more(text: str) -> Iterator[str]:
    """What belongs to the item above."""
    yield from textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ")


def wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent="  ")


def painted(start: str, lines: Iterable[str], style: Style) -> Iterator[str]:
    for line in lines:
        yield style.paint(start, line)
