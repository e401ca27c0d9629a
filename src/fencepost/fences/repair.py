"""From a program to its cheapest repair, with a reason for each part of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from fencepost.engines.dispatch import check_program_with
from fencepost.engines.options import SearchOptions
from fencepost.models.registry import ModelInfo
from fencepost.program.analysis.busy_waits import block_busy_waits
from fencepost.program.form import Access, BlockingCas, Cas, Load, Program, Rmw, Store, Wait
from fencepost.program.orders import FenceKind, Order
from fencepost.program.templates import Copies, instance_of
from fencepost.verdict.types import CheckResult, Notion, NotRobust, Robust, Statistics, Unknown

from . import costs as costing
from .costs import Chosen, Costs
from .editor import Edited, editor_of
from .edits import Edit, kind_name
from .optimum import Choice
from .problem import Problem
from .synthesis import GivenUp, NoneFound, Synthesis
from .types import FenceResult, Outcome, Part, Repaired, Undecided, Unrepairable
from .vocabulary import Vocabulary, repairable_models, vocabulary_of

MOST_COUNTED = 1000  # optimal repairs; each of them is checked

Progress = Callable[[Statistics], None]


def repair_program(
    program: Program,
    *,
    info: ModelInfo,
    notion: Notion,
    blocking: bool,
    cost: Chosen,
    count: bool,
    options: SearchOptions,
    copies: Copies = (),
    on_progress: Progress | None = None,
) -> FenceResult:
    """`blocking`: busy waits are made blocking. `copies`: only this instance is to be robust; its copies of a template
    are all changed alike. One worker is the default: then the same repair is found every time."""
    vocabulary = vocabulary_of(info)
    if vocabulary is None:
        known = ", ".join(repairable_models())
        reason = f"nothing is known about repairs under {info.name}; models with repairs are {known}"
        return FenceResult(program, info.name, notion, Undecided(reason), "size")
    editor = editor_of(program)
    problem = Problem(editor, info, notion, blocking, tuple(vocabulary.candidates(editor)))
    costs = cost(program, problem.edits, vocabulary.costs)
    check = _Checks(problem, copies, replace(options, jobs=options.jobs or 1), on_progress)
    search = Synthesis(check.choice, vocabulary.learner(problem), costs.of)
    outcome = _outcome(problem, vocabulary, costs, search, check, count=count)
    return FenceResult(
        program,
        info.name,
        notion,
        outcome,
        costs.name,
        len(problem.edits),
        search.checks,
        len(search.clauses),
        search.statistics,
        copies=copies,
        warnings=(*costs.warnings, *check.warnings, *(outcome.check.warnings if isinstance(outcome, Repaired) else ())),
    )


class _Checks:
    """Checks of changed programs, which share one time limit."""

    def __init__(self, problem: Problem, copies: Copies, options: SearchOptions, on_progress: Progress | None) -> None:
        self._problem = problem
        self._copies = copies
        self._options = options
        self._on_progress = on_progress
        self._started = time.perf_counter()
        self.warnings: list[str] = []

    def choice(self, chosen: Choice) -> CheckResult:
        return self._check(self._problem.shown(chosen))

    def final(self, program: Program) -> CheckResult:
        """As `fencepost check` would answer for this text."""
        return self._check(block_busy_waits(program)[0] if self._problem.blocking else program)

    def why(self, reason: str, what: str = "a repair was found that is sure to be cheapest") -> str:
        """Why there is no answer: the last check may have had little time left."""
        timeout = self._options.timeout
        if timeout is None or time.perf_counter() - self._started < timeout:
            return reason
        return f"the time limit of {timeout:g} s was reached before {what}"

    def _check(self, program: Program) -> CheckResult:
        info, notion, options = self._problem.info, self._problem.notion, self._options
        if options.timeout is not None:
            left = options.timeout - (time.perf_counter() - self._started)
            options = replace(options, timeout=max(left, 1e-3))
        some = instance_of(program, self._copies)
        check = check_program_with(info)
        result = check(some, model=info.name, notion=notion, options=options, on_progress=self._on_progress)
        if self._copies and isinstance(result.verdict, NotRobust):
            witness = replace(result.verdict.witness, copies=self._copies)
            result = replace(result, verdict=NotRobust(witness))
        return result


def _outcome(
    problem: Problem, vocabulary: Vocabulary, costs: Costs, search: Synthesis, check: _Checks, *, count: bool
) -> Outcome:
    answer = search.find()
    match answer:
        case GivenUp(reason):
            return Undecided(check.why(reason))
        case NoneFound(witness):
            reason = f"{vocabulary.words} cannot forbid every violation"
            return Unrepairable(reason, witness)
    chosen = answer.chosen
    edited = problem.apply(chosen)
    final = check.final(edited.program)
    if isinstance(final.verdict, Unknown):
        return Undecided(check.why(final.verdict.reason))
    if not isinstance(final.verdict, Robust):
        raise RuntimeError("the repaired program, read again from its text, is not robust")
    total = sum((costs.of[index] for index in chosen), Fraction(0))
    optimal, more = None, False
    if count:
        counted = search.count(total, MOST_COUNTED)
        if isinstance(counted, GivenUp):
            why = check.why(counted.reason, "all were found")
            check.warnings.append(f"how many cheapest repairs there are is not known: {why}")
        else:
            optimal, more = counted
    changes = tuple(_changes(problem, vocabulary, costs, search, chosen, edited))
    return Repaired(changes, total, edited.program, edited.text, final, optimal, more)


def _changes(
    problem: Problem, vocabulary: Vocabulary, costs: Costs, search: Synthesis, chosen: Choice, edited: Edited
) -> list[Part]:
    """The parts of a repair in the order of the program, each with what goes wrong without it."""
    groups: dict[tuple[int, int, int], list[int]] = {}
    for index in sorted(chosen):
        edit = problem.edits[index]
        groups.setdefault((edit.thread, edit.pc, -1 if edit.place is None else edit.place), []).append(index)
    changes = []
    for _, indices in sorted(groups.items()):
        edits = tuple(problem.edits[index] for index in indices)
        witness = search.witness_without(chosen, Choice(indices))
        cost = sum((costs.of[index] for index in indices), Fraction(0))
        place = edits[0].thread, edits[0].place
        where = next((at for at, (new, _) in edited.fences.items() if new == place), None)
        hint = None if where is None else vocabulary.hint(edited.program, where)
        changes.append(Part(edits, _words(problem.editor.program, edits), cost, witness, hint))
    return changes


_NAMES = {
    Load: "load",
    Wait: "wait",
    Store: "store",
    Rmw: "read-modify-write",
    Cas: "compare-and-swap",
    BlockingCas: "compare-and-swap",
}


def _words(program: Program, edits: tuple[Edit, ...]) -> str:
    first = edits[0]
    if first.is_fence:
        kinds = {edit.what for edit in edits}
        kind = FenceKind.ACQ_REL if len(kinds) > 1 else first.what
        where = "this" if first.name is None else f"everything that leaves state {first.name}"
        return f"put {kind_name(kind)} before {where}"
    access = program.threads[first.thread].code[first.pc]
    assert isinstance(access, Access)
    orders = [edit.what for edit in edits]
    word = " and ".join("acquire" if order is Order.ACQUIRE else "release" for order in orders)
    return f"make this {_NAMES[type(access)]} {word}"


def cost_called(name: str, profile: str | None = None) -> Chosen:
    """The costs that `--cost` and `--profile` name."""
    if name == "size":
        return lambda program, edits, base: costing.size(edits, base)
    if name == "frequency" and profile is None:
        return lambda program, edits, base: costing.frequency(edits, base)
    if name == "frequency" and profile is not None:
        return lambda program, edits, base: costing.profile(profile, program, edits, base)
    return lambda program, edits, base: costing.from_file(name, program, edits, base)
