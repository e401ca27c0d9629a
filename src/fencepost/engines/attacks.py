"""Robustness as reachability under SC of a program in which one thread may delay its stores.

The core searches for all attacks at once. Where no store can be delayed past a load, there is nothing to search.
"""

from __future__ import annotations

import time
from dataclasses import replace

from fencepost import _core
from fencepost.engines.exhaustive import (
    NOT_RISING,
    Progress,
    all_states,
    is_exhausted,
    not_exhausted,
    require_supported_notion,
    run_search,
    worker_count,
)
from fencepost.engines.lowering import require_fitting, to_core
from fencepost.engines.options import Reduction, SearchOptions
from fencepost.engines.reached import decide_reached
from fencepost.models import Unsupported
from fencepost.models.registry import ModelInfo, find
from fencepost.program.analysis.delays import unfenced_pairs
from fencepost.program.analysis.staleness import StaleRule, stale_rules
from fencepost.program.analysis.symmetry import symmetric_groups
from fencepost.program.form import MEMORY, Access, Assert, BlockingCas, Program, Wait
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

_GOALS = {Notion.ROBUST: "cycle", Notion.TRIANGULAR: "triangle"}


def check_program(
    program: Program,
    *,
    model: str,
    notion: Notion = Notion.ROBUST,
    options: SearchOptions | None = None,
    on_progress: Progress | None = None,
) -> CheckResult:
    """Decides `program` as it stands. Raises ValueError for an unknown model, or a notion that it does not have."""
    info = find(model)
    if info is None:
        raise ValueError(f"no model is called {model!r}")
    require_supported_notion(info, notion)
    options = options or SearchOptions()
    result = CheckResult(program, info.name, "sc", notion, Unknown("nothing was searched"))
    started = time.perf_counter()
    try:
        prepared = info.prepare(program)
        if notion is Notion.STATE:
            return _decided_states(result, prepared, info, options, on_progress, started)
        return _decided(result, prepared, info, options, on_progress, started)
    except (Unsupported, ValueError) as error:  # a ValueError: more than the core can hold
        return replace(result, verdict=Unknown(str(error), unsupported=True))


def _decided_states(
    result: CheckResult,
    program: Program,
    info: ModelInfo,
    options: SearchOptions,
    on_progress: Progress | None,
    started: float,
) -> CheckResult:
    """Robust programs are state-robust (Theorem 2.19), whatever buffers hold; of others all states are visited."""
    robust = _decided(replace(result, notion=Notion.ROBUST), program, info, options, on_progress, started)
    match robust.verdict:
        case Robust(coverage):
            return replace(robust, notion=result.notion, verdict=Robust(f"it is even robust: {coverage}"))
        case Unknown(stopped=True) as stopped:
            return replace(result, verdict=stopped, statistics=robust.statistics)
    return decide_reached(result, program, info, options, on_progress, started)


def _decided(
    result: CheckResult,
    program: Program,
    info: ModelInfo,
    options: SearchOptions,
    on_progress: Progress | None,
    started: float,
) -> CheckResult:
    """The answer for a prepared program; with more values as long as it is they that are missing."""
    states = transitions = 0
    while True:
        search = _Search(program, info, result.notion, options)
        if search.is_needless:
            statistics = Statistics(seconds=time.perf_counter() - started, workers=worker_count(options))
            return replace(result, verdict=Robust(_NO_ATTACKS), assertions=Answer.HOLD, statistics=statistics)
        found = search.run(on_progress, started)
        states += found["states"]
        transitions += found["transitions"]
        wanting = is_exhausted(found) and found["range"]["kind"] != 0 and search.attackable
        wider = program.widened()
        if not (wanting and program.elastic) or found["states"] > _WIDENED_UP_TO or wider.max_value > _core.MAX_INTEGER:
            break
        program = wider
    statistics = Statistics(states, transitions, time.perf_counter() - started, found["bytes"], worker_count(options))
    return _conclude(replace(result, statistics=statistics), search, found)


def failing_assertion(
    program: Program, *, model: ModelInfo, options: SearchOptions, on_progress: Progress | None = None
) -> Witness | Unknown | None:
    """How an assertion fails under SC, whatever attacks there are; None if none does."""
    from fencepost.verdict import replay

    search = _Search(model.prepare(program), model, Notion.ROBUST, options)
    search.attackable = False
    found = search.run(on_progress, time.perf_counter())
    failure = found["assertion"]
    if failure["kind"] == 0:
        return None if is_exhausted(found) else not_exhausted(found, options)
    schedule = tuple(Move(*move) for move in failure["moves"])
    return replay.witness(search.program, schedule, failure["thread"], WitnessKind.ASSERTION, model, Notion.ROBUST)


_WIDENED_UP_TO = 50_000  # states; to follow more values makes it some times as many
_NO_ATTACKS = "fences stand between every store and every later load of other memory"


class _Search:
    """What is to be searched of a prepared program, and how."""

    def __init__(self, program: Program, info: ModelInfo, notion: Notion, options: SearchOptions) -> None:
        self.program = program
        self.info = info
        self.notion = notion
        self.options = options
        self.attackable = bool(unfenced_pairs(program, info.flushes))

    @property
    def is_needless(self) -> bool:
        """No attack is possible, and nothing can go wrong under SC either."""
        return not self.attackable and not any(
            isinstance(instruction, Assert | Wait | BlockingCas)
            or (isinstance(instruction, Access) and instruction.ref.index is not None and self.program.wraps)
            for thread in self.program.threads
            for instruction in thread.code
        )

    def run(self, on_progress: Progress | None, started: float) -> _core.Result:
        """Searches on the assumption that version numbers never decrease, and again without what a run refutes."""
        require_fitting(self.program)
        rules = self.stale_rules()
        names = [location.name for location in self.program.locations for _ in location.initial]
        while True:
            found = run_search(self.search(rules, started), on_progress, started)
            if found["ending"] != NOT_RISING:
                return found
            rules = tuple(rule for rule in rules if rule.location != names[found["not_rising"]])

    def stale_rules(self) -> tuple[StaleRule, ...]:
        code = (instruction for thread in self.program.threads for instruction in thread.code)
        by_name = all(not isinstance(i, Access) or i.ref.location != MEMORY for i in code)
        fitting = self.program.wraps and self.program.min_value == 0 and by_name
        return stale_rules(self.program) if Reduction.STALENESS in self.options.reductions and fitting else ()

    def search(self, rules: tuple[StaleRule, ...], started: float) -> _core.Search:
        on, options = self.options.reductions, self.options
        groups = symmetric_groups(self.program) if Reduction.SYMMETRY in on else ()
        return _core.create_search(
            to_core(self.program, None, groups, rules, self.info.flushes),
            monitor=self.info.monitor,
            goal=_GOALS[self.notion] if self.attackable else "none",
            observational=False,
            dead_registers=Reduction.LIVENESS in on,
            fuse_local=Reduction.FUSE in on,
            partial_order=Reduction.PARTIAL_ORDER in on,
            symmetry=Reduction.SYMMETRY in on,
            forget=False,
            subsume=False,  # what is delayed does not grow only
            compress=Reduction.COMPRESS in on,
            workers=worker_count(options),
            max_states=options.max_states or 0,
            max_bytes=options.memory or 0,
            max_seconds=0 if options.timeout is None else max(options.timeout - (time.perf_counter() - started), 1e-3),
        )


def _conclude(result: CheckResult, search: _Search, found: _core.Result) -> CheckResult:
    from fencepost.verdict import computation, replay

    def schedule(discovery: _core.Discovery) -> tuple[Move, ...]:
        return tuple(Move(*move) for move in discovery["moves"])

    def under_sc(name: WitnessKind, discovery: _core.Discovery) -> Witness | None:
        if discovery["kind"] == 0:
            return None
        kind, thread = name, discovery["thread"]
        return replay.witness(search.program, schedule(discovery), thread, kind, search.info, result.notion)

    complete = is_exhausted(found) and found["range"]["kind"] == 0
    assertion = under_sc(WitnessKind.ASSERTION, found["assertion"])
    violation = found["violation"]
    verdict: Verdict
    if violation["kind"] != 0:
        verdict = NotRobust(computation.witness(search.program, schedule(violation), search.info, result.notion))
    elif not search.attackable:
        verdict = Robust(_NO_ATTACKS)
    elif complete:
        verdict = Robust(all_states(found["states"]))
    elif is_exhausted(found):
        verdict = Unknown(_left_range(search.program, found["range"]))
    else:
        verdict = not_exhausted(found, search.options)
    return replace(
        result,
        verdict=verdict,
        assertions=Answer.FAIL if assertion else Answer.HOLD if complete else Answer.UNKNOWN,
        assertion_witness=assertion,
        deadlock=under_sc(WitnessKind.DEADLOCK, found["deadlock"]),
    )


def _left_range(program: Program, discovery: _core.Discovery) -> str:
    thread = program.threads[discovery["thread"]]
    instruction = thread.code[discovery["pc"]]
    place = f"instruction {discovery['pc']}" if instruction.span is None else f"line {instruction.span.line}"
    followed = f"values from {program.min_value} to {program.max_value} were followed, and no violation was found, but"
    if isinstance(instruction, Access) and instruction.ref.location == MEMORY:
        addresses = sorted(location.address for location in program.locations if location.address is not None)
        return (
            f"{followed} thread {thread.name} leaves them at {place}, or the memory, which is at the addresses "
            f"{_spans(addresses)} (a larger range of values: --values N; more memory: memory_size N in the program)"
        )
    return f"{followed} thread {thread.name} leaves them at {place} (a larger range: --values N)"


def _spans(numbers: list[int]) -> str:
    """`0 to 9, 12`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in spans) or "none"
