"""The compilers that tests of the sanitizer use: gcc, and clang, which is installed if that is possible."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache

import pytest

from fencepost.sanitizer import installation

needs_runtime = pytest.mark.skipif(
    not os.path.exists(installation.STATIC_RUNTIME), reason="fencepost was built without the sanitizer runtime"
)


@cache
def installed(program: str, package: str) -> str | None:
    """None, or why there is no such program: it is installed if we may and can."""
    if shutil.which(program):
        return None
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        return f"there is no {program}, and only root could install it (apt install {package})"
    settings = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in ([apt, "update"], [apt, "install", "-y", "--no-install-recommends", package]):
        done = subprocess.run(command, capture_output=True, text=True, env=settings, timeout=600, check=False)
        if done.returncode != 0:
            return f"there is no {program}, and it could not be installed: {done.stderr.strip()[-200:]}"
    return None if shutil.which(program) else f"{package} brought no {program}"


def required(program: str, package: str | None = None) -> None:
    """Skips the test, with the reason, if there is no such program and none can be installed."""
    trouble = installed(program, package or program)
    if trouble is not None:
        pytest.skip(trouble)


def plus_plus(name: str) -> str:
    """The C++ compiler of a family."""
    return {"gcc": "g++", "clang": "clang++"}[name]
