"""What a litmus test comes to as one picture: an execution for each final state, one below the other."""

from __future__ import annotations

from collections.abc import Iterator

from fencepost.engines.graphs.outcomes import Outcomes

from .drawing.place import MARGIN
from .drawing.shapes import SANS, length, writing
from .outcomes import headline, values_text
from .svg import Picture, graph_svg, lay_out, size_of
from .words import printable

_TITLE, _LINE, _GAP = 14.0, 22.0, 18.0
_LETTER = 0.58  # width of a character, in units of the font size


def render(result: Outcomes) -> str:
    """A standalone SVG document. Executions are in `result` only if they were asked for."""
    shown = [
        (
            f"{values_text(state, result.program)} ({state.executions:,} of {result.executions:,})",
            lay_out(state.execution, result.program),
        )
        for state in result.states
        if state.execution is not None
    ]
    title = printable(headline(result))
    texts = [title, *(text for text, _ in shown)]
    width = max(
        *(len(text) * _TITLE * _LETTER + 2 * MARGIN for text in texts), *(size_of(each)[0] for _, each in shown), 1
    )
    height = MARGIN + _LINE + sum(_LINE + _GAP + size_of(picture)[1] for _, picture in shown)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{length(width)}" height="{length(height)}" '
        f'viewBox="0 0 {length(width)} {length(height)}">',
        '<rect width="100%" height="100%" fill="white"/>',
        writing(MARGIN, MARGIN + _TITLE, title, size=_TITLE, family=SANS, weight="bold"),
        *_executions(shown),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _executions(shown: list[tuple[str, Picture]]) -> Iterator[str]:
    y = MARGIN + _LINE
    for number, (text, picture) in enumerate(shown):
        yield writing(MARGIN, y + _LINE, text, size=_TITLE, family=SANS)
        y += _LINE + _GAP / 2
        yield f'<svg y="{length(y)}"' + graph_svg(picture, f"s{number}").removeprefix("<svg").rstrip("\n")
        y += size_of(picture)[1] + _GAP / 2
