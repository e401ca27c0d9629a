"""What a program may come to under an axiomatic model: its final states, and what its condition says of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import cast

from fencepost.engines.options import SearchOptions
from fencepost.models import Unsupported
from fencepost.models.axiomatic.algebra import Rules
from fencepost.models.axiomatic.paths import TooManyPathsError
from fencepost.models.mappings import compiled
from fencepost.models.registry import ModelInfo
from fencepost.program.condition import Final, InMemory, InRegister, Observable, Occurrence, holds, occurrence
from fencepost.program.form import Program
from fencepost.verdict.types import Statistics, Witness

from .enumerate import Enumeration, FinalState, Judgement, enumerate_executions
from .robustness import Progress, limits_of, unrolling_of, why_incomplete


@dataclass(frozen=True, slots=True)
class Outcome:
    """A final state, in how many executions it is reached, and one of them if they were asked for.

    `holds`: whether the condition's proposition does; None without a condition.
    """

    values: Mapping[Observable, int]
    executions: int
    holds: bool | None
    execution: Witness | None = None


@dataclass(frozen=True, slots=True)
class Outcomes:
    """All that one litmus test comes to. `open_end`: why there may be more, in words; None if this is all.

    `executions` are those in which every thread ends or waits for ever; `failed` of them miss an array or an
    assertion, `blocked` wait, and the others reach `states`; `cut` were given up at the bound on loops.
    """

    program: Program
    model: str
    unroll: int
    states: tuple[Outcome, ...] = ()
    executions: int = 0
    blocked: int = 0
    failed: int = 0
    cut: int = 0
    racy: int | None = None  # executions with a data race; None where races mean nothing
    notes: Mapping[str, int] = field(default_factory=dict)  # what the model notes of how many executions
    occurrence: Occurrence | None = None  # in the states that were found; None without a condition
    open_end: str | None = None
    unknown: str | None = None  # why nothing was enumerated
    statistics: Statistics = field(default_factory=Statistics)
    file: str | None = None

    def _repr_svg_(self) -> str:
        """The executions, if they were asked for: for Jupyter."""
        return cast(str, import_module("fencepost.reports.outcomes_svg").render(self))

    @property
    def is_certain(self) -> bool:
        """Whether states that were not found cannot change what the condition says."""
        return self.unknown is None and (self.open_end is None or self.occurrence is Occurrence.SOMETIMES)

    @property
    def is_satisfied(self) -> bool | None:
        """Whether the condition holds, quantifier included; None if there is none, or it is not known."""
        if self.program.final is None or self.occurrence is None or not self.is_certain:
            return None
        return self.program.final.is_satisfied(self.occurrence)


def final_states(
    program: Program,
    model: ModelInfo,
    *,
    options: SearchOptions | None = None,
    graphs: bool = False,
    on_progress: Callable[[Statistics], None] | None = None,
) -> Outcomes:
    """The final states of `program` under `model`; `graphs`: with an execution for each."""
    options = options or SearchOptions()
    started = time.perf_counter()
    try:
        prepared = compiled(program, model.target)
        rules = model.rules_for(prepared)
        races = [Rules(rules.name, rules.flags)] if model.races and rules.flags else []
        found = enumerate_executions(
            prepared,
            rules,
            against=[*races, *(Rules(note.name, (note,)) for note in rules.notes)],
            observed=observed_of(program),
            unrolling=unrolling_of(program, prepared, options),
            limits=limits_of(options, started),
            on_progress=_telling(on_progress, started),
        )
    except (Unsupported, TooManyPathsError, ValueError) as error:  # a ValueError: more than the core can hold
        return Outcomes(program, model.name, options.unroll, unknown=str(error))
    counted = [state for state in found.states if program.final is None or holds(program.final.filter, state)]
    return Outcomes(
        program=program,
        model=model.name,
        unroll=options.unroll,
        states=tuple(_outcome(state, program.final, found, graphs) for state in counted),
        executions=found.executions,
        blocked=found.blocked,
        failed=found.failed,
        cut=found.cut,
        racy=_violations(found.judgements[0]) if races else None,
        notes={
            judged.rules.name: number for judged in found.judgements[len(races) :] if (number := _violations(judged))
        },
        occurrence=None if program.final is None else occurrence(program.final.proposition, counted),
        open_end=why_incomplete(found, options),
        statistics=Statistics(seconds=time.perf_counter() - started, executions=found.executions + found.cut),
    )


def _violations(judged: Judgement) -> int:
    return judged.violations + judged.cut_violations


def observed_of(program: Program) -> tuple[Observable, ...]:
    """What a final state consists of: what the program asks about, or else all registers and memory."""
    if program.final is not None:
        return program.final.observed
    registers = (
        InRegister(number, name)
        for number, thread in enumerate(program.threads)
        for name in thread.registers
        if not name.startswith(".")
    )
    memory = (
        InMemory(location.name, slot if location.size > 1 else None)
        for location in program.locations
        for slot in range(location.size)
    )
    return (*registers, *memory)


def _outcome(state: FinalState, final: Final | None, found: Enumeration, graphs: bool) -> Outcome:
    from fencepost.verdict.execution import some_execution

    return Outcome(
        state.values,
        state.executions,
        None if final is None else holds(final.proposition, state),
        some_execution(found.candidate(state.graph), found.rules) if graphs else None,
    )


def _telling(on_progress: Progress | None, started: float) -> Callable[[int], None] | None:
    if on_progress is None:
        return None
    return lambda executions: on_progress(Statistics(seconds=time.perf_counter() - started, executions=executions))
