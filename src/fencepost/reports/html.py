"""Results as one HTML page: the program beside the graph, and the steps to go through. Works from a file, without
network; without scripts, all of it can be read.

Everything that comes from a program is escaped on its way in (`_text`); the page's own style and script are in `page/`,
and its security policy lets no other run.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import files

from fencepost._version import __version__
from fencepost.program.form import Program
from fencepost.program.places import Lines
from fencepost.verdict.types import Answer, Change, CheckResult, NotRobust, Repair, Witness

from .failure import Failure
from .svg import graph_svg
from .text import offending, place_text, statistics_line
from .words import (
    assertion_title,
    consequence,
    cycle_texts,
    deadlock_title,
    execution_title,
    model_title,
    notion_title,
    outcome_word,
    printable,
    safety,
    thread_name,
    verdict_line,
)

_KIND = {Answer.HOLD: "good", Answer.FAIL: "bad", Answer.UNKNOWN: "doubt"}
_MOST_LINES = 2000  # of a source that is shown


def render(result: CheckResult) -> str:
    return document([result])


def document(outcomes: Sequence[CheckResult | Failure]) -> str:
    """A page for all of them, with a summary where there are several."""
    title = "fencepost" if len(outcomes) != 1 else f"fencepost: {_name(outcomes[0])}"
    style, script = _asset("style.css"), _asset("script.js")
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'"
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(title)}</title>",
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        *(_summary(outcomes) if len(outcomes) != 1 else ()),
        *(part for number, outcome in enumerate(outcomes) for part in _section(number, outcome)),
        f"<footer>fencepost {_text(__version__)}. Keys: &larr; and &rarr; step through an execution, Home and End go "
        "to its ends.</footer>",
        f"<script>{script}</script>",
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _asset(name: str) -> str:
    return (files(__package__) / "page" / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _text(text: str) -> str:
    return html.escape(printable(text))


def _name(outcome: CheckResult | Failure) -> str:
    return outcome.file if isinstance(outcome, Failure) else outcome.file or outcome.program.name


def _summary(outcomes: Sequence[CheckResult | Failure]) -> Iterator[str]:
    words = Counter("no answer" if isinstance(each, Failure) else outcome_word(each) for each in outcomes)
    counts = ", ".join(f"{count} {word}" for word, count in words.items()) or "nothing was checked"
    yield f'<header><h1>{len(outcomes)} programs</h1><p>{_text(counts)}</p><table class="summary">'
    yield "<thead><tr><th>program</th><th>model</th><th>answer</th></tr></thead><tbody>"
    for number, each in enumerate(outcomes):
        link = f'<a href="#r{number}">{_text(_name(each))}</a>'
        if isinstance(each, Failure):
            yield f'<tr class="doubt"><td>{link}</td><td></td><td>no answer: {_text(each.message)}</td></tr>'
        else:
            models = f"{_text(model_title(each.model))} against {_text(model_title(each.against))}"
            kind = _KIND[safety(each)]
            yield f'<tr class="{kind}"><td>{link}</td><td>{models}</td><td>{_text(verdict_line(each))}</td></tr>'
    yield "</tbody></table></header>"


def _section(number: int, outcome: CheckResult | Failure) -> Iterator[str]:
    yield f'<article id="r{number}">'
    yield from _failure(outcome) if isinstance(outcome, Failure) else _result(number, outcome)
    yield "</article>"


def _failure(failure: Failure) -> Iterator[str]:
    place = "".join(f":{part}" for part in (failure.line, failure.column) if part is not None)
    yield f'<h2 class="doubt">no answer</h2><p class="facts">{_text(failure.file + place)}</p>'
    yield f"<p>{'internal error: ' if failure.is_ours else ''}{_text(failure.message)}</p>"
    if failure.hint is not None:
        yield f"<p>hint: {_text(failure.hint)}</p>"


def _result(number: int, result: CheckResult) -> Iterator[str]:
    yield f'<h2 class="{_KIND[safety(result)]}">{_text(verdict_line(result))}</h2>'
    yield f'<p class="so">{_text(consequence(result))}</p>'
    program = result.program
    threads = f"{len(program.threads)} thread{'' if len(program.threads) == 1 else 's'}"
    place = "" if result.file is None else f"{result.file}, "
    facts = (
        ("program", f"{program.name} ({place}{threads})"),
        ("model", f"{model_title(result.model)}, against {model_title(result.against)}"),
        ("notion", notion_title(result)),
    )
    rows = "".join(f"<dt>{name}</dt><dd>{_text(fact)}</dd>" for name, fact in facts)
    yield f'<dl class="facts">{rows}</dl>'
    shown = tuple(_witnesses(result))
    for index, (title, witness) in enumerate(shown):
        yield from _witness(f"r{number}w{index}", title, witness, result)
    if not shown:
        yield f'<div class="both">{"".join(_source(program))}</div>'
    lines = Lines(program)
    waits = [f"{place_text(lines, wait.thread, wait.span)}: {wait.what}" for wait in result.busy_waits]
    yield from _list("Busy waits, treated as blocking waits", waits)
    yield from _list("Warnings", result.warnings)
    yield f'<p class="cost">{_text(statistics_line(result.statistics))}</p>'


def _witnesses(result: CheckResult) -> Iterator[tuple[str, Witness]]:
    if isinstance(result.verdict, NotRobust):
        yield execution_title(result.verdict.witness, result), result.verdict.witness
    if result.assertion_witness is not None:
        yield assertion_title(result), result.assertion_witness
    if result.deadlock is not None:
        yield deadlock_title(result), result.deadlock


def _witness(name: str, title: str, witness: Witness, result: CheckResult) -> Iterator[str]:
    yield f'<section class="witness" id="{name}" tabindex="0"><h3>{_text(title)}</h3>'
    yield '<div class="both">'
    yield from _source(result.program)
    yield '<div class="run">'
    if witness.events:
        yield f'<div class="graph">{graph_svg(witness, result.program, name)}</div>'
    if witness.trace:
        yield (
            '<div class="controls" hidden><button data-go="first" title="Home">|&lt;</button>'
            '<button data-go="back" title="left arrow">&lt; back</button>'
            '<button data-go="forward" title="right arrow">next &gt;</button>'
            '<button data-go="last" title="End">&gt;|</button> <output aria-live="polite"></output></div>'
        )
    yield from _steps(witness, result.program)
    yield "</div></div>"
    if witness.cycle:
        yield from _list(
            f"Why {model_title(result.against)} forbids it: these steps would come in a circle",
            tuple(cycle_texts(witness, result.program)),
        )
    yield from _list(
        f"Why {model_title(result.model)} allows it" if witness.cycle else "Why", tuple(map(str, witness.reasons))
    )
    repairs = [_repair(repair, Lines(result.program)) for repair in witness.repairs]
    choice = " (any one of these; then check again)" if len(repairs) > 1 else " (then check again)"
    yield from _list("What would forbid this execution" + choice, repairs)
    yield "</section>"


def _source(program: Program) -> Iterator[str]:
    """The program's text, each line to be found by its number."""
    if not program.source:
        return
    lines = program.source.splitlines()
    yield '<ol class="source">'
    for number, line in enumerate(lines[:_MOST_LINES], start=1):
        yield f'<li data-line="{number}"><code>{_text(line) or " "}</code></li>'
    if len(lines) > _MOST_LINES:
        yield f'<li class="rest">{len(lines) - _MOST_LINES:,} more lines</li>'
    yield "</ol>"


def _steps(witness: Witness, program: Program) -> Iterator[str]:
    if not witness.trace:
        return
    lines = Lines(program)
    wrong = offending(witness)
    yield '<table class="steps"><thead><tr><th>step</th><th>thread</th><th>line</th><th>source</th>'
    yield "<th>what happens</th></tr></thead><tbody>"
    for number, step in enumerate(witness.trace, start=1):
        event = "" if step.event is None else f' data-event="{step.event}"'
        line = "" if step.span is None else f' data-line="{step.span.line}"'
        mark = ' class="wrong"' if step is wrong else ""
        cells = (
            str(number),
            thread_name(program, step.thread),
            "" if step.span is None else lines.number(step.span),
            lines.text(step.span, step.code).strip(),
            step.effect,
        )
        yield f"<tr{mark}{event}{line}>{''.join(f'<td>{_text(cell)}</td>' for cell in cells)}</tr>"
    yield "</tbody></table>"


def _repair(repair: Repair, lines: Lines) -> str:
    return "; and ".join(_change(change, lines) for change in repair.changes)


def _change(change: Change, lines: Lines) -> str:
    source = lines.text(change.span, change.code).strip()
    place = f"{place_text(lines, change.thread, change.span)}: {change.what}"
    return f"{place}: {source}" if source else place


def _list(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"<h4>{_text(title)}</h4><ul>{''.join(f'<li>{_text(item)}</li>' for item in items)}</ul>"
