"""The models that fencepost decides. To add one: its folder, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from fencepost.program.form import Program


@dataclass(frozen=True, slots=True)
class ValueClasses:
    """A partition of the values of a location: `of[v]` is the class of v, NO_CLASS if the location never holds v."""

    of: tuple[int, ...]
    count: int


NO_CLASS = 0xFFFF


@dataclass(frozen=True, slots=True)
class ModelInfo:
    name: str
    title: str
    description: str  # one line
    decides: str  # sound, complete, bounded by what
    module: str  # has prepare(program), and classes(program, *, precise)
    monitor: str  # what the core watches during the search
    aliases: tuple[str, ...] = ()

    def prepare(self, program: Program) -> Program:
        """`program` in the model's own terms. Raises models.Unsupported."""
        return cast(Callable[[Program], Program], import_module(self.module).prepare)(program)

    def classes(self, program: Program, *, precise: bool) -> Mapping[str, ValueClasses]:
        """For each atomic location, the values that the monitor must tell apart."""
        find = cast(Callable[..., Mapping[str, ValueClasses]], import_module(self.module).classes)
        return find(program, precise=precise)


_DECIDES = "robustness and races: exact; observational robustness: sound, exact for its witnesses (Def 4.14)"

MODELS: dict[str, ModelInfo] = {
    model.name: model
    for model in (
        ModelInfo(
            "rc20",
            "RC20 (C11 with relaxed, release/acquire, fences, non-atomics)",
            "the C11-style model of Margalit and Lahav (POPL 2021)",
            _DECIDES,
            "fencepost.models.rc20.prepare",
            "rc20",
            ("rlx", "c11"),
        ),
        ModelInfo(
            "ra",
            "RA (release/acquire)",
            "RC20 with every load acquire, every store release, every read-modify-write both",
            _DECIDES,
            "fencepost.models.rc20.prepare_ra",
            "rc20",
        ),
        ModelInfo(
            "sc",
            "SC (sequential consistency)",
            "plain interleaving: only assertions and deadlocks are decided",
            "assertions and deadlocks: exact",
            "fencepost.models.sc.prepare",
            "none",
        ),
    )
}


def find(name: str) -> ModelInfo | None:
    """The model called `name`, by its own name or another that input files use for it."""
    return MODELS.get(name) or next((model for model in MODELS.values() if name in model.aliases), None)
