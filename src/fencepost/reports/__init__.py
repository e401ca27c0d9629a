"""Reports: a check's result as text, JSON or a picture. Renderers only phrase what the result already says."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from fencepost.verdict.types import CheckResult

    Renderer = Callable[[CheckResult], str]

# Each is a module of this package with a function `render`.
FORMATS = ("text", "json", "svg")


def renderer(name: str) -> Renderer:
    """The renderer of a format, imported only now."""
    if name not in FORMATS:
        raise ValueError(f"unknown format {name!r}; known are {', '.join(FORMATS)}")
    return cast("Renderer", import_module(f"{__name__}.{name}").render)


def render(result: CheckResult, format: str = "text") -> str:
    """`result` in a format, as a text that ends with a newline."""
    return renderer(format)(result)
