"""The files that arguments stand for: themselves, and in folders all that are in a known language."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from fencepost.frontends import LANGUAGES

from .exits import UsageError


def gather(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """The files, each once, and whether there may be several (so that a report is a list of reports)."""
    found: dict[str, None] = {}
    for argument in arguments:
        if not os.path.isdir(argument):
            found[argument] = None
            continue
        inside = list(_programs(argument))
        if not inside:
            raise UsageError(f"no programs in the folder {argument}", f"they end in {', '.join(_extensions())}")
        found.update(dict.fromkeys(inside))
    return list(found), len(arguments) > 1 or os.path.isdir(arguments[0])


def _programs(folder: str) -> Iterator[str]:
    """In the order of their names; hidden files and folders left out."""
    for path, folders, names in os.walk(folder, onerror=_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(_extensions()) and not name.startswith("."):
                yield os.path.join(path, name)


def _extensions() -> tuple[str, ...]:
    return tuple(sorted({extension for language in LANGUAGES for extension in language.extensions}))


def _unreadable(error: OSError) -> None:
    raise UsageError(f"cannot read the folder {error.filename}: {error.strerror}")
