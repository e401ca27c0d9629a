"""Which engine decides which model: to add an engine, a module with `check_program`, and a line here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from fencepost.models.registry import ModelInfo
from fencepost.program.form import Program
from fencepost.verdict.types import CheckResult

# The keys are what ModelInfo.engine names; each module has a `check_program` like that of `exhaustive`.
ENGINES = {
    "search": "fencepost.engines.exhaustive",
    "attacks": "fencepost.engines.attacks",
}
TEMPLATES = "fencepost.engines.templates"  # for programs with threads of which any number of copies run


def check_program_with(info: ModelInfo) -> Callable[..., CheckResult]:
    """`check_program` of the engine that decides this model, imported when it is called."""

    def check_program(program: Program, **options: Any) -> CheckResult:
        engine = import_module(TEMPLATES if program.templates else ENGINES[info.engine])
        result: CheckResult = engine.check_program(program, **options)
        return result

    return check_program
