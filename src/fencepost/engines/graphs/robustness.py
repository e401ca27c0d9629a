"""Robustness between two axiomatic models, by enumerating the executions of the weaker one.

Every K-consistent execution must be M-consistent. Loops are followed up to a bound; runs beyond it are counted, judged
as far as they go, and make an answer without a violation Unknown.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from fencepost.engines.options import SearchOptions
from fencepost.models import Unsupported
from fencepost.models.axiomatic.algebra import Rules
from fencepost.models.axiomatic.paths import TooManyPathsError, Unrolling
from fencepost.models.mappings import compiled
from fencepost.models.registry import ModelInfo
from fencepost.program.form import Access, Assert, Program
from fencepost.verdict.types import (
    Answer,
    CheckResult,
    Notion,
    NotRobust,
    Robust,
    Statistics,
    Unknown,
    Verdict,
    Witness,
)

from .enumerate import Ending, Enumeration, Limits, enumerate_executions

Progress = Callable[[Statistics], None]

_STATE_BYTES = 1024  # what one final state takes, at most


def unrolling_of(program: Program, prepared: Program, options: SearchOptions) -> Unrolling:
    """In compiled programs, a store-conditional that fails only goes round its loop again: it is not followed."""
    return Unrolling(options.unroll, store_conditionals_fail=program.isa is prepared.isa)


def limits_of(options: SearchOptions, started: float, max_violations: int | None = None) -> Limits:
    left = None if options.timeout is None else max(options.timeout - (time.perf_counter() - started), 1e-3)
    states = Limits().max_states if options.memory is None else max(options.memory // _STATE_BYTES, 1)
    return Limits(max_graphs=options.max_states, timeout=left, max_states=states, max_violations=max_violations)


def check_program(
    program: Program,
    *,
    model: ModelInfo,
    against: ModelInfo,
    notion: Notion = Notion.ROBUST,
    options: SearchOptions | None = None,
    on_progress: Progress | None = None,
) -> CheckResult:
    """Decides `program` as it stands. Raises ValueError for a notion that this engine does not decide."""
    if notion is not Notion.ROBUST:
        raise ValueError(f"{model.name} against {against.name} is checked for {Notion.ROBUST.value} only")
    options = options or SearchOptions()
    result = CheckResult(program, model.name, against.name, notion, Unknown("nothing was enumerated"))
    started = time.perf_counter()
    try:
        check = _Check(program, model, against, options, started)
        found = check.enumerate(on_progress)
        result = replace(
            result,
            verdict=check.verdict(found),
            races=check.races(found),
        )
        assertions, witness = check.assertions(found)
    except (Unsupported, TooManyPathsError, ValueError) as error:  # a ValueError: more than the core can hold
        return replace(result, verdict=Unknown(str(error), unsupported=True))
    statistics = Statistics(seconds=time.perf_counter() - started, executions=found.executions + found.cut)
    return replace(result, assertions=assertions, assertion_witness=witness, statistics=statistics)


class _Check:
    def __init__(
        self, program: Program, model: ModelInfo, against: ModelInfo, options: SearchOptions, started: float
    ) -> None:
        self.model = model
        self.against = against
        self.options = options
        self.started = started
        self.program = compiled(program, model.target)
        self.rules = model.rules_for(self.program)
        self.judge = against.rules_for(self.program)
        self.unrolling = unrolling_of(program, self.program, options)
        racing = model.races and any(not location.atomic for location in self.program.locations)
        self.flag = Rules(self.rules.name, self.rules.flags) if racing else None

    def enumerate(self, on_progress: Progress | None) -> Enumeration:
        def progress(executions: int) -> None:
            if on_progress is not None:
                on_progress(Statistics(seconds=time.perf_counter() - self.started, executions=executions))

        return enumerate_executions(
            self.program,
            self.rules,
            against=[self.judge] if self.flag is None else [self.judge, self.flag],
            unrolling=self.unrolling,
            limits=limits_of(self.options, self.started, max_violations=1),
            on_progress=progress,
        )

    def verdict(self, found: Enumeration) -> Verdict:
        from fencepost.verdict.execution import forbidden_execution, racy_execution

        judged = found.judgements[0]
        if judged.graph is not None:
            candidate = found.candidate(judged.graph)
            return NotRobust(forbidden_execution(candidate, self.model, self.rules, self.against.name, self.judge))
        if self.flag is not None and (race := found.judgements[1].graph) is not None:
            return NotRobust(racy_execution(found.candidate(race), self.model, self.rules, self.flag))
        open_end = why_incomplete(found, self.options)
        if open_end is not None:
            return Unknown(f"no violation in {count(found.executions)}, but {open_end}")
        return Robust(f"all {count(found.executions)}")

    def races(self, found: Enumeration) -> Answer:
        if self.flag is None:
            return Answer.HOLD if self.model.races else Answer.UNKNOWN
        if found.judgements[1].graph is not None and found.judgements[0].graph is None:
            return Answer.FAIL
        complete = found.judgements[0].graph is None and why_incomplete(found, self.options) is None
        return Answer.HOLD if complete else Answer.UNKNOWN

    def assertions(self, found: Enumeration) -> tuple[Answer, Witness | None]:
        """Under the stronger model."""
        from fencepost.verdict.execution import failing_execution

        if not can_fail(self.program):
            return Answer.HOLD, None
        strong = enumerate_executions(
            self.program, self.judge, unrolling=self.unrolling, limits=limits_of(self.options, self.started)
        )
        if strong.failure is not None:
            return Answer.FAIL, failing_execution(strong.candidate(strong.failure), self.against, self.judge)
        complete = why_incomplete(strong, self.options) is None
        return (Answer.HOLD if complete else Answer.UNKNOWN), None


def can_fail(program: Program) -> bool:
    """Whether there are assertions, or accesses that may miss their array."""
    return any(
        isinstance(instruction, Assert) or (isinstance(instruction, Access) and instruction.ref.index is not None)
        for thread in program.threads
        for instruction in thread.code
    )


def count(executions: int) -> str:
    return f"{executions:,} execution{'' if executions == 1 else 's'}"


def why_incomplete(found: Enumeration, options: SearchOptions) -> str | None:
    """What keeps the enumeration from being all executions, in words that follow `but`; None if nothing does."""
    match found.ending:
        case Ending.TIME:
            return f"the time limit of {options.timeout:g} s was reached"
        case Ending.GRAPHS:
            return f"the limit of {options.max_states:,} executions was reached"
        case Ending.STATES:
            return "the final states fill the memory that they may take"
        case Ending.STOPPED:
            return "it was interrupted"
    if found.cut:
        rounds = "once" if options.unroll == 1 else f"{options.unroll} times"
        return f"{found.cut:,} went on when a loop had come round {rounds} (--unroll follows more)"
    return None
