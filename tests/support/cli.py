"""Calling fencepost: in this process, where a test is quick, or in one of its own, where signals and pipes matter."""

from __future__ import annotations

import os
import subprocess
import sys

COMMAND = (sys.executable, "-c", "from fencepost.cli.main import entry; entry()")


def start(*arguments: str, **options: object) -> subprocess.Popen[str]:
    """fencepost in a process of its own, its output captured unless told otherwise."""
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    environment = {**os.environ, "PYTHONUNBUFFERED": ""}
    return subprocess.Popen([*COMMAND, *arguments], env=environment, **settings)  # type: ignore[call-overload, no-any-return]


def write(name: str, text: str | bytes) -> str:
    """A file in the current folder. Returns its name."""
    data = text if isinstance(text, bytes) else text.encode("utf-8")
    with open(name, "wb") as file:
        file.write(data)
    return name
