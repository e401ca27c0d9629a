"""State-robustness: all states of the model's machine, as the reading version enumerates them.

It is as hard as reachability under the model (thesis-robustness-tso-power-pgas, Theorem 2.12), so where threads have
loops, buffers have a bound; if one is full where it would take another store, the answer is Unknown.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from fencepost.engines.options import DEFAULT_BUFFER, SearchOptions
from fencepost.models.reached import Reached
from fencepost.models.registry import ModelInfo
from fencepost.program.analysis.flow import flow_of, natural_loops
from fencepost.program.form import Program
from fencepost.verdict.types import Answer, CheckResult, NotRobust, Robust, Statistics, Unknown, Verdict

Progress = Callable[[Statistics], None]

_PROGRESS_INTERVAL = 0.2  # seconds
_WIDENED_UP_TO = 5_000  # states; to follow more values makes it some times as many


def decide_reached(
    result: CheckResult,
    program: Program,
    info: ModelInfo,
    options: SearchOptions,
    on_progress: Progress | None,
    started: float,
) -> CheckResult:
    """The answer for a prepared program."""
    watch = _Watch(options, on_progress, started)
    buffer = options.buffer or _enough(program)
    try:
        while True:
            found = info.reach(program, buffer, watch.goes_on)
            if not (found.left and found.arrival is None and program.elastic) or found.states > _WIDENED_UP_TO:
                break
            program = program.widened()
    except KeyboardInterrupt:
        found = Reached(watch.states, False, None, stopped=True)
        watch.reason = "interrupted"
    statistics = Statistics(found.states, 0, time.perf_counter() - started)
    assertions = Answer.FAIL if found.failed else Answer.UNKNOWN if found.left or found.stopped else Answer.HOLD
    return replace(
        result, verdict=_verdict(program, info, found, watch, buffer), assertions=assertions, statistics=statistics
    )


def _enough(program: Program) -> int:
    """As many stores as there can be, where no thread has a loop."""
    straight = not any(natural_loops(flow_of(thread)) for thread in program.threads)
    return max((len(thread.code) for thread in program.threads), default=1) or 1 if straight else DEFAULT_BUFFER


def _verdict(program: Program, info: ModelInfo, found: Reached, watch: _Watch, buffer: int) -> Verdict:
    if found.arrival is not None:
        from fencepost.verdict.arrival import witness

        return NotRobust(witness(program, found.arrival, info))
    if found.stopped:
        return Unknown(f"{watch.reason}; no violation after {found.states:,} states")
    if found.left:
        return Unknown(
            f"values from {program.min_value} to {program.max_value} were followed, and no violation was found, but "
            "some runs leave them (a larger range: --values N)"
        )
    if found.bounded:
        return Unknown(
            f"no violation in all {found.states:,} reachable states with store buffers of at most {_stores(buffer)}, "
            "but some would hold more (--buffer N allows more)"
        )
    return Robust(f"all {found.states:,} reachable states, with {_any_buffers(found.longest)}")


def _any_buffers(longest: int) -> str:
    return f"any store buffers: none ever holds more than {_stores(longest)}" if longest else "no store ever waiting"


def _stores(count: int) -> str:
    return "one store" if count == 1 else f"{count} stores"


class _Watch:
    """Ends a search at a limit, and says at which."""

    def __init__(self, options: SearchOptions, on_progress: Progress | None, started: float) -> None:
        self._options = options
        self._on_progress = on_progress
        self._started = started
        self._told = started
        self.states = 0
        self.reason = ""

    def goes_on(self, states: int) -> bool:
        self.states = states
        now = time.perf_counter()
        options = self._options
        if options.max_states is not None and states > options.max_states:
            self.reason = f"the limit of {options.max_states:,} states was reached"
        elif options.timeout is not None and now - self._started > options.timeout:
            self.reason = f"the time limit of {options.timeout:g} s was reached"
        elif self._on_progress is not None and now - self._told > _PROGRESS_INTERVAL:
            self._told = now
            self._on_progress(Statistics(states, 0, now - self._started))
        return not self.reason
