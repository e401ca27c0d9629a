"""Which values a program computes, and which addresses it accesses, as far as its text tells.

An abstract interpretation: for each place of a thread the values that each register may hold there, and for each
location all that is ever written to it. Conditions narrow the registers that they speak of, so counting loops have an
end. Sound for every memory model in which a read returns what the program has written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from heapq import heappop, heappush
from itertools import product
from math import prod

from ..expr import DivisionByZeroError, Expr, Unary, compiled, registers_of
from ..form import (
    MEMORY,
    Access,
    Assert,
    Assign,
    Assume,
    BlockingCas,
    Branch,
    Cas,
    Fence,
    Instruction,
    Load,
    Program,
    Ref,
    Rmw,
    Store,
    StoreConditional,
    Thread,
    Wait,
    apply_rmw,
    successors,
)
from .rewrite import replace_instructions

Known = frozenset[int] | None  # None: anything
_MANY = 64  # a larger set becomes anything
_EVALUATIONS = 4096  # of one expression, at most
_TRIALS = 1024  # of one condition

Key = str | int  # a location's name, or an address at which the program declares none
Env = dict[str, Known]


@dataclass(slots=True)
class Ranges:
    """`addresses[thread, pc]`: where the access there may go (None: anywhere), for accesses by computed address."""

    memory: dict[Key, Known] = field(default_factory=dict)
    registers: dict[tuple[int, str], Known] = field(default_factory=dict)
    addresses: dict[tuple[int, int], Known] = field(default_factory=dict)

    def values(self) -> Known:
        """All values that registers and memory may hold; None if there may be any number of them."""
        found: set[int] = set()
        for known in (*self.memory.values(), *self.registers.values()):
            if known is None:
                return None
            found |= known
        return frozenset(found)

    def finite_values(self) -> frozenset[int]:
        """What the registers and locations of which all values are known may hold."""
        known = (values for values in (*self.memory.values(), *self.registers.values()) if values is not None)
        return frozenset().union(*known)


def possible_ranges(program: Program) -> Ranges:
    """The ranges of a program are those of all that differ from it in fences only: they are found once."""
    bare = tuple(map(_without_fences, program.threads))
    low, high = (program.min_value, program.max_value) if program.wraps else (0, 0)
    found = _ranges(Program("", program.locations, bare, high, min_value=low, wraps=program.wraps))
    places = {
        (number, old): (number, new)
        for number, (thread, other) in enumerate(zip(bare, program.threads, strict=True))
        for old, new in zip(_accesses(thread), _accesses(other), strict=True)
    }
    return replace(found, addresses={places[at]: known for at, known in found.addresses.items()})


@lru_cache(maxsize=8)
def _ranges(program: Program) -> Ranges:
    return _Interpreter(program).run()


def _without_fences(thread: Thread) -> Thread:
    fences: dict[int, tuple[Instruction, ...]] = {
        pc: () for pc, instruction in enumerate(thread.code) if isinstance(instruction, Fence)
    }
    return replace_instructions(thread, fences) if fences else thread


def _accesses(thread: Thread) -> list[int]:
    return [pc for pc, instruction in enumerate(thread.code) if isinstance(instruction, Access)]


class _Interpreter:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.ranges = Ranges()
        self.everywhere: Known = frozenset()  # what is written at addresses that are not known
        for location in program.locations:
            self.ranges.memory[location.name] = frozenset(location.initial)
        self.narrowings: dict[tuple[Expr, tuple[Known, ...]], dict[str, Known] | None] = {}
        self.evaluations: dict[tuple[Expr, tuple[Known, ...], Known], Known] = {}
        self.changes = 0  # of what memory may hold
        self.accesses = list(map(_accesses, program.threads))
        self.at: list[list[Env | None]] = [[None] * (len(thread.code) + 1) for thread in program.threads]

    def run(self) -> Ranges:
        """Rounds over all threads until nothing changes: memory feeds registers, and registers memory."""
        for number, thread in enumerate(self.program.threads):
            self.at[number][0] = {name: frozenset({value}) for name, value in thread.initial_registers().items()}
            self.thread(number, thread, [0])
        seen = -1  # how much of what happens to memory all threads have seen
        while seen != self.changes:
            seen = self.changes
            for number, thread in enumerate(self.program.threads):
                self.thread(number, thread, self.accesses[number])
        for number, places in enumerate(self.at):
            for env in places:
                for name, known in (env or {}).items():
                    key = (number, name)
                    self.ranges.registers[key] = _join(self.ranges.registers.get(key, frozenset()), known)
        return self.ranges

    def thread(self, number: int, thread: Thread, starts: Iterable[int]) -> None:
        """From `starts` on, and from wherever something new comes. Places come in the order of the text."""
        waiting = sorted(starts)
        queued = set(waiting)
        while waiting:
            pc = heappop(waiting)
            queued.discard(pc)
            env = self.at[number][pc]
            if pc == len(thread.code) or env is None:
                continue
            for target, after in self.step(number, pc, thread.code, env):
                if self.merge(number, target, after) and target not in queued:
                    queued.add(target)
                    heappush(waiting, target)

    def merge(self, number: int, pc: int, env: Env) -> bool:
        """Whether the place learns something new."""
        old = self.at[number][pc]
        new = env if old is None else {name: _join(old[name], env[name]) for name in old}
        self.at[number][pc] = new
        return new != old

    def step(self, number: int, pc: int, code: tuple[Instruction, ...], env: Env) -> Iterable[tuple[int, Env]]:
        instruction = code[pc]
        match instruction:
            case Assume(condition) | Assert(condition):
                narrowed = self.narrowed(condition, env)
                return () if narrowed is None else ((pc + 1, narrowed),)
            case Branch(condition, target):
                ways = ((target, self.narrowed(condition, env)), (pc + 1, self.narrowed(Unary("!", condition), env)))
                return [(to, narrowed) for to, narrowed in ways if narrowed is not None]
            case Assign(reg, value):
                return ((pc + 1, {**env, reg: self.wrapped(self.evaluated(value, env))}),)
        if isinstance(instruction, Access):
            return ((pc + 1, self.accessed(number, pc, instruction, env)),)
        return [(target, env) for target in successors(code, pc)]

    def accessed(self, number: int, pc: int, access: Access, env: Env) -> Env:
        where = self.where(access.ref, env)
        if access.ref.location == MEMORY:
            self.ranges.addresses[number, pc] = _join(self.ranges.addresses.get((number, pc), frozenset()), where)
        old = frozenset() if isinstance(access, Store) else self.read(access.ref, where)
        match access:
            case Store(_, value) | StoreConditional(_, _, value):
                self.write(access.ref, where, self.evaluated(value, env))
            case Cas(_, _, _, desired) | BlockingCas(_, _, desired):
                self.write(access.ref, where, self.evaluated(desired, env))
            case Rmw(_, op, _, operand):
                by = self.evaluated(operand, env, old)
                if old is None or by is None or len(old) * len(by) > _EVALUATIONS:
                    self.write(access.ref, where, None)
                else:
                    self.write(access.ref, where, frozenset(apply_rmw(op, a, b) for a in old for b in by))
        match access:
            case Load(reg) | Rmw(str(reg)) | Cas(str(reg)) | Wait(str(reg)):
                return {**env, reg: old}
            case StoreConditional(reg):
                return {**env, reg: frozenset({0, 1})}
        return env

    def where(self, ref: Ref, env: Env) -> Known:
        """The addresses that `ref` may name; for a location with a name, nothing is looked for."""
        return self.wrapped(self.evaluated(ref.index, env)) if ref.location == MEMORY and ref.index else frozenset()

    def keys(self, ref: Ref, where: frozenset[int]) -> set[Key]:
        if ref.location != MEMORY:
            return {ref.location}
        cells = {address: self.program.cell_at(address) for address in where}
        return {address if cell is None else cell[0] for address, cell in cells.items()}

    def read(self, ref: Ref, where: Known) -> Known:
        memory = self.ranges.memory
        if where is None:
            return _union((frozenset({0}), self.everywhere, *memory.values()))
        known = _union(memory.get(key, frozenset({0})) for key in self.keys(ref, where))
        return _join(known, self.everywhere)

    def write(self, ref: Ref, where: Known, values: Known) -> None:
        values = self.wrapped(values)
        if where is None:
            joined = _join(self.everywhere, values)
            self.changes += joined != self.everywhere
            self.everywhere = joined
            where = frozenset()
        memory = self.ranges.memory
        for key in self.keys(ref, where):
            old = memory.get(key, frozenset({0}))
            joined = _join(old, values)
            self.changes += joined != old or key not in memory
            memory[key] = joined

    def wrapped(self, values: Known) -> Known:
        if values is None or not self.program.wraps:
            return values
        return frozenset(map(self.program.wrap, values))

    def evaluated(self, expr: Expr, env: Mapping[str, Known], read: Known = frozenset({0})) -> Known:
        names = sorted(registers_of(expr))
        sets = tuple(env[name] for name in names)
        key = expr, sets, read
        if key not in self.evaluations:
            self.evaluations[key] = _evaluated(expr, names, sets, read)
        return self.evaluations[key]

    def narrowed(self, condition: Expr, env: Env) -> Env | None:
        """`env` where `condition` holds; None if it never does. Only conditions on one or two registers tell much."""
        names = sorted(registers_of(condition))
        sets = tuple(env[name] for name in names)
        key = condition, sets
        if key not in self.narrowings:
            self.narrowings[key] = _narrowed(condition, names, sets)
        narrowed = self.narrowings[key]
        return None if narrowed is None else {**env, **narrowed}


def _evaluated(expr: Expr, names: list[str], sets: tuple[Known, ...], read: Known) -> Known:
    finite = [known for known in sets if known is not None]
    if read is None or len(finite) < len(sets) or prod(map(len, finite)) * len(read) > _EVALUATIONS:
        return None
    value = compiled(expr, names)
    found = set()
    for values in product(*finite):
        for old in read:
            try:
                found.add(value(values, old))
            except DivisionByZeroError:  # a failed assertion guards it
                continue
    return _join(frozenset(), frozenset(found))


def _narrowed(condition: Expr, names: list[str], sets: tuple[Known, ...]) -> dict[str, Known] | None:
    """What the registers may hold where the condition does; None if it never does."""
    finite = [known for known in sets if known is not None]
    if len(finite) < len(sets) or prod(map(len, finite)) > _TRIALS:
        return dict(zip(names, sets, strict=True))
    holds = compiled(condition, names)
    good = []
    for values in product(*finite):
        try:
            if holds(values, 0):
                good.append(values)
        except DivisionByZeroError:
            continue
    if not good:
        return None
    return {name: frozenset(values[i] for values in good) for i, name in enumerate(names)}


def _join(one: Known, other: Known) -> Known:
    if one is None or other is None:
        return None
    both = one | other
    return both if len(both) <= _MANY else None


def _union(parts: Iterable[Known]) -> Known:
    total: Known = frozenset()
    for part in parts:
        total = _join(total, part)
    return total
