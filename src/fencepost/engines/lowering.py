"""A program for the core: names become numbers, expressions become postfix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import or_

from fencepost import _core
from fencepost.models.registry import NO_CLASS, ValueClasses
from fencepost.program.analysis.cells import Cells
from fencepost.program.analysis.delays import Flushes, open_loads
from fencepost.program.analysis.futures import future_cells
from fencepost.program.analysis.lags import Lag
from fencepost.program.analysis.liveness import live_registers
from fencepost.program.analysis.locks import locked_places
from fencepost.program.analysis.moving import Moving
from fencepost.program.analysis.staleness import StaleRule
from fencepost.program.expr import Binary, Const, Expr, ReadValue, Reg, Unary, registers_of
from fencepost.program.form import (
    MEMORY,
    Access,
    Assert,
    Assign,
    Assume,
    BlockingCas,
    Branch,
    Cas,
    Choose,
    Fence,
    Instruction,
    Jump,
    Load,
    Lock,
    Program,
    Rmw,
    RmwOp,
    Store,
    Thread,
    Unlock,
    Use,
    Wait,
    operands,
    written_register,
)
from fencepost.program.orders import FenceKind, Order
from fencepost.program.templates import require_no_templates

# The order of the enums in core/machine/program.hpp.
_OPS = (
    Assign,
    Load,
    Store,
    Rmw,
    Cas,
    BlockingCas,
    Wait,
    Fence,
    Branch,
    Jump,
    Choose,
    Assume,
    Assert,
    Use,
    Lock,
    Unlock,
)
_RMW_OPS = (RmwOp.ADD, RmwOp.SUB, RmwOp.AND, RmwOp.OR, RmwOp.XOR, RmwOp.EXCHANGE, RmwOp.UPDATE)
_EVERYTHING = (1 << 64) - 1
_LEAVES = ("constant", "register", "read value")
_UNARY = ("!", "-", "~")
_BINARY = ("||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "<<", ">>")


def require_fitting(program: Program) -> None:
    """Raises ValueError if the core cannot hold `program`."""
    require_no_templates(program)
    if len(program.threads) > _core.MAX_THREADS:
        raise ValueError(f"at most {_core.MAX_THREADS} threads are supported, not {len(program.threads)}")
    cells = sum(location.size for location in program.locations)
    if cells > _core.MAX_CELLS:
        raise ValueError(f"at most {_core.MAX_CELLS} shared locations are supported, not {cells}")
    largest = _core.MAX_VALUE if program.wraps else _core.MAX_INTEGER
    if program.max_value > largest:
        raise ValueError(f"values up to {largest:,} are supported, not {program.max_value:,}: lower max_value")
    for thread in program.threads:
        if len(thread.registers) > _core.MAX_REGISTERS:
            raise ValueError(
                f"at most {_core.MAX_REGISTERS} registers per thread are supported; "
                f"thread {thread.name} has {len(thread.registers)}"
            )


def to_core(
    program: Program,
    classes: Mapping[str, ValueClasses] | None,
    symmetric: tuple[tuple[int, ...], ...] = (),
    stale: tuple[StaleRule, ...] = (),
    flushes: Flushes | None = None,
    lags: tuple[Lag, ...] = (),
    moving: tuple[Moving, ...] = (),
) -> _core.Program:
    """`program`, which fits (`require_fitting`). Raises ValueError for what else the core cannot hold.

    `classes` are for monitors, `flushes` (what empties a store buffer) is for searches in which stores are delayed.
    """
    require_no_templates(program)
    core = _core.Program(program.max_value)
    core.set_range(program.min_value, program.wraps)
    first_cell: dict[str, int] = {}
    cells = 0
    for location in program.locations:
        first_cell[location.name] = cells
        partition = ValueClasses((), 0) if classes is None else classes[location.name]
        if partition.count >= NO_CLASS:
            raise ValueError(f"too many values of {location.name} would have to be told apart: lower max_value")
        for slot, value in enumerate(location.initial):
            core.add_cell(value, location.atomic, partition.of, partition.count)
            if location.address is not None:
                core.set_address(program.address_of(location.name, slot))
            cells += 1
    possible = Cells(program)
    for number, thread in enumerate(program.threads):
        lowering = _Lowering(program, core, first_cell, thread)
        lowering.run(
            [rule for rule in stale if rule.thread == number],
            flushes,
            [_mask(possible.accessed(number, pc)) for pc in range(len(thread.code))],
        )
    for lag in lags:
        core.add_lag(lag.thread, lag.register, first_cell[lag.location], lag.by)
    for counter in moving:
        at = first_cell[counter.location]
        core.set_moving(at, counter.by)
        for thread_number, name in sorted(counter.registers):
            core.add_lag(thread_number, program.threads[thread_number].registers.index(name), at, counter.by)
        for name in sorted(counter.copies):
            core.add_cell_lag(first_cell[name], at, counter.by)
    for group in symmetric:
        core.add_symmetric_group(list(group))
    return core


class _Lowering:
    """One thread's instructions, added to the core's program."""

    def __init__(self, program: Program, core: _core.Program, first_cell: Mapping[str, int], thread: Thread) -> None:
        self.program = program
        self.core = core
        self.first_cell = first_cell
        self.thread = thread
        self.number = {name: i for i, name in enumerate(thread.registers)}

    def run(self, rules: list[StaleRule], flushes: Flushes | None, accessed: list[int]) -> None:
        """`accessed` are the cells that each instruction may access."""
        reads, writes = future_cells(self.thread, accessed)
        self.core.add_thread(
            list(self.thread.initial_registers().values()),
            [self.register_mask(live) for live in live_registers(self.thread)],
            reads,
            writes,
        )
        if flushes is not None:
            loads = (_union_of(accessed[pc] for pc in found) for found in open_loads(self.thread, flushes))
            self.core.set_delays([int(held) for held in locked_places(self.thread)], list(loads))
        for instruction in self.thread.code:
            self.add(instruction, flushes is not None and flushes(instruction))
        for rule in rules:
            kept = [_EVERYTHING if live is None else self.register_mask(live) for live in rule.live]
            self.core.add_stale_rule(self.number[rule.register], self.first_cell[rule.location], kept)

    def register_mask(self, names: frozenset[str]) -> int:
        return sum(1 << self.number[name] for name in names)

    def expression(self, expr: Expr | None) -> int:
        if expr is None:
            return -1
        items = list(postfix(expr, self.number))
        return self.core.add_expression([op for op, _ in items], [argument for _, argument in items])

    def add(self, instruction: Instruction, flushes: bool) -> None:
        reg = written_register(instruction)
        cell, cells, index = -1, 1, None
        by_address = isinstance(instruction, Access) and instruction.ref.location == MEMORY
        if isinstance(instruction, Access):
            index = instruction.ref.index
            if not by_address:
                cell = self.first_cell[instruction.ref.location]
                cells = self.program.location(instruction.ref.location).size
        first, second = _expressions(instruction)
        acquire, release, failure_acquire = _orders(instruction)
        self.core.add_instruction(
            op=_OPS.index(type(instruction)),
            rmw_op=_RMW_OPS.index(instruction.op) if isinstance(instruction, Rmw) else 0,
            acquire=acquire,
            release=release,
            failure_acquire=failure_acquire,
            reg=-1 if reg is None else self.number[reg],
            cell=cell,
            cells=cells,
            index=self.expression(index),
            first=self.expression(first),
            second=self.expression(second),
            target=instruction.target if isinstance(instruction, Branch | Jump) else -1,
            targets=list(instruction.targets) if isinstance(instruction, Choose) else [],
            flushes=flushes,
            by_address=by_address,
            used=self.register_mask(frozenset().union(*map(registers_of, operands(instruction)))),
        )


def _mask(members: Iterable[int]) -> int:
    return _union_of(1 << member for member in members)


def _union_of(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)


def _expressions(instruction: Instruction) -> tuple[Expr | None, Expr | None]:
    match instruction:
        case Assign(value=value) | Store(value=value) | Use(value=value):
            return value, None
        case Rmw(operand=operand):
            return operand, None
        case Cas(expected=expected, desired=desired) | BlockingCas(expected=expected, desired=desired):
            return expected, desired
        case Wait(until=until):
            return until, None
        case Branch(condition=condition) | Assume(condition=condition) | Assert(condition=condition):
            return condition, None
    return None, None


def _orders(instruction: Instruction) -> tuple[bool, bool, bool]:
    """Acquire, release, and acquire of a CAS that fails."""
    match instruction:
        case Fence(kind):
            full = kind in (FenceKind.ACQ_REL, FenceKind.SEQ_CST)
            return kind is FenceKind.ACQUIRE or full, kind is FenceKind.RELEASE or full, False
        case Cas(success=success, failure=failure):
            return (
                success.is_at_least(Order.ACQUIRE),
                success.is_at_least(Order.RELEASE),
                failure.is_at_least(Order.ACQUIRE),
            )
        case Load(order=order) | Store(order=order) | Rmw(order=order) | BlockingCas(order=order) | Wait(order=order):
            return order.is_at_least(Order.ACQUIRE), order.is_at_least(Order.RELEASE), False
    return False, False, False


def postfix(expr: Expr, number: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    match expr:
        case Const(value):
            yield 0, value
        case Reg(name):
            yield 1, number[name]
        case ReadValue():
            yield 2, 0
        case Unary(op, arg):
            yield from postfix(arg, number)
            yield len(_LEAVES) + _UNARY.index(op), 0
        case Binary(op, left, right):
            yield from postfix(left, number)
            yield from postfix(right, number)
            yield len(_LEAVES) + len(_UNARY) + _BINARY.index(op), 0
