"""Which values a location or a register can hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

from ..expr import Expr, both, defined, evaluate, registers_of
from ..form import (
    MEMORY,
    Access,
    Assign,
    BlockingCas,
    Cas,
    Instruction,
    Load,
    Program,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
    Wait,
    apply_rmw,
    operands,
)
from .conditions import is_boolean
from .flow import flow_of, reachable

ValueSet = frozenset[int] | range  # always a range when it is all values of the program

_Holder = str | tuple[int, str]  # a location (all slots of an array together), or a thread's register

_MANY = 32  # a larger set becomes all values
_EVALUATIONS = 1024  # of one expression, at most; beyond that it may be anything


@dataclass(frozen=True, slots=True)
class Values:
    """An over-approximation, under every memory model in which a read returns what the program has written."""

    _sets: Mapping[_Holder, ValueSet]

    def reads(self, location: str) -> ValueSet:
        """What an access to `location`, or to any slot of it, may read."""
        return self._sets[location]

    def register(self, thread: int, name: str) -> ValueSet:
        """What the register may hold at some time."""
        return self._sets[thread, name]


def possible_values(program: Program) -> Values:
    """The least sets closed under the program's reachable instructions, in any order; large ones become all values."""
    solver = _Solver(program)
    solver.run()
    return Values(solver.sets)


class _Solver:
    """`sets` grow until no instruction adds to them; an instruction is run again when a set that it reads grows."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.all_values = range(program.min_value, program.max_value + 1)
        self.sets: dict[_Holder, ValueSet] = {}
        self.readers: dict[_Holder, list[tuple[int, Instruction]]] = {}
        self.waiting: dict[tuple[int, Instruction], None] = {}  # in the order of their arrival

    def run(self) -> None:
        self.sets[MEMORY] = frozenset()
        for location in self.program.locations:
            self.add(location.name, location.initial)
        for number, thread in enumerate(self.program.threads):
            for name, value in thread.initial_registers().items():
                self.add((number, name), [value])
            for pc in reachable(flow_of(thread).successors) - {len(thread.code)}:
                self.register(number, thread.code[pc])
        while self.waiting:
            rule = next(iter(self.waiting))
            del self.waiting[rule]
            for holder, values in self.effects(*rule):
                for each in self.written(holder):
                    self.add(each, values)

    def written(self, holder: _Holder) -> Iterable[_Holder]:
        """A write to a computed address may be to any location that has one."""
        if holder != MEMORY:
            return (holder,)
        return [location.name for location in self.program.locations if location.address is not None]

    def register(self, thread: int, instruction: Instruction) -> None:
        self.waiting[thread, instruction] = None
        for expr in operands(instruction):
            for name in registers_of(expr):
                self.readers.setdefault((thread, name), []).append((thread, instruction))
        if isinstance(instruction, Access):
            self.readers.setdefault(instruction.ref.location, []).append((thread, instruction))

    def add(self, holder: _Holder, values: Iterable[int] | None) -> None:
        """Let `holder` hold `values` too, wrapped; None stands for all values."""
        old = self.sets.setdefault(holder, frozenset())
        if isinstance(old, range):
            return
        new: ValueSet = self.all_values
        if values is not None and not isinstance(values, range):
            new = old.union(map(self.program.wrap, values))
        if isinstance(new, frozenset) and (len(new) > _MANY or len(new) == _size(self.all_values)):
            new = self.all_values
        if new != old:
            self.sets[holder] = new
            self.waiting.update(dict.fromkeys(self.readers.get(holder, ())))
            if isinstance(holder, str) and holder != MEMORY:
                self.add(MEMORY, new)  # what is read at a computed address

    def effects(self, thread: int, instruction: Instruction) -> Iterator[tuple[_Holder, Iterable[int] | None]]:
        """What `instruction` writes, and the values that it may write there, not yet wrapped."""
        match instruction:
            case Assign(reg, value):
                yield (thread, reg), self.results(thread, value)
            case Load(reg, ref, _):
                yield (thread, reg), self.sets[ref.location]
            case Wait(str(reg), ref, until, _):
                yield (thread, reg), self.awaited(thread, until, self.sets[ref.location])
            case Store(ref, value, _):
                yield ref.location, self.results(thread, value)
            case StoreConditional(reg, ref, value, _):
                yield ref.location, self.results(thread, value)
                yield (thread, reg), (0, 1)
            case Cas(reg, ref, _, desired, _, _):
                yield ref.location, self.results(thread, desired)
                if reg is not None:
                    yield (thread, reg), self.sets[ref.location]
            case BlockingCas(ref, _, desired, _):
                yield ref.location, self.results(thread, desired)
            case Rmw(reg, op, ref, operand, _):
                yield ref.location, self.modified(thread, op, self.sets[ref.location], operand)
                if reg is not None:
                    yield (thread, reg), self.sets[ref.location]

    def modified(self, thread: int, op: RmwOp, old: ValueSet, operand: Expr) -> frozenset[int] | None:
        """What an RMW may write; None for anything."""
        environments = self.environments(thread, operand, times=1 if op is RmwOp.EXCHANGE else _size(old))
        if environments is None:
            return self.results(thread, operand) if op is RmwOp.EXCHANGE else None
        olds = (0,) if op is RmwOp.EXCHANGE else old
        return frozenset(apply_rmw(op, value, evaluate(operand, env, value)) for env in environments for value in olds)

    def results(self, thread: int, expr: Expr) -> frozenset[int] | None:
        """What `expr` may evaluate to; None for anything."""
        environments = self.environments(thread, expr)
        if environments is None:
            return frozenset({0, 1}) if is_boolean(expr) else None
        guard = defined(expr)
        return frozenset(evaluate(expr, env) for env in environments if evaluate(guard, env))

    def awaited(self, thread: int, until: Expr, values: ValueSet) -> ValueSet:
        """Those of `values` with which a wait may end."""
        environments = self.environments(thread, until, times=_size(values))
        if environments is None:
            return values
        condition = both(defined(until), until)
        return frozenset(value for env in environments for value in values if evaluate(condition, env, value))

    def environments(self, thread: int, expr: Expr, times: int = 1) -> Iterator[dict[str, int]] | None:
        """All values of the registers in `expr`; None if evaluating it `times` times on each would take too long."""
        names = sorted(registers_of(expr))
        sets = [self.sets[thread, name] for name in names]
        if prod(map(_size, sets)) * times > _EVALUATIONS:
            return None
        return (dict(zip(names, values, strict=True)) for values in product(*sets))


def _size(values: ValueSet) -> int:
    """Their number (`len` cannot count the values of a 64-bit word)."""
    return values.stop - values.start if isinstance(values, range) else len(values)
