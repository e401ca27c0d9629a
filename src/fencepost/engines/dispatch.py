"""Which engine decides which model: to add an engine, a module with `check_program`, and a line here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, cast

from fencepost.models.registry import ModelInfo
from fencepost.program.form import Fence, Program
from fencepost.program.orders import FenceKind
from fencepost.verdict.types import CheckResult, Notion, Unknown

# The keys are what ModelInfo.engine names; each module has a `check_program` like that of `exhaustive`.
ENGINES = {
    "search": "fencepost.engines.exhaustive",
    "attacks": "fencepost.engines.attacks",
}
TEMPLATES = "fencepost.engines.templates"  # for programs with threads of which any number of copies run
GRAPHS = "fencepost.engines.graphs.robustness"  # for every pair of models that have axioms

Decider = Callable[..., CheckResult]


def check_program_with(info: ModelInfo) -> Decider:
    """`check_program` of the search that decides this model against SC, imported when it is called."""

    def check_program(program: Program, **options: Any) -> CheckResult:
        engine = import_module(TEMPLATES if program.templates else ENGINES[info.engine])
        return cast("Decider", engine.check_program)(program, **options)

    return check_program


def _enumerated(program: Program, **options: Any) -> CheckResult:
    """On execution graphs, whose engine is imported only now: start-up counts."""
    return cast("Decider", import_module(GRAPHS).check_program)(program, **options)


def decider(model: ModelInfo, against: ModelInfo, program: Program) -> Decider:
    """What decides whether `program` does under `model` what it does under `against`.

    The search, where it can: it needs no bound on loops. Execution graphs answer all else, and what the search does not
    support of a program.
    """
    graphs = partial(_enumerated, model=model, against=against)
    if program.templates:
        return partial(check_program_with(model), model=model.name, against=against.name)
    if model.searches and against.name == "sc" and program.isa in model.isas:
        search = partial(check_program_with(model), model=model.name)
        return _searched_or_enumerated(search, graphs) if enumerable(model, program) else search
    return graphs


def enumerable(model: ModelInfo, program: Program) -> bool:
    """Whether execution graphs decide the same as the search. SC fences are not the same to the axioms of RC20
    (MODEL.md of rc20)."""
    fences = (step for thread in program.threads for step in thread.code if isinstance(step, Fence))
    encoded = model.races and any(fence.kind is FenceKind.SEQ_CST for fence in fences)
    return bool(model.judges) and not encoded


def _searched_or_enumerated(search: Decider, graphs: Decider) -> Decider:
    def decide(program: Program, **options: Any) -> CheckResult:
        result = search(program, **options)
        if options.get("notion", Notion.ROBUST) is not Notion.ROBUST:
            return result
        if isinstance(result.verdict, Unknown) and result.verdict.unsupported:
            other = graphs(program, **options)
            return result if isinstance(other.verdict, Unknown) and other.verdict.unsupported else other
        return result

    return decide
