"""Which cells an access may go to: a bit set, cells numbered in the order of the program's locations."""

from __future__ import annotations

from functools import cached_property

from ..expr import evaluate, registers_of
from ..form import MEMORY, Access, Program
from .ranges import Ranges, possible_ranges


class Cells:
    """The cells of a program. Computed addresses are looked into as far as `possible_ranges` knows them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.first: dict[str, int] = {}
        count = 0
        for location in program.locations:
            self.first[location.name] = count
            count += location.size
        self.count = count

    @cached_property
    def ranges(self) -> Ranges:
        return possible_ranges(self.program)

    def of(self, location: str) -> frozenset[int]:
        first = self.first[location]
        return frozenset(range(first, first + self.program.location(location).size))

    def accessed(self, thread: int, pc: int) -> frozenset[int]:
        """Where the access at `pc` may go; nowhere if the instruction is no access."""
        access = self.program.threads[thread].code[pc]
        if not isinstance(access, Access):
            return frozenset()
        ref = access.ref
        if ref.location == MEMORY:
            addresses = self.ranges.addresses.get((thread, pc), frozenset())
            if addresses is None:
                return frozenset(range(self.count))
            found = (self.program.cell_at(address) for address in addresses)
            return frozenset(self.first[cell[0]] + cell[1] for cell in found if cell is not None)
        cells = self.of(ref.location)
        if ref.index is not None and not registers_of(ref.index):
            slot = self.first[ref.location] + evaluate(ref.index, {})
            return frozenset({slot}) & cells
        return cells
