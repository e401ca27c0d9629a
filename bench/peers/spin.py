"""SPIN on Promela models: exhaustive search (nothing lossy), with its own partial-order reduction."""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .measure import run


@dataclass(frozen=True)
class Explored:
    """States stored, errors found, seconds (all of it, and of the search alone), megabytes of the search."""

    states: int
    errors: int
    total: float
    search: float
    peak: float


def is_there() -> bool:
    return shutil.which("spin") is not None and shutil.which("gcc") is not None


def explore(model: Path) -> Explored:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        total = 0.0
        commands = (
            ["spin", "-a", str(model)],
            ["gcc", "-O2", "-DSAFETY", "-DCOLLAPSE", "-o", "pan", "pan.c"],
            ["./pan", "-m1000000", "-E"],
        )
        for command in commands:
            if command[0].startswith("./"):
                command = [str(place / command[0]), *command[1:]]
            finished = run(command, place)
            total += finished.wall
            if finished.code != 0:
                raise SystemExit(f"{' '.join(command)} ended with exit code {finished.code}:\n{finished.output}")
        states = re.search(r"^\s*(\d+) states, stored", finished.output, re.MULTILINE)
        errors = re.search(r"errors: (\d+)", finished.output)
        if states is None or errors is None or "not completed" in finished.output:
            raise SystemExit(f"SPIN has not explored {model.name}:\n{finished.output}")
        return Explored(int(states[1]), int(errors[1]), total, finished.wall, finished.peak)
