"""Ctrl-C: the first one asks for what is known so far, the second one ends at once."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Self

from .exits import INTERRUPTED

_NOTICE = b"\ninterrupted: ending with what is known; Ctrl-C again ends at once\n"


class Interrupts:
    """While entered, counts Ctrl-C. `seen` says whether there was one."""

    def __init__(self) -> None:
        self.seen = False
        self._stoppable = False
        self._before: signal._HANDLER = None

    def __enter__(self) -> Self:
        self._before = signal.getsignal(signal.SIGINT)
        if self._before is not signal.SIG_IGN:  # a job in the background, which another job's Ctrl-C must not end
            signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """Around work that Ctrl-C may cut short, with KeyboardInterrupt. Writing a report is not such work."""
        self._stoppable = True
        try:
            yield
        finally:
            self._stoppable = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.seen:
            _tell(b"\n")
            os._exit(INTERRUPTED)
        self.seen = True
        _tell(_NOTICE)
        if self._stoppable:
            raise KeyboardInterrupt


def _tell(text: bytes) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        os.write(sys.stderr.fileno(), text)
