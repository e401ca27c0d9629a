"""Ctrl-C: the first one asks for what is known so far, the second one ends at once."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType, TracebackType
from typing import Self

from .exits import INTERRUPTED


class Interrupts:
    """While entered, counts Ctrl-C. `seen` says whether there was one."""

    def __init__(self) -> None:
        self.seen = False

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.seen:
            if sys.stderr is not None and sys.stderr.isatty():
                os.write(sys.stderr.fileno(), b"\n")
            os._exit(INTERRUPTED)
        self.seen = True
        raise KeyboardInterrupt
