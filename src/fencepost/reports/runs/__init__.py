"""Reports of running programs: the result of `fencepost run`, in its formats. As for checks, they only phrase it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from fencepost.sanitizer.results import RunResult

# Each is a module of this package with a function `render`.
FORMATS = ("text", "json", "sarif", "html")


def render(result: RunResult, format: str = "text") -> str:
    """`result` in a format, as a text that ends with a newline."""
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}; known are {', '.join(FORMATS)}")
    render = cast("Callable[[RunResult], str]", import_module(f"{__name__}.{format}").render)
    return render(result)
