"""The axiomatic models, by name. To add one: its axioms.py, and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from .algebra import Rules


@dataclass(frozen=True, slots=True)
class AxiomaticModel:
    name: str
    title: str
    module: str  # has RULES
    aliases: tuple[str, ...] = ()

    @property
    def rules(self) -> Rules:
        return cast(Rules, import_module(self.module).RULES)


MODELS: Mapping[str, AxiomaticModel] = {
    model.name: model
    for model in (
        AxiomaticModel("sc", "sequential consistency", "fencepost.models.sc.axioms"),
        AxiomaticModel("x86", "x86-TSO", "fencepost.models.x86.axioms", ("tso", "x86-tso", "x86tso")),
        AxiomaticModel("pso", "PSO (SPARC)", "fencepost.models.pso.axioms"),
        AxiomaticModel("rmo", "RMO (SPARC)", "fencepost.models.rmo.axioms"),
        AxiomaticModel("armv8", "ARMv8 (AArch64)", "fencepost.models.armv8.axioms", ("aarch64",)),
        AxiomaticModel("armv8-compact", "ARMv8, the paper's short form", "fencepost.models.armv8.compact"),
        AxiomaticModel("armv7", "ARMv7", "fencepost.models.armv7.axioms", ("arm",)),
        AxiomaticModel("power", "Power", "fencepost.models.power.axioms", ("ppc",)),
        AxiomaticModel("rc20", "RC20", "fencepost.models.rc20.axioms", ("c11",)),
        AxiomaticModel("rc11", "RC11", "fencepost.models.rc11.axioms"),
    )
}


def find(name: str) -> AxiomaticModel | None:
    return MODELS.get(name) or next((model for model in MODELS.values() if name in model.aliases), None)
