"""fencepost cc: the C compiler, for the sanitizer."""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.sanitizer import wrapper


def run(arguments: Sequence[str]) -> int:
    return wrapper.main("c", arguments)
