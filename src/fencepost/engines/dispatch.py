"""Which engine decides which model: to add an engine, a module with `check_program`, and a line here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from fencepost.models.registry import ModelInfo
from fencepost.verdict.types import CheckResult

# The keys are what ModelInfo.engine names; each module has a `check_program` like that of `exhaustive`.
ENGINES = {
    "search": "fencepost.engines.exhaustive",
    "attacks": "fencepost.engines.attacks",
}


def check_program_with(info: ModelInfo) -> Callable[..., CheckResult]:
    """`check_program` of the engine that decides this model, imported only now."""
    return cast("Callable[..., CheckResult]", import_module(ENGINES[info.engine]).check_program)
