"""The transition system of one thread (observational-robustness-rc20, Fig 2), for the reading versions.

A step carries the event label and the registers it reads and writes. What may be read is asked of the memory system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .expr import Expr, evaluate, registers_of
from .form import (
    MEMORY,
    RESERVATION,
    Assert,
    Assign,
    Assume,
    BlockingCas,
    Branch,
    Cas,
    Choose,
    Fence,
    Jump,
    Load,
    Lock,
    OutOfRangeError,
    Program,
    Ref,
    Rmw,
    Store,
    StoreConditional,
    Thread,
    Unlock,
    Use,
    Wait,
    apply_rmw,
)
from .orders import FenceKind, Mark, Order

FAILED = -1  # the paper's pc = bottom: an assertion was false
ENDED = -2  # an assume was false: the thread is over


class Cell(NamedTuple):
    """One shared location: a name and an array slot (0 for scalars)."""

    location: str
    slot: int = 0

    def __str__(self) -> str:
        return self.location if self.slot == 0 else f"{self.location}[{self.slot}]"


@dataclass(frozen=True, slots=True)
class Label:
    """An event label (Def 2.2). kind: R, W, RMW, R* (a wait, or a CAS that fails), F, LOCK, UNLOCK or CTRL.

    `marks` are those of the instruction: a W with EXCLUSIVE is a store-conditional that succeeds, and pairs with the R
    with EXCLUSIVE last before it. One that fails is CTRL.
    """

    kind: str
    cell: Cell | None = None
    order: Order | FenceKind | None = None
    read: int | None = None
    written: int | None = None
    marks: frozenset[Mark] = frozenset()


@dataclass(frozen=True, slots=True)
class ThreadState:
    pc: int
    registers: tuple[int, ...]  # in the order of Thread.registers


@dataclass(frozen=True, slots=True)
class Step:
    """One transition of a thread; `label` is None for a silent one."""

    pc: int
    label: Label | None
    reads: frozenset[str]  # R_in
    writes: str | None  # R_out: at most one register
    after: ThreadState
    choice: int = 0  # which target of a Choose; 1 for a store-conditional that fails


def initial_state(thread: Thread) -> ThreadState:
    """Where one thread starts. A template is not one."""
    if thread.any_number:
        raise ValueError(f"any number of threads of {thread.name} run: it has no single state")
    return ThreadState(0, tuple(thread.initial_registers().values()))


def is_over(thread: Thread, state: ThreadState) -> bool:
    return state.pc < 0 or state.pc >= len(thread.code)


def steps(
    program: Program, thread: Thread, state: ThreadState, readable: Callable[[Cell], Iterable[int]]
) -> Iterator[Step]:
    """All steps from `state`, where `readable(cell)` are the values that the memory may offer.

    An array index outside the array, or an address at which there is no cell, is a failed assertion: a control event
    that uses the index. Load-linked sets the register RESERVATION and store-conditional clears it; the memory system
    clears it when another thread writes there (`without_reservation`).
    """
    if is_over(thread, state):
        return
    instruction = thread.code[state.pc]
    env = dict(zip(thread.registers, state.registers, strict=True))
    following = state.pc + 1

    def to(pc: int, writes: str | None = None, value: int = 0, reservation: int | None = None) -> ThreadState:
        if writes is None:
            return ThreadState(pc, state.registers)
        values = {**env, writes: program.wrap(value)}
        if reservation is not None:
            values[RESERVATION] = reservation
        return ThreadState(pc, tuple(values[name] for name in thread.registers))

    def step(
        label: Label | None, after: ThreadState, *used: Expr | None, writes: str | None = None, choice: int = 0
    ) -> Step:
        reads = frozenset[str]().union(*(registers_of(expr) for expr in used))
        return Step(state.pc, label, reads, writes, after, choice)

    control = Label("CTRL")
    match instruction:
        case Assign(reg, value):
            yield step(None, to(following, reg, evaluate(value, env)), value, writes=reg)
            return
        case Branch(condition, target):
            yield step(control, to(target if evaluate(condition, env) else following), condition)
            return
        case Jump(target):
            yield step(None, to(target))
            return
        case Choose(targets):
            for choice, target in enumerate(targets):
                yield step(control, to(target), choice=choice)
            return
        case Assume(condition):
            yield step(control, to(following if evaluate(condition, env) else ENDED), condition)
            return
        case Assert(condition):
            yield step(control, to(following if evaluate(condition, env) else FAILED), condition)
            return
        case Use(value):
            yield step(control, to(following), value)
            return
        case Fence(kind):
            yield step(Label("F", order=kind), to(following))
            return
        case Lock():
            yield step(Label("LOCK"), to(following))
            return
        case Unlock():
            yield step(Label("UNLOCK"), to(following))
            return

    ref: Ref = instruction.ref
    cell = named_cell(program, ref, env)
    if cell is None:
        if not program.wraps:
            raise OutOfRangeError(f"there is no memory where {thread.name} accesses it")
        yield step(control, to(FAILED), ref.index)
        return
    match instruction:
        case Store(_, value, order):
            label = Label("W", cell, order, written=program.wrap(evaluate(value, env)), marks=instruction.marks)
            yield step(label, to(following), ref.index, value)
        case StoreConditional(reg, _, value, order):
            if env[RESERVATION] == program.address_of(*cell):
                label = Label("W", cell, order, written=program.wrap(evaluate(value, env)), marks=instruction.marks)
                yield step(label, to(following, reg, 0, reservation=0), ref.index, value, writes=reg)
            yield step(control, to(following, reg, 1, reservation=0), writes=reg, choice=1)
        case Load(reg, _, order, marks=marks):
            reservation = program.address_of(*cell) if Mark.EXCLUSIVE in marks else None
            for read in readable(cell):
                after = to(following, reg, read, reservation)
                yield step(Label("R", cell, order, read, marks=marks), after, ref.index, writes=reg)
        case Wait(out, _, until, order):
            for read in readable(cell):
                if evaluate(until, env, read):
                    yield step(Label("R*", cell, order, read), to(following, out, read), ref.index, until, writes=out)
        case Rmw(out, op, _, operand, order):
            for read in readable(cell):
                written = program.wrap(apply_rmw(op, read, evaluate(operand, env, read)))
                label = Label("RMW", cell, order, read, written, instruction.marks)
                yield step(label, to(following, out, read), ref.index, operand, writes=out)
        case Cas(out, _, expected, desired, success, failure):
            wanted = program.wrap(evaluate(expected, env))
            for read in readable(cell):
                if read == wanted:
                    label = Label("RMW", cell, success, read, program.wrap(evaluate(desired, env)), instruction.marks)
                    yield step(label, to(following, out, read), ref.index, expected, desired, writes=out)
                else:
                    label = Label("R*", cell, failure, read, marks=instruction.marks)
                    yield step(label, to(following, out, read), ref.index, expected, writes=out)
        case BlockingCas(_, expected, desired, order):
            wanted = program.wrap(evaluate(expected, env))
            for read in readable(cell):
                if read == wanted:
                    label = Label("RMW", cell, order, read, program.wrap(evaluate(desired, env)))
                    yield step(label, to(following), ref.index, expected, desired)


def enabled_steps(program: Program, thread: Thread, state: ThreadState) -> Iterator[Step]:
    """Every step that the program enables, whatever the memory holds: what the errors of RC20's monitors are about.

    The proofs need a label that uses the same registers whatever their values are (Lemma 3.17), and the paper's waits
    have one. A wait that no value ends has none, so here it counts as a control event that uses its registers: another
    value of them might have let it end.
    """
    anything = range(program.max_value + 1)
    found = False
    for step in steps(program, thread, state, lambda cell: anything):
        found = True
        yield step
    if not found and not is_over(thread, state) and isinstance(wait := thread.code[state.pc], Wait):
        used = registers_of(wait.until) | (frozenset() if wait.ref.index is None else registers_of(wait.ref.index))
        yield Step(state.pc, Label("CTRL"), used, None, state)


def named_cell(program: Program, ref: Ref, registers: Mapping[str, int]) -> Cell | None:
    """The cell that an access with `ref` is to; None if there is none."""
    index = 0 if ref.index is None else evaluate(ref.index, registers)
    if ref.location == MEMORY:
        found = program.cell_at(program.wrap(index))
        return None if found is None else Cell(*found)
    return Cell(ref.location, index) if 0 <= index < program.location(ref.location).size else None


def without_reservation(program: Program, thread: Thread, state: ThreadState, cell: Cell) -> ThreadState:
    """`state` after another thread has written `cell`: a store-conditional that waits for it can only fail."""
    if RESERVATION not in thread.registers:
        return state
    place = thread.registers.index(RESERVATION)
    if state.registers[place] != program.address_of(*cell):
        return state
    return ThreadState(state.pc, (*state.registers[:place], 0, *state.registers[place + 1 :]))
