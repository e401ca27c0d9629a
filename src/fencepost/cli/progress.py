"""One line on the terminal that says how far a search has come. It is gone before anything else is written."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fencepost.verdict.types import Statistics


class Progress:
    """Shows statistics on stderr, if that is a terminal."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._shown = sys.stderr is not None and sys.stderr.isatty()
        self._width = 0

    def __call__(self, statistics: Statistics) -> None:
        if statistics.executions:
            self._write(f"{self._name}: {statistics.executions:,} executions, {statistics.seconds:.0f} s")
            return
        rate = statistics.states / statistics.seconds if statistics.seconds > 0 else 0.0
        self.line(f"{statistics.states:,} states, {rate:,.0f} states/s, {statistics.seconds:.0f} s")

    def line(self, text: str) -> None:
        self._write(f"{self._name}: {text}")

    def start(self) -> None:
        """Shows what is being worked on before there is anything to count."""
        self._write(self._name)

    def clear(self) -> None:
        if self._width:
            self._write("")

    def _write(self, text: str) -> None:
        if not self._shown:
            return
        text = text[: _columns() - 1]  # a line that wraps could not be taken back
        print(f"\r{text.ljust(self._width)}\r{text}", end="", file=sys.stderr, flush=True)
        self._width = len(text)


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80
