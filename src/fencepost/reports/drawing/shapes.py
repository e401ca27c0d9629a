"""Pieces of SVG text."""

from __future__ import annotations

import html

from .place import Box

MONO = "'DejaVu Sans Mono', Menlo, Consolas, monospace"
SANS = "'DejaVu Sans', Helvetica, Arial, sans-serif"


def rect(box: Box, fill: str, border: float, radius: float = 3.0) -> str:
    return (
        f'<rect x="{length(box.left)}" y="{length(box.top)}" '
        f'width="{length(box.width)}" height="{length(box.height)}" '
        f'rx="{length(radius)}" fill="{fill}" stroke="black" stroke-width="{length(border)}"/>'
    )


def writing(
    x: float,
    y: float,
    text: str,
    *,
    size: float,
    family: str = MONO,
    weight: str = "normal",
    anchor: str = "start",
    colour: str = "black",
) -> str:
    return (
        f'<text x="{length(x)}" y="{length(y)}" font-size="{length(size)}" font-family="{family}" '
        f'font-weight="{weight}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'
    )


def clip(text: str, most: int) -> str:
    return text if len(text) <= most else text[: max(most - 3, 1)] + "..."


def escape(text: str) -> str:
    """For element content. Characters that XML cannot hold have been made visible by `printable`."""
    return html.escape(text)


def length(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
