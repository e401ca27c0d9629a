"""Runs of fencepost and of other programs: what they answer, how long they take, how much memory they touch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Run:
    """One finished process. Times in seconds, start-up included; `peak` is its resident memory in megabytes."""

    code: int
    output: str
    wall: float
    cpu: float
    peak: float


def run(command: list[str], cwd: Path | None = None) -> Run:
    """Runs `command` to its end. What it says on standard error is not wanted."""
    started = time.perf_counter()
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    return Run(process.returncode, output, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


@dataclass(frozen=True)
class Check:
    """What `fencepost check` has answered."""

    run: Run
    report: dict[str, Any]

    @property
    def verdict(self) -> str:
        return str(self.report["verdict"])

    @property
    def states(self) -> int:
        return int((self.report.get("statistics") or {}).get("states", 0))

    @property
    def seconds(self) -> float:
        """Of the search alone, by the clock."""
        return float((self.report.get("statistics") or {}).get("seconds", 0))

    @property
    def as_marked(self) -> bool:
        """Whether the answer is the one that the file announces (there may be none)."""
        return not any("the file expects" in warning for warning in self.report["warnings"])


def check(file: Path, *options: str) -> Check:
    """`fencepost check` of one file, in a process of its own."""
    finished = run([str(Path(sys.executable).parent / "fencepost"), "check", str(file), "--format", "json", *options])
    if finished.code not in (0, 1, 2):
        raise SystemExit(f"fencepost check {file} ended with exit code {finished.code}")
    return Check(finished, json.loads(finished.output))
