"""Where text goes: the terminal, or a file that appears whole or not at all."""

from __future__ import annotations

import os
import signal
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from .exits import PipeClosedError, UsageError


def show(text: str) -> None:
    """Writes to standard output, at once."""
    if sys.stdout is None:  # closed by whoever started us
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _silence_stdout()
        raise PipeClosedError from None
    except OSError as error:
        _silence_stdout()
        raise UsageError(f"cannot write to standard output: {error.strerror}") from None


def complain(text: str) -> None:
    """Writes to standard error, without anything in names or messages that could steer a terminal."""
    if sys.stderr is None:
        return
    with suppress(OSError):
        print("".join(map(_visible, text)), file=sys.stderr, flush=True)


def _visible(character: str) -> str:
    return character if character.isprintable() or character in "\n\t" else f"\\u{ord(character):04x}"


def use_colour(choice: str, to_file: str | None) -> bool:
    """`auto` is a terminal that can, whose user has not set NO_COLOR (no-color.org)."""
    if choice != "auto":
        return choice == "always"
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and to_file is None and sys.stdout is not None and sys.stdout.isatty()


def check_writable(path: str) -> None:
    """Finds out before a long search that its report could not be written."""
    if os.path.isdir(path):
        raise UsageError(f"cannot write to {path}: it is a directory")
    try:
        if _is_special(path):
            return  # opening a pipe would wait for its reader
        trial = _temporary(os.path.realpath(path))
        with _undisturbed():
            os.close(os.open(trial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            os.unlink(trial)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL character
        raise UsageError(f"cannot write to {path}: {_reason(error)}") from None


def save(path: str, text: str) -> None:
    """Writes the file under another name and renames it, so that nobody ever sees a part of it.

    If that fails, the report of what may have been a long search goes to standard output instead.
    """
    data = text.encode("utf-8", "backslashreplace")
    try:
        _write(path, data)
    except OSError as error:
        show(text)
        raise UsageError(f"cannot write to {path}: {_reason(error)}; the report is on standard output") from None


def _write(path: str, data: bytes) -> None:
    if _is_special(path):
        with open(path, "wb") as device:
            device.write(data)
        return
    target = os.path.realpath(path)
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


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _temporary(target: str) -> str:
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name[:200]}.{os.getpid()}.tmp")


def _is_special(path: str) -> bool:
    """A device or a pipe (/dev/null, /dev/stdout): written to, never replaced."""
    return os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode)


def _silence_stdout() -> None:
    """What is still in the buffer goes nowhere, rather than failing once more when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


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
