"""Programs with threads of which any number of copies run: all instances at once, by coverability in the core.

Thesis of Derevenetc, section 6.3 and Lemma 2.8. What is found is an instance: the number of copies that suffice. It is
then searched like any other program, smaller ones first, and its witness is replayed as always.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import product

from fencepost import _core
from fencepost.engines import attacks, exhaustive
from fencepost.engines.exhaustive import Progress, ended_early, require_supported_notion, run_search
from fencepost.engines.lowering import require_fitting, to_core
from fencepost.engines.options import Reduction, SearchOptions
from fencepost.models import Unsupported
from fencepost.models.registry import ModelInfo, find
from fencepost.program.analysis.delays import unfenced_pairs
from fencepost.program.form import Access, Assert, Instruction, Program
from fencepost.program.templates import counted, instance, template_names
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

_Look = Callable[[Mapping[str, int], int | None], Witness | Unknown | None]

_GOALS = {Notion.ROBUST: "cycle", Notion.TRIANGULAR: "triangle"}
_STOPPED = 5  # an ending of the core
_SECONDS_FOR_EXAMPLES = 1.0  # of each instance at least, even if the time is over
_FEW_STATES = 200_000  # for instances that are smaller than the one that is known to suffice


class Coverable(IntEnum):
    """The enum of the core."""

    NO = 0
    YES = 1
    UNDECIDED = 2


def check_program(
    program: Program,
    *,
    model: str,
    against: str = "sc",
    notion: Notion = Notion.ROBUST,
    options: SearchOptions | None = None,
    on_progress: Progress | None = None,
) -> CheckResult:
    """Decides all instances of `program`. If some instance fails, the result is about that one."""
    info = find(model)
    if info is None:
        raise ValueError(f"no model is called {model!r}")
    require_supported_notion(info, notion)
    options = options or SearchOptions()
    result = CheckResult(program, info.name, against, notion, Unknown("nothing was searched"))
    names = template_names(program)
    if not info.templates or against != "sc" or notion not in _GOALS:
        compared = "" if against == "sc" else f" against {against.upper()}"
        what = f"{info.name.upper()}{compared}" + ("" if notion in _GOALS else f" with the notion {notion.value}")
        return replace(
            result,
            verdict=Unknown(
                f"{what} is not decided for any number of threads of {names}; "
                "`check --instances N` checks N copies of each, and says nothing about more"
            ),
        )
    started = time.perf_counter()
    try:
        question = _Question(program, info, notion, options)
        found = None if question.is_needless else question.run(on_progress, started)
    except (Unsupported, ValueError) as error:  # a ValueError: more than the core can hold
        return replace(result, verdict=Unknown(str(error)))
    if found is None:
        statistics = Statistics(seconds=time.perf_counter() - started)
        return replace(
            result,
            verdict=Robust(_NO_ATTACKS),
            assertions=Answer.HOLD,
            statistics=statistics,
        )
    statistics = Statistics(
        states=found["globals"] + found["elements"],
        transitions=found["steps"],
        seconds=time.perf_counter() - started,
        peak_bytes=found["bytes"],
    )
    concluded = _Conclusion(question, found, started, on_progress).result(replace(result, statistics=statistics))
    return replace(concluded, statistics=replace(statistics, seconds=time.perf_counter() - started))


_NO_ATTACKS = "fences stand between every store and every later load of other memory"


class _Question:
    """What is looked for in the instances of a program, and how."""

    def __init__(self, program: Program, info: ModelInfo, notion: Notion, options: SearchOptions) -> None:
        self.program = program
        self.info = info
        self.notion = notion
        self.options = options
        slots, self.templates = _with_slots(program)
        self.prepared = info.prepare(slots)
        self.compares = info.monitor == "attacks"
        self.attackable = self.compares and bool(unfenced_pairs(self.prepared, info.flushes))

    @property
    def is_needless(self) -> bool:
        """No attack is possible, and no assertion can fail either."""
        return (
            self.compares
            and not self.attackable
            and not any(
                isinstance(step, Assert)
                or (isinstance(step, Access) and step.ref.index is not None and self.program.wraps)
                for thread in self.program.threads
                for step in thread.code
            )
        )

    def run(self, on_progress: Progress | None, started: float) -> _core.CoverabilityResult:
        require_fitting(self.prepared)
        on, options = self.options.reductions, self.options
        search = _core.create_coverability(
            to_core(self.prepared, None, flushes=self.info.flushes if self.compares else _never_delayed),
            templates=self.templates,
            goal=_GOALS[self.notion] if self.attackable else "none",
            dead_registers=Reduction.LIVENESS in on,
            fuse_local=Reduction.FUSE in on,
            prune=Reduction.PAIRS in on,
            max_states=options.max_states or 0,
            max_bytes=options.memory or 0,
            max_seconds=0 if options.timeout is None else max(options.timeout - (time.perf_counter() - started), 1e-3),
        )
        return run_search(search, on_progress, started)


def _never_delayed(instruction: Instruction) -> bool:
    return True


def _with_slots(program: Program) -> tuple[Program, list[tuple[int, int]]]:
    """The threads that are no templates, and two of each template (see core/coverability/crowd.hpp)."""
    threads = [thread for thread in program.threads if not thread.any_number]
    slots = []
    for number in program.templates:
        template = program.threads[number]
        slots.append((len(threads), len(threads) + 1))
        threads += [replace(template, name=f"{template.name}{mark}", any_number=False) for mark in ("#", "#!")]
    return replace(program, threads=tuple(threads)), slots


@dataclass(frozen=True)
class _Conclusion:
    """From what is coverable to what it means."""

    question: _Question
    found: _core.CoverabilityResult
    started: float
    on_progress: Progress | None

    def result(self, result: CheckResult) -> CheckResult:
        cycle, assertion, outside = self.found["answers"]
        clean = outside["coverable"] == Coverable.NO
        attack = self.example(cycle, self.attack_in)
        failing = self.example(assertion, self.failure_in)
        if attack is not None and failing is not None:
            attack, failing = self.in_one_instance(attack, failing)
        if attack is not None or failing is not None:
            example = attack or failing
            assert example is not None
            program = instance(result.program, example.copies)
            result = replace(result, program=program, copies=tuple(example.copies.items()))
        verdict: Verdict
        if attack is not None:
            verdict = NotRobust(attack.witness)
        elif cycle["coverable"] == Coverable.YES:
            verdict = Unknown(self.not_shown("a violation", cycle))
        elif cycle["coverable"] == Coverable.UNDECIDED:
            verdict = self.ended_early()
        elif not self.question.attackable and self.question.compares:
            verdict = Robust(_NO_ATTACKS)
        elif clean:
            verdict = Robust(self.covered())
        else:
            verdict = Unknown(self.leaves_range(outside))
        warnings = result.warnings
        if failing is None and assertion["coverable"] == Coverable.YES:
            warnings = (*warnings, self.not_shown("an assertion that fails under SC", assertion))
        holds = assertion["coverable"] == Coverable.NO and clean
        return replace(
            result,
            verdict=verdict,
            assertions=Answer.FAIL if failing else Answer.HOLD if holds else Answer.UNKNOWN,
            assertion_witness=None if failing is None else failing.witness,
            warnings=warnings,
        )

    # Words

    @property
    def names(self) -> str:
        return template_names(self.question.program)

    def covered(self) -> str:
        globals_, locals_, elements = self.found["globals"], self.found["locals"], self.found["elements"]
        backwards = f", {elements:,} least states backwards" if elements else ""
        return f"{globals_:,} states of memory and {locals_:,} of a thread{backwards}"

    def ended_early(self) -> Unknown:
        covered = f"no answer for any number of threads of {self.names} after {self.covered()}"
        return ended_early(self.found["ending"], covered, self.question.options)

    def not_shown(self, what: str, answer: _core.CoverabilityAnswer) -> str:
        copies = counted(tuple(self.sufficient(answer).items()))
        return f"there is {what} with {copies}, but it was not found again in this instance within the limits"

    def leaves_range(self, outside: _core.CoverabilityAnswer) -> str:
        program = self.question.program
        how = "may leave" if outside["coverable"] == Coverable.UNDECIDED else "leaves"
        return (
            f"values from {program.min_value} to {program.max_value} were followed, and no violation was found, but "
            f"some number of threads of {self.names} {how} them (a larger range: --values N)"
        )

    # Instances

    def sufficient(self, answer: _core.CoverabilityAnswer) -> dict[str, int]:
        program = self.question.program
        names = [program.threads[number].name for number in program.templates]
        return dict(zip(names, answer["copies"], strict=True))

    def example(self, answer: _core.CoverabilityAnswer, look: _Look) -> _Example | None:
        """An instance with what is known to be coverable: those with the fewest threads are tried first."""
        if answer["coverable"] != Coverable.YES or self.found["ending"] == _STOPPED:
            return None
        enough = self.sufficient(answer)
        for copies in _up_to(enough):
            threads = sum(copies.values()) + len(self.question.program.threads) - len(copies)
            if 0 < threads <= _core.MAX_THREADS:
                found = look(copies, None if copies == enough else _FEW_STATES)
                if isinstance(found, Witness):
                    return _example(copies, found)
                if isinstance(found, Unknown) and found.stopped:
                    return None
        return None

    def in_one_instance(self, attack: _Example, failing: _Example) -> tuple[_Example, _Example | None]:
        """Both in the same instance, which is large enough for either; the attack alone if that is too large."""
        copies = {name: max(count, failing.copies[name]) for name, count in attack.copies.items()}
        first = self.attack_in(copies, None) if copies != attack.copies else attack.witness
        second = self.failure_in(copies, None) if copies != failing.copies else failing.witness
        if not isinstance(first, Witness) or not isinstance(second, Witness):
            return attack, None
        return _example(copies, first), _example(copies, second)

    def attack_in(self, copies: Mapping[str, int], most: int | None) -> Witness | Unknown | None:
        found = attacks.check_program(
            instance(self.question.program, copies),
            model=self.question.info.name,
            notion=self.question.notion,
            options=self.options(most),
            on_progress=self.on_progress,
        )
        match found.verdict:
            case NotRobust(witness):
                return witness
            case Unknown() as unknown:
                return unknown
        return None

    def failure_in(self, copies: Mapping[str, int], most: int | None) -> Witness | Unknown | None:
        program, info, options = instance(self.question.program, copies), self.question.info, self.options(most)
        if self.question.compares:
            return attacks.failing_assertion(program, model=info, options=options, on_progress=self.on_progress)
        found = exhaustive.check_program(program, model=info.name, options=options, on_progress=self.on_progress)
        return found.assertion_witness or (found.verdict if isinstance(found.verdict, Unknown) else None)

    def options(self, most: int | None) -> SearchOptions:
        options = self.question.options
        if options.timeout is not None:
            left = options.timeout - (time.perf_counter() - self.started)
            options = replace(options, timeout=max(left, _SECONDS_FOR_EXAMPLES))
        limits = [limit for limit in (options.max_states, most) if limit is not None]
        return replace(options, max_states=min(limits, default=None))


@dataclass(frozen=True)
class _Example:
    copies: dict[str, int]
    witness: Witness


def _example(copies: dict[str, int], witness: Witness) -> _Example:
    return _Example(copies, replace(witness, copies=tuple(copies.items())))


def _up_to(enough: Mapping[str, int]) -> list[dict[str, int]]:
    """All numbers of copies up to `enough`, the smallest sums first."""
    vectors = product(*(range(count + 1) for count in enough.values()))
    return [dict(zip(enough, vector, strict=True)) for vector in sorted(vectors, key=lambda v: (sum(v), v))]
