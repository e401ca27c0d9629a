"""fencepost: robustness of concurrent programs against weak memory models.

match fencepost.check("program.tpl").verdict:
    case fencepost.Robust(): ...
    case fencepost.NotRobust(witness): ...
    case fencepost.Unknown(reason): ...
"""

from __future__ import annotations

from importlib import import_module

from ._version import __version__

# Where each public name lives: imported when it is first used, so that `import fencepost` costs nothing.
# Type checkers read __init__.pyi, which says the same.
_HOMES = {
    "Answer": "verdict.types",
    "CheckResult": "verdict.types",
    "InputError": "frontends",
    "MODELS": "models.registry",
    "NotRobust": "verdict.types",
    "Notion": "verdict.types",
    "Program": "program.form",
    "ProgramBuilder": "program.builder",
    "Reduction": "engines.options",
    "Robust": "verdict.types",
    "SearchOptions": "engines.options",
    "Statistics": "verdict.types",
    "Unknown": "verdict.types",
    "Verdict": "verdict.types",
    "Witness": "verdict.types",
    "ACQ": "program.builder",
    "ACQ_REL": "program.builder",
    "REL": "program.builder",
    "RLX": "program.builder",
    "SC": "program.builder",
    "check": "api",
    "compare": "api",
    "fence": "api",
    "litmus": "api",
    "load": "api",
    "render": "reports",
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
