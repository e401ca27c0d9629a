"""Registers in which only recent values of a counter may have to be told apart.

A thread that has read a counter and is then left behind can hold any of its older values, but often nothing that it
does depends on which one: a CAS that expects it fails, and what it is compared with is larger anyway. The search takes
all values that lag so far behind for one. That this is right is not analysed here: it is observed on every step that is
searched, as is that the counter never decreases, and where it is not, a larger lag may do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from ..expr import Reg
from ..form import Access, Assign, Program, Thread, written_register
from .staleness import rising_locations

MOST = 16  # more than this tells values apart that hardly need it


@dataclass(frozen=True, slots=True)
class Lag:
    """Values of `register` from the initial value of `location` to `by` less than its present one are alike."""

    thread: int
    register: int  # its position in `Thread.registers`
    location: str
    by: int = 1

    def name(self, program: Program) -> str:
        return program.threads[self.thread].registers[self.register]


def lags(program: Program) -> tuple[Lag, ...]:
    """One for each register that reads, or copies, what may be a counter as far as constants tell."""
    rising = rising_locations(program)
    return tuple(
        Lag(number, thread.registers.index(register), location)
        for number, thread in enumerate(program.threads)
        for register, location in _read_from(thread, rising).items()
    )


def _read_from(thread: Thread, rising: Collection[str]) -> dict[str, str]:
    """The counter of each register that has one; of several, the first that is found."""
    found: dict[str, str] = {}
    while True:
        before = len(found)
        for instruction in thread.code:
            register = written_register(instruction)
            match instruction:
                case Assign(reg, Reg(source)) if source in found:
                    found.setdefault(reg, found[source])
                case _ if isinstance(instruction, Access) and register is not None:
                    if instruction.ref.location in rising:
                        found.setdefault(register, instruction.ref.location)
        if len(found) == before:
            return found


def widened(
    known: Iterable[Lag], thread: int, registers: Iterable[int], symmetric: Iterable[tuple[int, ...]]
) -> tuple[Lag, ...]:
    """What remains where values of these registers of `thread` have to be told apart.

    Threads that are interchangeable have the same lags: their states change places.
    """
    alike = next((group for group in symmetric if thread in group), (thread,))
    concerned = frozenset(registers)
    changed = (
        replace(lag, by=2 * lag.by) if lag.thread in alike and lag.register in concerned else lag for lag in known
    )
    return tuple(lag for lag in changed if lag.by <= MOST)
