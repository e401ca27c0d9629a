"""What is said when fencepost itself goes wrong: what happened, and what to put into a report."""

from __future__ import annotations

import os

from fencepost._version import __version__


def internal_error(error: BaseException, file: str | None = None) -> str:
    """The message for an error that should not have happened."""
    import platform  # which costs something to import

    about = "" if file is None else f"{file}: "
    attach = "the command line" if file is None else "the command line and the file"
    return (
        f"{about}error: fencepost itself went wrong: {described(error)}\n"
        "hint: the answer is unknown, not robust; please report this, with "
        f"{attach} and this line: fencepost {__version__}, Python {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}, {_place(error)}"
    )


def described(error: BaseException) -> str:
    """`ReplayError: step 3: ...`, on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _place(error: BaseException) -> str:
    """Where it was raised: the file and the line, no more."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "nowhere"
    return f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
