"""How far a store can be delayed: to which loads, before something flushes the store buffer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..form import Instruction, Load, Program, Store, Thread, Wait, successors
from .cells import Cells
from .locks import locked_places

Flushes = Callable[[Instruction], bool]


@dataclass(frozen=True, slots=True)
class Pair:
    """A store and a load of a thread, as pcs, with a way from one to the other on which nothing flushes."""

    thread: int
    store: int
    load: int


def open_loads(thread: Thread, flushes: Flushes) -> tuple[frozenset[int], ...]:
    """For each pc from 0 to len(code): the loads that control may come to from there without a flush before."""
    code = thread.code
    here = [frozenset({pc}) if isinstance(i, Load | Wait) else frozenset() for pc, i in enumerate(code)]
    after = [() if flushes(instruction) else successors(code, pc) for pc, instruction in enumerate(code)]
    found: list[frozenset[int]] = [*here, frozenset()]
    changed = True
    while changed:
        changed = False
        for pc in reversed(range(len(code))):
            union = here[pc].union(*(found[target] for target in after[pc]))
            if union != found[pc]:
                found[pc] = union
                changed = True
    return tuple(found)


def unfenced_pairs(program: Program, flushes: Flushes) -> tuple[Pair, ...]:
    """The attacks that fences do not separate, of which the store may go elsewhere than the load.

    Stores inside a lock are none: before others can move they are flushed.
    """
    cells = Cells(program)
    pairs = []
    for number, thread in enumerate(program.threads):
        loads, locked = open_loads(thread, flushes), locked_places(thread)
        for pc, instruction in enumerate(thread.code):
            if isinstance(instruction, Store) and not locked[pc]:
                for load in sorted(loads[pc + 1]):
                    one, other = cells.accessed(number, pc), cells.accessed(number, load)
                    if len(one | other) > 1:
                        pairs.append(Pair(number, pc, load))
    return tuple(pairs)
