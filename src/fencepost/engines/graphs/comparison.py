"""One program under several axiomatic models: how many executions each has, and which of them the others forbid."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from fencepost.engines.options import SearchOptions
from fencepost.models import Unsupported
from fencepost.models.axiomatic.algebra import Rules
from fencepost.models.axiomatic.paths import TooManyPathsError
from fencepost.models.mappings import compiled
from fencepost.models.registry import MODELS, ModelInfo
from fencepost.program.condition import Occurrence, holds, occurrence
from fencepost.program.form import Isa, Program
from fencepost.verdict.types import Statistics

from .enumerate import enumerate_executions
from .outcomes import _telling, observed_of
from .robustness import limits_of, unrolling_of, why_incomplete


@dataclass(frozen=True, slots=True)
class Row:
    """The program under one model. `forbidden`: of its executions, how many each of the other models forbids; those
    that say nothing about them (another processor's instructions) are missing."""

    model: str
    isa: Isa | None = None  # what the program was compiled to
    executions: int = 0
    states: int = 0
    cut: int = 0
    failed: int = 0
    occurrence: Occurrence | None = None
    forbidden: Mapping[str, int] = field(default_factory=dict)
    open_end: str | None = None  # why there may be more; None if this is all
    unknown: str | None = None  # why nothing was enumerated
    seconds: float = 0.0

    def robust_against(self, other: str) -> bool | None:
        """Whether every execution is one of `other`; None if that is not known."""
        if self.unknown is not None or other not in self.forbidden:
            return None
        if self.forbidden[other]:
            return False
        return True if self.open_end is None else None


@dataclass(frozen=True, slots=True)
class Comparison:
    program: Program
    rows: tuple[Row, ...]
    unroll: int
    file: str | None = None


def usual_models(program: Program) -> list[ModelInfo]:
    """Those to compare a program under when nobody says which: all that speak of its instructions, SC first."""
    known = [model for model in MODELS.values() if _speaks_of(model, program)]
    return sorted(known, key=lambda model: model.name != "sc")


def _speaks_of(model: ModelInfo, program: Program) -> bool:
    try:
        model.rules_for(compiled(program, model.target))
    except Unsupported:
        return False
    return True


def compare(
    program: Program,
    models: Sequence[ModelInfo],
    *,
    options: SearchOptions | None = None,
    on_progress: Callable[[Statistics], None] | None = None,
) -> Comparison:
    options = options or SearchOptions()
    rows = tuple(_row(program, model, models, options, on_progress) for model in models)
    return Comparison(program, rows, options.unroll)


def _judges(prepared: Program, models: Sequence[ModelInfo]) -> dict[str, Rules]:
    """Those of the models that say something of these instructions."""
    judges = {}
    for model in models:
        with suppress(Unsupported):
            judges[model.name] = model.rules_for(prepared)
    return judges


def _row(
    program: Program,
    model: ModelInfo,
    models: Sequence[ModelInfo],
    options: SearchOptions,
    on_progress: Callable[[Statistics], None] | None,
) -> Row:
    started = time.perf_counter()
    try:
        prepared = compiled(program, model.target)
        judges = _judges(prepared, [other for other in models if other is not model])
        found = enumerate_executions(
            prepared,
            model.rules_for(prepared),
            against=list(judges.values()),
            observed=observed_of(program),
            unrolling=unrolling_of(program, prepared, options),
            limits=limits_of(options, started),
            on_progress=_telling(on_progress, started),
        )
    except (Unsupported, TooManyPathsError, ValueError) as error:  # a ValueError: more than the core can hold
        return Row(model.name, unknown=str(error))
    final = program.final
    counted = [state for state in found.states if final is None or holds(final.filter, state)]
    return Row(
        model=model.name,
        isa=prepared.isa,
        executions=found.executions,
        states=len(counted),
        cut=found.cut,
        failed=found.failed,
        occurrence=None if final is None else occurrence(final.proposition, counted),
        forbidden={
            name: judged.violations + judged.cut_violations
            for name, judged in zip(judges, found.judgements, strict=True)
        },
        open_end=why_incomplete(found, options),
        seconds=time.perf_counter() - started,
    )
