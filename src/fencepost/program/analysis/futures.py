"""Which locations a thread may still access."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..form import BlockingCas, Cas, Load, Program, Rmw, Store, Thread, Wait, successors


@dataclass(frozen=True, slots=True)
class Future:
    """Names of locations; an access that reads and writes, as an RMW does, counts as both."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()

    @property
    def accesses(self) -> frozenset[str]:
        return self.reads | self.writes


def future_accesses(program: Program, thread: Thread) -> tuple[Future, ...]:
    """For each pc from 0 to len(code): what may be accessed from there on, the instruction at pc included."""
    bit = {location.name: 1 << number for number, location in enumerate(program.locations)}
    reads = [bit[i.ref.location] if isinstance(i, Load | Rmw | Cas | BlockingCas | Wait) else 0 for i in thread.code]
    writes = [bit[i.ref.location] if isinstance(i, Store | Rmw | Cas | BlockingCas) else 0 for i in thread.code]
    pairs = list(zip(_from_here_on(thread, reads), _from_here_on(thread, writes), strict=True))
    names = {mask: frozenset(name for name in bit if mask & bit[name]) for pair in pairs for mask in pair}
    return tuple(Future(names[read], names[written]) for read, written in pairs)


def future_cells(thread: Thread, accessed: Sequence[int]) -> tuple[list[int], list[int]]:
    """The same for cells: bit sets of what may be read and written, where `accessed` has the set of each access."""
    reads = [0 if isinstance(i, Store) else cells for i, cells in zip(thread.code, accessed, strict=True)]
    writes = [0 if isinstance(i, Load | Wait) else cells for i, cells in zip(thread.code, accessed, strict=True)]
    return _from_here_on(thread, reads), _from_here_on(thread, writes)


def _from_here_on(thread: Thread, here: list[int]) -> list[int]:
    """The union of the bit sets `here` over all places that each place reaches."""
    after = [successors(thread.code, pc) for pc in range(len(here))]
    union = [*here, 0]
    changed = True
    while changed:
        changed = False
        for pc in reversed(range(len(here))):
            mask = union[pc]
            for target in after[pc]:
                mask |= union[target]
            if mask != union[pc]:
                union[pc] = mask
                changed = True
    return union
