"""Where a report goes: the terminal, or a file that appears whole or not at all."""

from __future__ import annotations

import os
import signal
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .exits import UsageError


def use_colour(choice: str, to_file: str | None) -> bool:
    """`auto` is a terminal that can, whose user has not set NO_COLOR (no-color.org)."""
    if choice != "auto":
        return choice == "always"
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and to_file is None and sys.stdout is not None and sys.stdout.isatty()


def check_writable(path: str) -> None:
    """Finds out before a long search that its report could not be written."""
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise UsageError(f"cannot write to {path}: it is a directory")
    try:
        if _is_special(target):
            with open(target, "ab"):
                return
        trial = _temporary(target)
        os.close(os.open(trial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        os.unlink(trial)
    except OSError as error:
        raise UsageError(f"cannot write to {path}: {error.strerror}") from None


def save(path: str, text: str) -> None:
    """Writes the file under another name and renames it, so that nobody ever sees a part of it."""
    data = text.encode("utf-8", "backslashreplace")
    target = os.path.realpath(path)
    if _is_special(target):
        with open(target, "wb") as device:
            device.write(data)
        return
    temporary = _temporary(target)
    with _undisturbed():
        try:
            with open(temporary, "xb") as file:
                file.write(data)
            os.replace(temporary, target)
        except BaseException:
            if os.path.exists(temporary):
                os.unlink(temporary)
            raise


def _temporary(target: str) -> str:
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name[:200]}.{os.getpid()}.tmp")


def _is_special(target: str) -> bool:
    """A device or a pipe (/dev/null, /dev/stdout): written to, never replaced."""
    return os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Signals that would end the process between writing and renaming wait until both are done."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
