"""One program under several models: one table, as text and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fencepost.engines.graphs.comparison import Comparison, Row
from fencepost.program.condition import show

from .outcomes import test_data
from .style import PLAIN, Style
from .text import wrapped
from .words import model_title, printable

UNKNOWN, NOTHING = "?", "-"


def render(result: Comparison, style: Style = PLAIN) -> str:
    """The table, then what is to be said about it."""
    return "\n".join(line.rstrip() for line in _report(result, style)) + "\n"


def _report(result: Comparison, style: Style) -> Iterator[str]:
    program = result.program
    name = printable(program.name) if result.file is None else f"{printable(program.name)} ({printable(result.file)})"
    yield style.paint(style.strong, name)
    if program.final is not None:
        yield from wrapped(
            f"{program.final.quantifier.value} {printable(show(program.final.proposition, program.value_text))}", "  "
        )
    yield ""
    others = [row.model for row in result.rows]
    head = ["model", "executions", "states", *(["condition"] if program.final is not None else [])]
    head += [f"not {model_title(other)}" for other in others]
    lines = [head, *(_cells(row, result) for row in result.rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        first, *rest = (text.rjust(width) for text, width in zip(line, widths, strict=True))
        yield "  ".join(["  " + first.strip().ljust(widths[0]), *rest])
    for row in result.rows:
        if row.unknown is not None or row.open_end is not None:
            why = row.unknown or f"{UNKNOWN} where it may be more: {row.open_end}"
            yield from wrapped(f"{model_title(row.model)}: {printable(why)}", "  ")
    yield ""
    yield style.paint(style.faint, f"{sum(row.seconds for row in result.rows):.2f} s")


def _cells(row: Row, result: Comparison) -> list[str]:
    more = UNKNOWN if row.open_end is not None else ""
    condition = [] if result.program.final is None else [f"{row.occurrence.value}{more}" if row.occurrence else NOTHING]
    if row.unknown is not None:
        nothing = [UNKNOWN] * (2 + len(condition))
        return [model_title(row.model), *nothing, *([UNKNOWN] * len(result.rows))]
    cells = [model_title(row.model), f"{row.executions:,}{more}", f"{row.states:,}{more}", *condition]
    return cells + [_forbidden(row, other.model) for other in result.rows]


def _forbidden(row: Row, other: str) -> str:
    if other not in row.forbidden:
        return NOTHING
    return f"{row.forbidden[other]:,}{UNKNOWN if row.open_end is not None else ''}"


def line(result: Comparison, models: Sequence[str]) -> str:
    """One row of a table of several programs: for each model its executions, and how many of them the first forbids."""
    rows = {row.model: row for row in result.rows}
    return "  ".join(_brief(rows[model], models[0]).rjust(len(column_of(model))) for model in models)


def column_of(model: str) -> str:
    return model_title(model).rjust(10)


def _brief(row: Row, first: str) -> str:
    if row.unknown is not None:
        return UNKNOWN
    more = UNKNOWN if row.open_end is not None else ""
    extra = row.forbidden.get(first, 0)
    return f"{row.executions:,}{more}" + (f" (+{extra:,})" if extra else "")


def data(result: Comparison) -> dict[str, Any]:
    """The result as dictionaries, lists, strings and numbers (docs/json-litmus.md)."""
    return {
        **test_data(result.program, result.file, result.unroll),
        "models": [_row(row, result) for row in result.rows],
    }


def _row(row: Row, result: Comparison) -> dict[str, Any]:
    others = [other.model for other in result.rows if other.model in row.forbidden]
    return {
        "model": row.model,
        "compiled_to": None if row.isa is None else row.isa.value,
        "executions": row.executions,
        "states": row.states,
        "cut": row.cut,
        "failed": row.failed,
        "occurrence": None if row.occurrence is None else row.occurrence.value,
        "complete": row.unknown is None and row.open_end is None,
        "reason": row.unknown or row.open_end,
        "against": [
            {"model": other, "violations": row.forbidden[other], "robust": row.robust_against(other)}
            for other in others
        ],
        "seconds": row.seconds,
    }
