"""A program's paths for the core: names become numbers, expressions become postfix."""

from __future__ import annotations

from collections.abc import Sequence

from fencepost import _core
from fencepost.engines.lowering import _postfix
from fencepost.models.axiomatic.execution import RELATIONS
from fencepost.models.axiomatic.paths import End, Path
from fencepost.models.axiomatic.tags import ALL_TAGS, USED
from fencepost.models.execution import cells
from fencepost.program.condition import InMemory, InRegister, Observable
from fencepost.program.expr import Expr
from fencepost.program.form import Program
from fencepost.program.lts import Cell

# The order of the enums in core/graphs/paths.hpp.
_KINDS = ("R", "W", "F")
_TAG = {tag: number for number, tag in enumerate(ALL_TAGS)}
_ENDS = (End.OVER, End.BLOCKED, End.FAILED, End.CUT)


def to_core(program: Program, paths: Sequence[Sequence[Path]], observed: Sequence[Observable]) -> _core.PathProgram:
    """Raises ValueError for what the core cannot hold."""
    all_cells = cells(program)
    number_of = {cell: number for number, cell in enumerate(all_cells)}
    values = [program.wrap(program.location(cell.location).initial[cell.slot]) for cell in all_cells]
    initial = [value - (1 << 64) if value >= 1 << 63 else value for value in values]
    core = _core.PathProgram(program.min_value, program.max_value, initial, len(ALL_TAGS), len(RELATIONS))
    for thread, choices in enumerate(paths):
        core.add_thread()
        registers = [what.register for what in observed if isinstance(what, InRegister) and what.thread == thread]
        for path in choices:
            _PathLowering(core, number_of).add(path, registers)
    counts = [0] * len(paths)
    for what in observed:
        if isinstance(what, InMemory):
            core.observe(-1, number_of[Cell(what.location, what.slot or 0)])
        else:
            core.observe(what.thread, counts[what.thread])
            counts[what.thread] += 1
    return core


class _PathLowering:
    def __init__(self, core: _core.PathProgram, number_of: dict[Cell, int]) -> None:
        self.core = core
        self.number_of = number_of

    def expression(self, expr: Expr, names: dict[str, int]) -> int:
        items = list(_postfix(expr, names))
        try:
            return self.core.add_expression([op for op, _ in items], [argument for _, argument in items])
        except (OverflowError, TypeError):
            raise ValueError("a constant does not fit into 64 bits with a sign") from None

    def add(self, path: Path, registers: Sequence[str]) -> None:
        names = {f"v{number}": number for number in range(len(path.values))}
        value_of = {value: number for number, value in enumerate(path.values) if isinstance(value, int)}
        events = []
        for number, event in enumerate(path.events):
            value = -1
            if event.kind == "R":
                value = value_of[number]
            elif event.value is not None:
                value = self.expression(event.value, names)
            mask = sum(1 << _TAG[tag] for tag in event.tags)
            if number in path.used:
                mask |= 1 << _TAG[USED]
            cell = -1 if event.cell is None else self.number_of[event.cell]
            events.append((_KINDS.index(event.kind), cell, mask, value))
        values = [
            (value, -1) if isinstance(value, int) else (-1, self.expression(value, names)) for value in path.values
        ]
        self.core.add_path(
            events,
            values,
            [self.expression(condition, names) for condition in path.conditions],
            [sorted(path.relations.get(name, ())) for name in RELATIONS],
            [self.expression(path.registers[register], names) for register in registers],
            _ENDS.index(path.end),
        )
