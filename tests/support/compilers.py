"""The compilers that tests of the sanitizer use: gcc, and clang, which is installed if that is possible."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache

import pytest

from fencepost.sanitizer import installation, wrapper
from fencepost.sanitizer.campaign import Campaign, Plan
from fencepost.sanitizer.results import RunResult
from fencepost.sanitizer.suppressions import Suppressions
from fencepost.sanitizer.symbols import Symboliser

needs_runtime = pytest.mark.skipif(
    not os.path.exists(installation.STATIC_RUNTIME), reason="fencepost was built without the sanitizer runtime"
)


@cache
def installed(program: str, package: str) -> str | None:
    """None, or why there is no such program, or header: it is installed if we may and can."""

    def is_there() -> bool:
        return shutil.which(program) is not None or os.path.exists(os.path.join("/usr/include", program))

    if is_there():
        return None
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        return f"there is no {program}, and only root could install it (apt install {package})"
    settings = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in ([apt, "update"], [apt, "install", "-y", "--no-install-recommends", package]):
        done = subprocess.run(command, capture_output=True, text=True, env=settings, timeout=600, check=False)
        if done.returncode != 0:
            return f"there is no {program}, and it could not be installed: {done.stderr.strip()[-200:]}"
    return None if is_there() else f"{package} brought no {program}"


def required(program: str, package: str | None = None) -> None:
    """Skips the test, with the reason, if there is no such program and none can be installed."""
    trouble = installed(program, package or program)
    if trouble is not None:
        pytest.skip(trouble)


def packaged(header: str, package: str) -> None:
    """Skips the test, with the reason, if there is no such header of a library and it cannot be installed."""
    required(header, package)


def plus_plus(name: str) -> str:
    """The C++ compiler of a family."""
    return {"gcc": "g++", "clang": "clang++"}[name]


def build(source: object, target: object, *options: str, compiler: str = "gcc", language: str = "c") -> None:
    """Compiles and links as `fencepost cc` and `fencepost c++` do, without starting Python for it."""
    name = plus_plus(compiler) if language == "c++" else compiler
    found = shutil.which(name)
    assert found is not None
    choice = wrapper.choose(["-x", language, str(source), *options, "-o", str(target)])
    done = subprocess.run(wrapper.complete([found], choice), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def campaign(program: object, *arguments: str, **settings: object) -> RunResult:
    """The result of runs of the program."""
    runs = Campaign(Plan((str(program), *arguments), **settings))  # type: ignore[arg-type]
    runs.run()
    return runs.result(Symboliser(), Suppressions())
