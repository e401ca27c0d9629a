"""Programs do under the sanitizer what they do without it, whatever they call, natively and in all schedules."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.compilers import needs_runtime, plus_plus, required
from support.fork_server import ForkServer, build

from fencepost.sanitizer import installation

pytestmark = needs_runtime

SOURCES = Path(__file__).parent / "sanitizer"
SCHEDULES = ("native", "random", "pct", "pos")
BUILDS = [(family, level) for family in ("gcc", "clang") for level in ("-O0", "-O2")]

# libstdc++ 12: std::barrier's tree of tickets, and the waiter count of std::atomic::wait (a load that may miss a store
# of the user's: the lost wake-up that libc++ had, llvm issue 109290).
LARGE = ("many_threads", "thousand_at_once")
NOT_ROBUST = ("barriers", "atomic_waits", "semaphores", "futures", "thousand_at_once")

_FOLDER = TemporaryDirectory(prefix="fencepost-")


@cache
def built(name: str, family: str, level: str, runtime: str = installation.STATIC_RUNTIME) -> Path:
    source = SOURCES / name
    plus = source.suffix == ".cpp"
    target = Path(_FOLDER.name) / f"{source.stem}-{family}{level}{Path(runtime).suffix}"
    return build(
        source, target, plus_plus(family) if plus else family, "-std=c++20" if plus else "-std=gnu11", level,
        runtime=runtime,
    )  # fmt: skip


def cases(binary: Path) -> list[str]:
    return subprocess.run([binary], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize(("family", "level"), BUILDS)
@pytest.mark.parametrize("source", ["intercepted.cpp", "intercepted.c"])
def test_what_programs_call(source: str, family: str, level: str) -> None:
    required(family)
    binary = built(source, family, level)
    names = cases(binary)
    assert len(names) > 5
    failed = []
    server = ForkServer([binary])
    for name in names:
        server.set("CASE", name)
        for schedule in SCHEDULES[:2] if name in LARGE else SCHEDULES:
            for seed in (1,) if name in LARGE else (1, 2):
                answer = server.run(f"seed={seed} schedule={schedule} timeout=20000")
                found = answer["violations"] != "0"
                wanted = "66" if found else "0"
                if (answer["status"], answer.get("exit"), answer["races"]) != ("ok", wanted, "0"):
                    failed.append(f"{name} {schedule} {seed}: {answer}")
                if found and name not in NOT_ROBUST:
                    failed.append(f"{name} {schedule} {seed} is robust: {answer}")
    said = server.close()
    assert failed == [], said


def test_the_shared_runtime() -> None:
    binary = built("intercepted.cpp", "gcc", "-O2", installation.SHARED_RUNTIME)
    where = {**os.environ, "LD_LIBRARY_PATH": os.path.dirname(installation.SHARED_RUNTIME)}
    for schedule in ("native", "random"):
        for case in ("mutexes", "conditions", "statics", "cancelled", "memory", "spins"):
            settings = {**where, "CASE": case, "FENCEPOST_OPTIONS": f"schedule={schedule}:seed=3"}
            done = subprocess.run([binary], env=settings, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stdout) == (0, "ok\n"), (case, done.stderr)
