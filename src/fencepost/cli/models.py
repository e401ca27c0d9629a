"""fencepost models: what can be decided, for which memory model, and how far the answer holds."""

from __future__ import annotations

import textwrap
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from fencepost._version import __version__
from fencepost.models.registry import MODELS, ModelInfo, named

from .exits import OK, UsageError
from .output import show
from .parsing import Parser, nearest, one_of

_WIDTH = 100
_MARGIN = 10


def configure(parser: Parser) -> None:
    parser.add_argument("names", nargs="*", metavar="MODEL", help="only these (default: all)")
    parser.add_argument("--format", type=one_of("format", ("text", "json")), default="text", help="text, json")


def run(arguments: Namespace) -> int:
    models = [_find(name) for name in arguments.names] or list(MODELS.values())
    if arguments.format == "json":
        from fencepost.reports.json import dump

        show(dump({"fencepost": __version__, "models": [_data(model) for model in models]}))
    else:
        show("\n".join(map(describe, models)))
    return OK


def _find(name: str) -> ModelInfo:
    model = named(name)
    if model is None:
        raise UsageError(f"there is no model {name!r}", nearest(name, MODELS) or f"known are {', '.join(MODELS)}")
    return model


def describe(model: ModelInfo) -> str:
    """All that is said of a model, on a few lines."""
    return "".join(f"{line}\n" for line in _lines(model))


def _lines(model: ModelInfo) -> Iterator[str]:
    also = f" (also: {', '.join(model.aliases)})" if model.aliases else ""
    yield f"{f'{model.name} '.ljust(_MARGIN)}{model.title}{also}"
    for text in (model.description, f"Decides {model.decides}.", f"Programs: {', '.join(_programs(model))}."):
        margin = " " * _MARGIN
        yield from textwrap.wrap(text, _WIDTH, initial_indent=margin, subsequent_indent=margin)


def _programs(model: ModelInfo) -> list[str]:
    return sorted(isa.value for isa in model.isas | model.judges)


def _data(model: ModelInfo) -> dict[str, Any]:
    return {
        "name": model.name,
        "aliases": list(model.aliases),
        "title": model.title,
        "description": model.description,
        "decides": model.decides,
        "programs": _programs(model),
    }
