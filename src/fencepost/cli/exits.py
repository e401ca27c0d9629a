"""Exit codes, and what ends the program with one."""

from __future__ import annotations

from collections.abc import Iterable

OK, FOUND, UNKNOWN, USAGE, INTERNAL = 0, 1, 2, 3, 4
INTERRUPTED, PIPE_CLOSED = 130, 141  # as of a process that the signal ends

MEANING = {
    OK: "robust, no assertion fails, no data race",
    FOUND: "not robust, or an assertion fails, or there is a data race",
    UNKNOWN: "unknown: a limit was reached, or something is not supported",
    USAGE: "bad input or usage",
    INTERNAL: "internal error of fencepost",
}

_WORST_FIRST = (INTERNAL, USAGE, FOUND, UNKNOWN, OK)


class UsageError(Exception):
    """What the user asked for cannot be done; the message says why, and the hint what can."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class PipeClosedError(Exception):
    """Whoever read the standard output has had enough."""


def worst(codes: Iterable[int]) -> int:
    """Of several files: the code that needs attention most."""
    return min(codes, key=_WORST_FIRST.index, default=OK)
