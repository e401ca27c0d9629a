"""The frame of HTML pages, and the parts that they are made of.

Everything that comes from a program is escaped on its way in (`text`). The style and the script beside this file are
part of each page, and its security policy lets no other run.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files

from fencepost._version import __version__
from fencepost.program.form import Program
from fencepost.program.places import Lines
from fencepost.reports.failure import Failure
from fencepost.reports.svg import graph_svg, lay_out
from fencepost.reports.text import offending
from fencepost.reports.words import printable, thread_name
from fencepost.verdict.types import Witness

_WIDE = 736  # a picture that is wider is not made smaller than this
_MOST_LINES = 2000  # of a source that is shown


def text(words: str) -> str:
    return html.escape(printable(words))


def page(title: str, body: Iterable[str]) -> str:
    style, script = _asset("style.css"), _asset("script.js")
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'"
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{text(title)}</title>",
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        *body,
        f"<footer>fencepost {text(__version__)}. Keys: &larr; and &rarr; step through an execution, Home and End go to "
        "its ends.</footer>",
        f"<script>{script}</script>",
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def summary(what: str, counts: str, rows: Iterable[tuple[str, str, str, str]]) -> Iterator[str]:
    """Of several programs: for each its kind (good, bad, doubt), name, model and answer; its article is r0, r1, .."""
    yield f"<header><h1>{text(what)}</h1><p>{text(counts)}</p>"
    yield '<table class="summary"><thead><tr><th>program</th><th>model</th><th>answer</th></tr></thead><tbody>'
    for number, (kind, name, model, answer) in enumerate(rows):
        yield (
            f'<tr class="{kind}"><td><a href="#r{number}">{text(name)}</a></td>'
            f"<td>{text(model)}</td><td>{text(answer)}</td></tr>"
        )
    yield "</tbody></table></header>"


def heading(kind: str, answer: str, so: str, facts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The answer, what it means, and what was asked."""
    yield f'<h2 class="{kind}">{text(answer)}</h2>'
    if so:
        yield f'<p class="so">{text(so)}</p>'
    rows = "".join(f"<dt>{text(name)}</dt><dd>{text(fact)}</dd>" for name, fact in facts)
    yield f'<dl class="facts">{rows}</dl>'


def no_answer(failure: Failure) -> Iterator[str]:
    place = "".join(f":{part}" for part in (failure.line, failure.column) if part is not None)
    yield f'<h2 class="doubt">no answer</h2><p class="facts">{text(failure.file + place)}</p>'
    yield f"<p>{'internal error: ' if failure.is_ours else ''}{text(failure.message)}</p>"
    if failure.hint is not None:
        yield f"<p>hint: {text(failure.hint)}</p>"


def execution(name: str, title: str, witness: Witness, program: Program, below: Iterable[str] = ()) -> Iterator[str]:
    """The program beside the graph and the steps. `name` is that of no other part of the page."""
    yield f'<section class="witness" id="{name}" tabindex="0"><h3>{text(title)}</h3>'
    yield '<div class="both">'
    yield from source(program)
    yield '<div class="run">'
    if witness.events:
        picture = lay_out(witness, program)
        wide = " wide" if picture.placement.width > _WIDE else ""
        yield f'<div class="graph{wide}">{graph_svg(picture, name)}</div>'
    if witness.trace:
        yield (
            '<div class="controls" hidden><button data-go="first" title="Home">|&lt;</button>'
            '<button data-go="back" title="left arrow">&lt; back</button>'
            '<button data-go="forward" title="right arrow">next &gt;</button>'
            '<button data-go="last" title="End">&gt;|</button> <output aria-live="polite"></output></div>'
        )
        yield from _steps(witness, program)
    yield "</div></div>"
    yield from below
    yield "</section>"


def source(program: Program) -> Iterator[str]:
    """The program's text, each line to be found by its number."""
    if not program.source:
        return
    lines = program.source.splitlines()
    cells = _cells(program)
    yield '<ol class="source">'
    for number, line in enumerate(lines[:_MOST_LINES], start=1):
        yield f'<li data-line="{number}"><code>{_parts(line, cells.get(number, ())) or " "}</code></li>'
    if len(lines) > _MOST_LINES:
        yield f'<li class="rest">{len(lines) - _MOST_LINES:,} more lines</li>'
    yield "</ol>"


def _cells(program: Program) -> dict[int, list[int]]:
    """Where instructions stand in the lines that have those of several threads: a litmus test has them in columns."""
    found: dict[int, dict[int, int]] = {}
    for number, thread in enumerate(program.threads):
        for instruction in thread.code:
            if instruction.span is not None:
                found.setdefault(instruction.span.line, {})[instruction.span.column] = number
    return {line: sorted(columns) for line, columns in found.items() if len(set(columns.values())) > 1}


def _parts(line: str, columns: Sequence[int]) -> str:
    """The text of a line, each of its cells to be found by the column in which it starts."""
    parts, done = [], 0
    for column in columns:
        start = column - 1
        end = min((place for mark in "|;" if (place := line.find(mark, start)) >= 0), default=len(line))
        cell = line[start:end].rstrip()
        parts += [text(line[done:start]), f'<span data-column="{column}">{text(cell)}</span>']
        done = start + len(cell)
    return "".join((*parts, text(line[done:])))


def _steps(witness: Witness, program: Program) -> Iterator[str]:
    lines = Lines(program)
    wrong = offending(witness)
    yield '<table class="steps"><thead><tr><th>step</th><th>thread</th><th>line</th><th>source</th>'
    yield "<th>what happens</th></tr></thead><tbody>"
    for number, step in enumerate(witness.trace, start=1):
        event = "" if step.event is None else f' data-event="{step.event}"'
        line = "" if step.span is None else f' data-line="{step.span.line}" data-column="{step.span.column}"'
        mark = ' class="wrong"' if step is wrong else ""
        cells = (
            str(number),
            thread_name(program, step.thread),
            "" if step.span is None else lines.number(step.span),
            lines.text(step.span, step.code).strip(),
            step.effect,
        )
        yield f"<tr{mark}{event}{line}>{''.join(f'<td>{text(cell)}</td>' for cell in cells)}</tr>"
    yield "</tbody></table>"


def bullets(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"<h4>{text(title)}</h4><ul>{''.join(f'<li>{text(item)}</li>' for item in items)}</ul>"
