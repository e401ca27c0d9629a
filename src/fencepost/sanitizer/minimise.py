"""Shrinking the schedule of a finding to few context switches, by trying shorter ones, which must show it as well.

A schedule is a list of segments, "thread 1 for 12 steps" (runtime/PROTOCOL.md). Candidates are followed as far as they
can be (a thread that cannot go on is passed over), and recorded again while they run: what counts is what happened.
"""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .results import Setup
from .server import ForkServer, RunOutcome

_HEADER = "fencepost-schedule 1"


@dataclass(frozen=True, slots=True)
class Schedule:
    segments: tuple[tuple[int, int], ...]  # thread, steps
    choices: tuple[int, ...] = ()

    @property
    def switches(self) -> int:
        return max(0, len(self.segments) - 1)

    @property
    def steps(self) -> int:
        return sum(steps for _, steps in self.segments)

    @property
    def cost(self) -> tuple[int, int]:
        return (self.switches, self.steps)


class ScheduleError(Exception):
    """The file is no schedule."""


def read(path: str) -> Schedule:
    with open(path, encoding="ascii", errors="replace") as file:
        lines = file.read().split("\0")[0].splitlines()
    if not lines or lines[0] != _HEADER:
        raise ScheduleError(f"{path} is not a schedule that fencepost has recorded")
    segments, choices = [], []
    for line in lines[1:]:
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "end":
            break
        try:
            if words[0] == "?":
                choices.append(int(words[1]))
            else:
                segments.append((int(words[0]), int(words[1])))
        except (ValueError, IndexError):
            raise ScheduleError(f"{path}: a line that is no part of a schedule: {line[:60]}") from None
    return Schedule(merged(segments), tuple(choices))


def write(path: str, schedule: Schedule, remark: str = "") -> None:
    lines = [_HEADER, *([f"# {remark}"] if remark else [])]
    lines += [f"? {choice}" for choice in schedule.choices]
    lines += [f"{thread} {steps}" for thread, steps in schedule.segments]
    with open(path, "w", encoding="ascii", errors="replace") as file:
        file.write("\n".join(lines) + "\n")


def merged(segments: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Neighbours of the same thread are one segment."""
    result: list[tuple[int, int]] = []
    for thread, steps in segments:
        if result and result[-1][0] == thread:
            result[-1] = (thread, result[-1][1] + steps)
        else:
            result.append((thread, steps))
    return tuple(result)


def candidates(schedule: Schedule) -> Iterator[Schedule]:
    """Shorter ones: what comes first saves most. All have fewer switches, or fewer steps and no more switches."""
    segments = schedule.segments
    count = len(segments)
    length = count // 2
    while length >= 1:  # without a part, which is then run at the end, in any order
        for start in range(count - length, -1, -max(1, length)):
            yield Schedule(merged(segments[:start] + segments[start + length :]), schedule.choices)
        length //= 2
    for index in range(count):  # all that a thread does in two goes, in one: later, or sooner
        thread, steps = segments[index]
        following = next((other for other in range(index + 1, count) if segments[other][0] == thread), None)
        if following is None:
            continue
        whole = ((thread, steps + segments[following][1]),)
        between, rest = segments[index + 1 : following], segments[following + 1 :]
        yield Schedule(merged((*segments[:index], *between, *whole, *rest)), schedule.choices)
        yield Schedule(merged((*segments[:index], *whole, *between, *rest)), schedule.choices)


class Minimiser:
    """Works with a server of its own. `same` says whether an outcome shows the finding."""

    def __init__(self, server: ForkServer, folder: str, same: Callable[[RunOutcome], bool], timeout: float) -> None:
        self._server = server
        self._same = same
        self._timeout = timeout
        self._wanted = os.path.join(folder, "wanted")
        self._happened = os.path.join(folder, "happened")

    def record(self, setup: Setup) -> Schedule | None:
        """The schedule of a run that shows the finding, or None if it does not show it again."""
        return self._try(setup, f"record={self._happened}")

    def shrink(self, schedule: Schedule, seconds: float) -> Schedule:
        """The best that was found in the time."""
        end = time.monotonic() + seconds
        best = schedule
        improved = True
        while improved:
            improved = False
            for candidate in candidates(best):
                if time.monotonic() > end:
                    return best
                write(self._wanted, candidate)
                happened = self._try(Setup("replay", 1, replay=self._wanted), f"lenient=1 record={self._happened}")
                if happened is not None and happened.cost < best.cost:
                    best, improved = happened, True
                    break
        return best

    def _try(self, setup: Setup, extra: str) -> Schedule | None:
        if os.path.exists(self._happened):
            os.unlink(self._happened)
        self._server.begin(setup, extra)
        outcome = self._wait()
        if outcome is None or not self._same(outcome):
            return None
        try:
            return read(self._happened)
        except (OSError, ScheduleError):
            return None

    def _wait(self) -> RunOutcome | None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._server, selectors.EVENT_READ)
            end = time.monotonic() + self._timeout
            while time.monotonic() < end:
                if selector.select(max(0.0, end - time.monotonic())):
                    outcome = self._server.outcome()
                    if outcome is not None:
                        return outcome
            self._server.kill_run()
            return None
