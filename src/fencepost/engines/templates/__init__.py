"""Programs with threads of which any number of copies run: all instances at once, by coverability in the core.

Thesis of Derevenetc, section 6.3 and Lemma 2.8. `question.py` asks the core; a violation that it finds is shown in an
instance by `examples.py`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from fencepost import _core
from fencepost.engines.exhaustive import Progress, ended_early, require_supported_notion
from fencepost.engines.options import SearchOptions
from fencepost.models import Unsupported
from fencepost.models.registry import MODELS, find
from fencepost.program.form import Program
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
)

from .examples import Example, Examples
from .question import GOALS, Coverable, Question


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
    if not info.templates or against != "sc" or notion not in GOALS:
        compared = "" if against == "sc" else f" against {against.upper()}"
        what = f"{info.name.upper()}{compared}" + ("" if notion in GOALS else f" with the notion {notion.value}")
        decided = " and ".join(other.name.upper() for other in MODELS.values() if other.templates)
        others = "" if info.templates else f" ({decided} are)"
        return replace(
            result,
            verdict=Unknown(
                f"{what} is not decided for any number of threads of {names}{others}; "
                "`--instances N` is about N copies of each, and says nothing about more"
            ),
        )
    started = time.perf_counter()
    states = transitions = 0
    while True:
        try:
            question = Question(program, info, notion, options)
            found = None if question.is_needless else question.run(on_progress, started)
        except (Unsupported, ValueError) as error:  # a ValueError: more than the core can hold
            return replace(result, verdict=Unknown(str(error)))
        if found is None:
            statistics = Statistics(seconds=time.perf_counter() - started)
            warnings = (_NO_DEADLOCKS,) if question.can_block else ()
            return replace(
                result,
                verdict=Robust(_NO_ATTACKS),
                assertions=Answer.HOLD,
                statistics=statistics,
                warnings=warnings,
            )
        states += found["globals"] + found["elements"]
        transitions += found["steps"]
        if not question.wants_more_values(found):
            break
        program = program.widened()
    concluded = _Conclusion(question, found, started, on_progress).result(result)
    statistics = Statistics(states, transitions, time.perf_counter() - started, found["bytes"])
    return replace(concluded, statistics=statistics)


_NO_DEADLOCKS = (
    "whether threads may wait for ever is not looked for where any number of them run: with more of them one may come "
    "that helps (`--instances N` looks for it with N)"
)
_NO_ATTACKS = "fences stand between every store and every later load of other memory"


@dataclass(frozen=True)
class _Conclusion:
    """From what is coverable to what it means."""

    question: Question
    found: _core.CoverabilityResult
    started: float
    on_progress: Progress | None

    def result(self, result: CheckResult) -> CheckResult:
        cycle, assertion, outside = self.found["answers"]
        examples = Examples(self.question, self.found, self.started, self.on_progress)
        attack, failure = examples.attack(cycle), examples.failure(assertion)
        shown = failure
        warnings = result.warnings
        if attack is not None and failure is not None:
            attack, shown = examples.together(attack, failure)
            if shown is None:
                where = counted(tuple(failure.copies.items()))
                warnings = (*warnings, f"with {where}, an assertion fails under SC: {failure.witness.headline}")
        if assertion["coverable"] == Coverable.UNDECIDED and cycle["coverable"] != Coverable.UNDECIDED:
            warnings = (*warnings, self.ended_early("no failing assertion").reason)
        if example := attack or shown:
            program = instance(result.program, example.copies)
            result = replace(result, program=program, copies=tuple(example.copies.items()))
        holds = assertion["coverable"] == Coverable.NO and outside["coverable"] == Coverable.NO
        if self.question.can_block:
            warnings = (_NO_DEADLOCKS, *warnings)
        return replace(
            result,
            verdict=self.verdict(attack),
            assertions=Answer.FAIL if failure else Answer.HOLD if holds else Answer.UNKNOWN,
            assertion_witness=None if shown is None else shown.witness,
            warnings=warnings,
        )

    def verdict(self, attack: Example | None) -> Verdict:
        cycle, assertion, outside = self.found["answers"]
        if attack is not None:
            return NotRobust(attack.witness)
        if cycle["coverable"] == Coverable.UNDECIDED:
            return self.ended_early("no answer")
        if not self.question.compares and assertion["coverable"] == Coverable.UNDECIDED:
            return self.ended_early("no failing assertion")
        if self.question.compares and not self.question.attackable:
            return Robust(_NO_ATTACKS)
        if outside["coverable"] == Coverable.NO:
            return Robust(self.covered())
        return Unknown(self.leaves_range(outside))

    # Words

    @property
    def names(self) -> str:
        return template_names(self.question.program)

    def covered(self) -> str:
        globals_, locals_, elements = self.found["globals"], self.found["locals"], self.found["elements"]
        backwards = f", {elements:,} least states backwards" if elements else ""
        return f"{globals_:,} states of memory and {locals_:,} of a thread{backwards}"

    def ended_early(self, what: str) -> Unknown:
        covered = f"{what} for any number of threads of {self.names} after {self.covered()}"
        return ended_early(self.found["ending"], covered, self.question.options)

    def leaves_range(self, outside: _core.CoverabilityAnswer) -> str:
        program = self.question.program
        how = "may leave" if outside["coverable"] == Coverable.UNDECIDED else "leaves"
        return (
            f"values from {program.min_value} to {program.max_value} were followed, and no violation was found, but "
            f"some number of threads of {self.names} {how} them (a larger range: --values N)"
        )
