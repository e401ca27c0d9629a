"""Counters whose values only matter relative to each other: a number of the current phase, say, and copies of it.

All that holds values of the counter is followed. That nothing depends on how large they are is observed when the
program is searched; that they do not leave the range of values is seen here, from how often they can be counted up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ..expr import COMPARISONS, Binary, Const, Expr, ReadValue, Reg, Unary
from ..form import (
    Access,
    Assert,
    Assign,
    Assume,
    BlockingCas,
    Branch,
    Cas,
    Instruction,
    Program,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
    Use,
    Wait,
    written_register,
)
from .budgets import Budget, times
from .lags import MOST
from .staleness import rising_locations

_Holder = str | tuple[int, str]  # a location, or a thread's register


@dataclass(frozen=True, slots=True)
class Moving:
    """A counter, and what else may hold values of it; those that are `by` or more behind are alike."""

    location: str
    registers: frozenset[tuple[int, str]]
    copies: frozenset[str]  # other locations
    limits: frozenset[Budget]  # what keeps it in the range of values
    by: int = 1


class _UnfitError(Exception):
    """Something is done with a value that depends on how large it is."""


def moving_counters(program: Program, limits: tuple[Budget, ...]) -> tuple[Moving, ...]:
    """Those that something limits; no two of them hold values of each other."""
    found: list[Moving] = []
    for location in rising_locations(program):
        try:
            counter = _Tracing(program, location).counter(limits)
        except _UnfitError:
            continue
        taken = {name for other in found for name in (other.location, *other.copies)}
        registers = {register for other in found for register in other.registers}
        if counter.limits and not taken & {location, *counter.copies} and not registers & counter.registers:
            found.append(counter)
    return tuple(found)


class _Tracing:
    """Where the values of one counter go."""

    def __init__(self, program: Program, location: str) -> None:
        self.program = program
        self.location = location
        self.first = program.location(location).initial[0]
        self.holders: set[_Holder] = {location}
        while self._spread():
            pass

    def _spread(self) -> bool:
        before = len(self.holders)
        for number, instruction in self._code():
            self.holders.update(self._reached(number, instruction))
        return len(self.holders) > before

    def _code(self) -> Iterator[tuple[int, Instruction]]:
        return ((number, i) for number, thread in enumerate(self.program.threads) for i in thread.code)

    def _reached(self, thread: int, instruction: Instruction) -> Iterator[_Holder]:
        written = written_register(instruction)
        match instruction:
            case Assign(reg, value) if self.added(thread, value) is not None:
                yield thread, reg
            case StoreConditional(ref=ref) if ref.location in self.holders:
                raise _UnfitError
            case Store(ref=ref, value=value) | Cas(ref=ref, desired=value) | BlockingCas(ref=ref, desired=value):
                if self.added(thread, value) is not None:
                    yield ref.location
        if isinstance(instruction, Access) and instruction.ref.location in self.holders and written is not None:
            yield thread, written

    def added(self, thread: int, expr: Expr) -> int | None:
        """The number added to a value of the counter; None if `expr` is none. Raises for anything else made of one."""
        match expr:
            case Reg(name):
                return 0 if (thread, name) in self.holders else None
            case Const() | ReadValue():
                return None
            case Unary("!", arg):
                if self.added(thread, arg) is not None and self.first == 0:
                    raise _UnfitError
                return None
            case Binary(op, left, right):
                parts = self.added(thread, left), self.added(thread, right)
                if parts == (None, None):
                    return None
                if op in COMPARISONS:
                    self._compare(left, right)
                    return None
                if op in ("&&", "||") and self.first > 0:
                    return None
                if op == "+" and isinstance(right, Const) and parts[0] is not None and right.value >= 0:
                    return parts[0] + right.value
        raise _UnfitError

    def _compare(self, *operands: Expr) -> None:
        """With constants less than all its values only."""
        if any(isinstance(operand, Const) and operand.value >= self.first for operand in operands):
            raise _UnfitError

    def counter(self, limits: tuple[Budget, ...]) -> Moving:
        growth = 0
        used: set[Budget] = set()
        for number, thread in enumerate(self.program.threads):
            own = tuple(budget for budget in limits if budget.thread == number)
            for pc, instruction in enumerate(thread.code):
                more = max(self._growths(number, instruction), default=0)
                if more == 0:
                    continue
                most = times(thread, pc, own)
                if most is None:
                    raise _UnfitError
                growth += more * most
                if most > 1:
                    used.update(own)
        if max(self._initial_values()) + growth + MOST > self.program.max_value:
            raise _UnfitError
        copies = frozenset(holder for holder in self.holders if isinstance(holder, str)) - {self.location}
        if any(self.program.location(name).size > 1 for name in copies):
            raise _UnfitError
        registers = frozenset(holder for holder in self.holders if not isinstance(holder, str))
        return Moving(self.location, registers, copies, frozenset(used))

    def _initial_values(self) -> Iterator[int]:
        for holder in self.holders:
            if isinstance(holder, str):
                yield from self.program.location(holder).initial
            else:
                yield self.program.threads[holder[0]].initial_registers()[holder[1]]

    def _growths(self, thread: int, instruction: Instruction) -> Iterable[int]:
        """What `instruction` may add to a value of the counter."""
        match instruction:
            case Rmw(op=op, ref=ref, operand=operand):
                if self.added(thread, operand) is not None:
                    raise _UnfitError
                if ref.location in self.holders:
                    if op is not RmwOp.ADD or not isinstance(operand, Const) or operand.value < 0:
                        raise _UnfitError
                    yield operand.value
            case Assign(value=value) | Store(value=value) | Use(value=value):
                yield self.added(thread, value) or 0
            case Cas(desired=value) | BlockingCas(desired=value):
                yield self.added(thread, value) or 0
            case Branch(condition=condition) | Assume(condition=condition) | Assert(condition=condition):
                self.added(thread, condition)
            case Wait(until=until):
                self.added(thread, until)


def widened(counters: tuple[Moving, ...], locations: Iterable[str]) -> tuple[Moving, ...] | None:
    """With more values told apart where they have to be; None if that would be too many."""
    concerned = frozenset(locations)
    changed = tuple(replace(c, by=2 * c.by) if c.location in concerned else c for c in counters)
    return None if any(counter.by > MOST for counter in changed) or changed == counters else changed
