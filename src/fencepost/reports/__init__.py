"""Reports: a check's result as text, as data (JSON, SARIF), as a picture or a page.

Renderers only phrase what the result already says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from fencepost.verdict.types import CheckResult

    from .failure import Failure

    Renderer = Callable[[CheckResult], str]
    DocumentRenderer = Callable[[Sequence[CheckResult | Failure]], str]

# Each is a module of this package with a function `render`; those of DOCUMENTS also have `document`, for several.
FORMATS = ("text", "json", "sarif", "svg", "html")
DOCUMENTS = ("sarif", "html")


def renderer(name: str) -> Renderer:
    """The renderer of a format, imported only now."""
    if name not in FORMATS:
        raise ValueError(f"unknown format {name!r}; known are {', '.join(FORMATS)}")
    return cast("Renderer", import_module(f"{__name__}.{name}").render)


def render(result: CheckResult, format: str = "text") -> str:
    """`result` in a format, as a text that ends with a newline."""
    return renderer(format)(result)


def document(outcomes: Sequence[CheckResult | Failure], format: str) -> str:
    """One report on several programs, in one of DOCUMENTS."""
    if format not in DOCUMENTS:
        raise ValueError(f"no format for several programs: {format!r}; known are {', '.join(DOCUMENTS)}")
    return cast("DocumentRenderer", import_module(f"{__name__}.{format}").document)(outcomes)
