"""Exhaustive search in the core: from a program to a verdict.

The search runs in a thread of its own, so that progress can be reported and Ctrl-C is seen at once; it then ends with
Unknown and what was covered.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol, TypeVar

from fencepost import _core
from fencepost.engines.lowering import require_fitting, to_core
from fencepost.engines.options import Reduction, SearchOptions
from fencepost.models import Unsupported
from fencepost.models.registry import ModelInfo, ValueClasses, find
from fencepost.program.analysis.budgets import budgets, without_limits
from fencepost.program.analysis.lags import lags, widened
from fencepost.program.analysis.moving import Moving, moving_counters
from fencepost.program.analysis.moving import widened as moving_widened
from fencepost.program.analysis.staleness import stale_rules
from fencepost.program.analysis.symmetry import symmetric_groups
from fencepost.program.form import Program
from fencepost.verdict.types import (
    Answer,
    CheckResult,
    Move,
    Notion,
    NotRobust,
    Robust,
    Statistics,
    Unknown,
    Verdict,
    Witness,
    WitnessKind,
)

_Found = TypeVar("_Found", covariant=True)
Progress = Callable[[Statistics], None]

_PROGRESS_INTERVAL = 0.2  # seconds
NEAR_STATES = 20_000  # so many are searched level by level, where witnesses are shortest, before anything else
_FURTHER = 10  # where a violation is known, so many times its search's states are worth a shortest one
_LARGEST_MAX_VALUE = (1 << 24) - 1  # the search keeps a table over all values

# The order of ViolationKind and Ending in the core.
_KINDS = (
    None,
    WitnessKind.STALE_ACCESS,
    WitnessKind.STALE_USE,
    WitnessKind.RACE,
    WitnessKind.ASSERTION,
    WitnessKind.DEADLOCK,
)
_EXHAUSTED, _VIOLATION, _STATES, _MEMORY, _TIME, _STOPPED, NOT_RISING, _TOLD_APART = range(8)


def check_program(
    program: Program,
    *,
    model: str,
    notion: Notion = Notion.ROBUST,
    options: SearchOptions | None = None,
    on_progress: Progress | None = None,
) -> CheckResult:
    """Decides `program` as it stands (see api.check for busy waits). Raises ValueError for an unknown model."""
    info = find(model)
    if info is None:
        raise ValueError(f"no model is called {model!r}")
    require_supported_notion(info, notion)
    options = options or SearchOptions()
    result = CheckResult(program, info.name, "sc", notion, Unknown("nothing was searched"))
    try:
        prepared = info.prepare(program)
    except Unsupported as error:
        return replace(result, verdict=Unknown(str(error), unsupported=True))
    if prepared.max_value > _LARGEST_MAX_VALUE:
        return replace(result, verdict=Unknown(_too_many_values(prepared), unsupported=True))
    started = time.perf_counter()
    try:
        found = _decide(prepared, info, notion, options, on_progress, started)
    except ValueError as error:  # more than the core can hold
        return replace(result, verdict=Unknown(str(error), unsupported=True))
    statistics = Statistics(
        states=found["states"],
        transitions=found["transitions"],
        seconds=time.perf_counter() - started,
        peak_bytes=found["bytes"],
        workers=worker_count(options),
    )
    return _conclude(replace(result, statistics=statistics), info, prepared, found, options)


def _too_many_values(program: Program) -> str:
    return f"values up to {program.max_value} are too many for the search"


def require_supported_notion(info: ModelInfo, notion: Notion) -> None:
    """Raises ValueError for what is not asked about a model."""
    if notion not in info.notions:
        known = ", ".join(sorted(other.value for other in info.notions))
        raise ValueError(f"{info.name} is not checked for {notion.value}; known are {known}")


def worker_count(options: SearchOptions) -> int:
    return options.jobs or os.cpu_count() or 1


def _decide(
    program: Program,
    info: ModelInfo,
    notion: Notion,
    options: SearchOptions,
    on_progress: Progress | None,
    started: float,
) -> _core.Result:
    require_fitting(program)
    if Reduction.BUDGETS in options.reductions:
        found = _without_limits(program, info, notion, options, on_progress, started)
        if found is not None:
            return found
    found = _refined(program, (), info, notion, options, on_progress, started)
    assert found is not None, "only what has moving counters is given up"
    return found


def _without_limits(
    program: Program,
    info: ModelInfo,
    notion: Notion,
    options: SearchOptions,
    on_progress: Progress | None,
    started: float,
) -> _core.Result | None:
    """What is found without limits that keep counters in range, where only relations between their values matter.

    The program can then do all that it could, and more; so only that nothing goes wrong means something. Else None.
    """
    counters = moving_counters(program, budgets(program))
    if not counters:
        return None
    wider = without_limits(program, tuple({limit for counter in counters for limit in counter.limits}))
    if options.timeout is not None:  # the rest is for the program itself
        options = replace(options, timeout=(options.timeout + time.perf_counter() - started) / 2)
    found = _refined(wider, counters, info, notion, options, on_progress, started)
    if found is None:
        return None
    if found["ending"] == _STOPPED:  # what goes wrong without the limits need not go wrong with them
        assertion: _core.Discovery = {**found["assertion"], "kind": 0}
        deadlock: _core.Discovery = {**found["deadlock"], "kind": 0}
        return {**found, "assertion": assertion, "deadlock": deadlock}
    wrong = found["undecided"] or any(found[what]["kind"] for what in ("violation", "assertion", "deadlock"))
    return found if found["ending"] == _EXHAUSTED and not wrong else None


def _refined(
    program: Program,
    moving: tuple[Moving, ...],
    info: ModelInfo,
    notion: Notion,
    options: SearchOptions,
    on_progress: Progress | None,
    started: float,
) -> _core.Result | None:
    """Searches under cheap assumptions first, and again without those that the search refutes.

    None if not even the values of the moving counters can be taken relative to each other.
    """
    precise = Reduction.VALUES not in options.reductions
    rules = stale_rules(program) if Reduction.STALENESS in options.reductions else ()
    groups = symmetric_groups(program) if Reduction.SYMMETRY in options.reductions else ()
    behind = lags(program) if Reduction.LAG in options.reductions else ()
    names = [location.name for location in program.locations for _ in location.initial]
    followed = {register for counter in moving for register in counter.registers}
    behind = tuple(lag for lag in behind if (lag.thread, lag.name(program)) not in followed)
    while True:
        classes = info.classes(program, precise=precise)
        if classes is not None and not all(_moves_in_one_class(program, counter, classes) for counter in moving):
            return None
        core = to_core(program, classes, groups, rules, lags=behind, moving=moving)
        found = _search(core, info, notion, options, on_progress, started)
        if found["ending"] == NOT_RISING:
            falling = names[found["not_rising"]]
            if any(counter.location == falling for counter in moving):
                return None
            rules = tuple(rule for rule in rules if rule.location != falling)
            behind = tuple(lag for lag in behind if lag.location != falling)
        elif found["ending"] == _TOLD_APART:
            thread, registers, cells = found["told_apart"]
            concerned = {names[cell] for cell in _members(cells)} & {counter.location for counter in moving}
            if concerned:
                more = moving_widened(moving, concerned)
                if more is None:
                    return None
                moving = more
            else:
                behind = widened(behind, thread, _members(registers), groups)
        elif found["ending"] == _EXHAUSTED and found["undecided"] and not precise:
            # Classes of several values could not tell whether some stale value is one that the program waits for.
            precise = True
        else:
            return found


def _moves_in_one_class(program: Program, counter: Moving, classes: Mapping[str, ValueClasses]) -> bool:
    """Whether monitors make no difference between the counter's values, wherever they are held."""
    first = program.location(counter.location).initial[0]
    return all(len(set(classes[name].of[first:])) <= 1 for name in (counter.location, *counter.copies))


def _members(mask: int) -> list[int]:
    return [number for number in range(mask.bit_length()) if mask >> number & 1]


def _search(
    program: _core.Program,
    info: ModelInfo,
    notion: Notion,
    options: SearchOptions,
    on_progress: Progress | None,
    started: float,
) -> _core.Result:
    """Nearest states first while they are few; then those first that see most, which mostly is far less to search.

    What is found then may be far away, so what is nearest is looked for once more.
    """

    def run(
        monitor: str = info.monitor, max_states: int | None = None, *, heaviest_first: bool = False
    ) -> _core.Result:
        search = _create(program, monitor, notion, options, started, max_states, heaviest_first=heaviest_first)
        return run_search(search, on_progress, started)

    few = options.max_states is not None and options.max_states <= NEAR_STATES
    if few or info.monitor == "none" or not {Reduction.ORDER, Reduction.SUBSUME} <= options.reductions:
        return run(max_states=options.max_states)
    near = run(max_states=NEAR_STATES)
    if near["ending"] != _STATES:
        return near
    whole = run(max_states=options.max_states, heaviest_first=True)
    if whole["ending"] == _VIOLATION:
        nearest = run(max_states=_FURTHER * whole["states"] + NEAR_STATES)
        if nearest["ending"] != _VIOLATION:
            return whole
        whole = {**nearest, "bytes": max(whole["bytes"], nearest["bytes"])}
    elif whole["assertion"]["kind"] or whole["deadlock"]["kind"]:
        nearest = run(monitor="none")
        if nearest["ending"] == _EXHAUSTED:
            whole = {**whole, "assertion": nearest["assertion"], "deadlock": nearest["deadlock"]}
    return whole


def _create(
    program: _core.Program,
    monitor: str,
    notion: Notion,
    options: SearchOptions,
    started: float,
    max_states: int | None,
    *,
    heaviest_first: bool,
) -> _core.Search:
    on = options.reductions
    spent = time.perf_counter() - started
    return _core.create_search(
        program,
        monitor=monitor,
        observational=notion is Notion.OBSERVATIONAL,
        dead_registers=Reduction.LIVENESS in on,
        fuse_local=Reduction.FUSE in on,
        partial_order=Reduction.PARTIAL_ORDER in on,
        symmetry=Reduction.SYMMETRY in on,
        forget=Reduction.FORGET in on,
        subsume=Reduction.SUBSUME in on,
        compress=Reduction.COMPRESS in on,
        heaviest_first=heaviest_first,
        workers=worker_count(options),
        max_states=max_states or 0,
        max_bytes=options.memory or 0,
        max_seconds=0 if options.timeout is None else max(options.timeout - spent, 1e-3),
    )


class Running(Protocol[_Found]):
    """A search of the core."""

    def run(self) -> _Found: ...
    def stop(self) -> None: ...
    @property
    def states(self) -> int: ...
    @property
    def transitions(self) -> int: ...
    @property
    def bytes(self) -> int: ...


def run_search(search: Running[_Found], on_progress: Progress | None, started: float) -> _Found:
    """The search, in a thread of its own; a KeyboardInterrupt stops it, and it then tells what it has found."""
    results: list[_Found] = []
    failures: list[BaseException] = []
    done = threading.Event()  # not Thread.join, which takes an interrupted wait for the end of the thread

    def work() -> None:
        try:
            results.append(search.run())
        except BaseException as error:  # handed to the caller's thread below
            failures.append(error)
        finally:
            done.set()

    threading.Thread(target=work, daemon=True).start()
    while not done.is_set():
        try:
            if not done.wait(_PROGRESS_INTERVAL) and on_progress is not None:
                elapsed = time.perf_counter() - started
                on_progress(Statistics(search.states, search.transitions, elapsed, search.bytes))
        except KeyboardInterrupt:
            search.stop()
    if failures:
        raise failures[0]
    return results[0]


def _conclude(
    result: CheckResult, info: ModelInfo, program: Program, found: _core.Result, options: SearchOptions
) -> CheckResult:
    """From what the search found to what it means."""
    from fencepost.verdict.replay import witness

    def explained(discovery: _core.Discovery) -> Witness | None:
        kind = _KINDS[discovery["kind"]]
        if kind is None:
            return None
        schedule = tuple(Move(*move) for move in discovery["moves"])
        return witness(program, schedule, discovery["thread"], kind, info, result.notion)

    violation = explained(found["violation"])
    assertion = explained(found["assertion"])
    complete = found["ending"] == _EXHAUSTED
    assertions = Answer.FAIL if assertion else Answer.HOLD if complete else Answer.UNKNOWN
    races = Answer.UNKNOWN
    if violation is not None and violation.kind is WitnessKind.RACE:
        races = Answer.FAIL
    elif complete and info.monitor != "none" and not found["undecided"]:
        races = Answer.HOLD
    return replace(
        result,
        verdict=_verdict(violation, found, options),
        assertions=assertions,
        races=races,
        assertion_witness=assertion,
        deadlock=explained(found["deadlock"]),
    )


def _verdict(violation: Witness | None, found: _core.Result, options: SearchOptions) -> Verdict:
    if violation is not None:
        return NotRobust(violation)
    if found["ending"] != _EXHAUSTED:
        return not_exhausted(found, options)
    if found["undecided"]:
        return Unknown("the values that a wait or CAS may expect could not be told apart")
    return Robust(all_states(found["states"]))


def all_states(count: int) -> str:
    """What an exhaustive search has covered."""
    return "the only reachable state" if count == 1 else f"all {count:,} reachable states"


def is_exhausted(found: _core.Result) -> bool:
    """Whether all states were searched."""
    return found["ending"] == _EXHAUSTED


def not_exhausted(found: _core.Result, options: SearchOptions) -> Unknown:
    """The answer of a search that ended early and has found no violation."""
    return ended_early(found["ending"], f"no violation after {found['states']:,} states", options)


def ended_early(ending: int, covered: str, options: SearchOptions) -> Unknown:
    """What ended a search, and what it had covered."""
    return Unknown(_why(ending, covered, options), stopped=ending == _STOPPED)


def _why(ending: int, covered: str, options: SearchOptions) -> str:
    match ending:
        case 2:
            return f"the limit of {options.max_states:,} states was reached; {covered}"
        case 3:
            limit = (
                "the machine's memory" if options.memory is None else f"the memory limit of {options.memory:,} bytes"
            )
            return f"{limit} was used up; {covered}"
        case 4:
            return f"the time limit of {options.timeout:g} s was reached; {covered}"
        case _:
            return f"interrupted; {covered}"
