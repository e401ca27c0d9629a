"""SC needs little preparation: orders and fences mean nothing to it."""

from __future__ import annotations

from collections.abc import Mapping

from fencepost.models import require_named_cells
from fencepost.models.registry import ValueClasses
from fencepost.program.form import Program


def prepare(program: Program) -> Program:
    require_named_cells("SC", program)
    return program


def classes(program: Program, *, precise: bool) -> Mapping[str, ValueClasses]:
    """Nothing is monitored, with any precision."""
    one = ValueClasses((0,) * (program.max_value + 1), 1)
    return {location.name: one for location in program.locations}
