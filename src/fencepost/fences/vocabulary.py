"""Which models can be repaired, and with what. To add one: a module with a `VOCABULARY`, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module

from fencepost.models.registry import ModelInfo
from fencepost.program.form import Program
from fencepost.program.orders import FenceKind, Order

from .editor import Editor
from .edits import Edit, InstructionId
from .problem import Problem
from .synthesis import Learner

_MODULES = {
    "rc20": "fencepost.fences.rc20",
    "ra": "fencepost.fences.ra",
    "tso": "fencepost.fences.tso",
}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """`candidates`: all that may be changed; `costs`: of each kind of change; `hint`: what could be done instead of a
    fence, from the program that has it and its place there."""

    candidates: Callable[[Editor], Iterator[Edit]]
    costs: Mapping[Order | FenceKind, Fraction]
    learner: Callable[[Problem], Learner]
    words: str  # what is in it, for messages
    hint: Callable[[Program, InstructionId], str | None]


def vocabulary_of(info: ModelInfo) -> Vocabulary | None:
    if info.name not in _MODULES:
        return None
    found: Vocabulary = import_module(_MODULES[info.name]).VOCABULARY
    return found


def repairable_models() -> tuple[str, ...]:
    return tuple(_MODULES)
