"""Programs in the terms of RC20: what is sugar there is written out here.

Paper: observational-robustness-rc20, section 3.1 (SC fences) and section 6 (non-atomics).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fencepost.models import Unsupported, require_named_cells
from fencepost.program.expr import Const, Reg
from fencepost.program.form import (
    Access,
    Assign,
    BlockingCas,
    Branch,
    Cas,
    Choose,
    Fence,
    Instruction,
    Jump,
    Load,
    Location,
    Program,
    Ref,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
    Thread,
    Wait,
    orders_of,
)
from fencepost.program.lts import Cell
from fencepost.program.orders import FenceKind, Order

SC_FENCE_LOCATION = "fence(sc)"  # the hidden location f; no front end can name it
_READ = "read(na)"  # a hidden register of split_non_atomics


def encode(program: Program) -> Program:
    """`program` with each SC fence as fence(acq); f.FADD(0, acqrel); fence(rel). Raises Unsupported outside RC20."""
    _require_supported(program)
    if not any(_is_sc_fence(instruction) for thread in program.threads for instruction in thread.code):
        return program
    program = _expanded(program, lambda _, instruction: _sc_fence(instruction))
    if any(location.name == SC_FENCE_LOCATION for location in program.locations):
        return program
    return replace(program, locations=(*program.locations, Location(SC_FENCE_LOCATION)))


def release_acquire(program: Program) -> Program:
    """The release/acquire reading of `program` (RA): every atomic access acquires and releases what it can."""
    threads = tuple(replace(thread, code=tuple(map(_strengthened, thread.code))) for thread in program.threads)
    return replace(program, threads=threads)


def split_non_atomics(program: Program) -> Program:
    """trans(Pr) of section 6: thread i has its own copy of each non-atomic location, and writes go to all copies.

    A read is followed by a write of its value, so that every race is a race of two writes.
    """
    if all(location.atomic for location in program.locations):
        return program
    locations = tuple(
        copy
        for location in program.locations
        for copy in (
            (location,)
            if location.atomic
            else (replace(location, name=copy_name(location.name, t)) for t in range(len(program.threads)))
        )
    )
    threads = tuple(replace(thread, registers=(*thread.registers, _READ)) for thread in program.threads)
    return _expanded(replace(program, locations=locations, threads=threads), _split_access(program))


def copy_name(location: str, thread: int) -> str:
    """The name of `thread`'s copy of a non-atomic location in `split_non_atomics`."""
    return f"{location}@{thread}"


def is_hidden(cell: Cell | None) -> bool:
    """Whether a location is only there for the meaning of SC fences."""
    return cell is not None and cell.location == SC_FENCE_LOCATION


def _is_sc_fence(instruction: Instruction) -> bool:
    return isinstance(instruction, Fence) and instruction.kind is FenceKind.SEQ_CST


def _require_supported(program: Program) -> None:
    require_named_cells("RC20", program)
    atomic = {location.name: location.atomic for location in program.locations}
    for thread in program.threads:
        for instruction in thread.code:
            if not isinstance(instruction, Access):
                continue
            if Order.SEQ_CST in orders_of(instruction):
                raise Unsupported("RC20", instruction, "it knows SC fences, but no seq_cst accesses")
            non_atomic = Order.NON_ATOMIC in orders_of(instruction)
            if non_atomic == atomic[instruction.ref.location]:
                raise Unsupported(
                    "RC20", instruction, f"{instruction.ref.location} must be accessed atomically always or never"
                )
            if non_atomic and not isinstance(instruction, Load | Store):
                raise Unsupported("RC20", instruction, "only plain loads and stores can be non-atomic")


def _sc_fence(instruction: Instruction) -> tuple[Instruction, ...]:
    if not _is_sc_fence(instruction):
        return (instruction,)
    span = instruction.span
    return (
        Fence(FenceKind.ACQUIRE, span=span),
        Rmw(None, RmwOp.ADD, Ref(SC_FENCE_LOCATION), Const(0), Order.ACQ_REL, span=span),
        Fence(FenceKind.RELEASE, span=span),
    )


def _strengthened(instruction: Instruction) -> Instruction:
    if not isinstance(instruction, Access) or Order.NON_ATOMIC in orders_of(instruction):
        return instruction
    match instruction:
        case Load(order=order) | Wait(order=order):
            return replace(instruction, order=order.join(Order.ACQUIRE))
        case Store(order=order) | StoreConditional(order=order):
            return replace(instruction, order=order.join(Order.RELEASE))
        case Rmw(order=order) | BlockingCas(order=order):
            return replace(instruction, order=order.join(Order.ACQ_REL))
        case Cas(success=success, failure=failure):
            return replace(instruction, success=success.join(Order.ACQ_REL), failure=failure.join(Order.ACQUIRE))


def _split_access(program: Program) -> Callable[[int, Instruction], tuple[Instruction, ...]]:
    split = {location.name: location for location in program.locations if not location.atomic}

    def at(ref: Ref, thread: int) -> Ref:
        return replace(ref, location=copy_name(ref.location, thread))

    def expand(thread: int, instruction: Instruction) -> tuple[Instruction, ...]:
        match instruction:
            case Load(reg, ref, order) if ref.location in split:
                mine, span = at(ref, thread), instruction.span
                return (  # not straight into reg, which the index may use
                    Load(_READ, mine, order, span=span),
                    Store(mine, Reg(_READ), order, span=span),
                    Assign(reg, Reg(_READ), span=span),
                )
            case Store(ref=ref) if ref.location in split:
                return tuple(replace(instruction, ref=at(ref, t)) for t in range(len(program.threads)))
        return (instruction,)

    return expand


def _expanded(program: Program, expand: Callable[[int, Instruction], tuple[Instruction, ...]]) -> Program:
    """Each instruction of thread t replaced by `expand(t, instruction)`, with jumps adapted."""
    threads = tuple(
        _expanded_thread(thread, [expand(number, instruction) for instruction in thread.code])
        for number, thread in enumerate(program.threads)
    )
    return replace(program, threads=threads)


def _expanded_thread(thread: Thread, parts: list[tuple[Instruction, ...]]) -> Thread:
    starts = [0]
    for part in parts:
        starts.append(starts[-1] + len(part))

    def moved(instruction: Instruction) -> Instruction:
        match instruction:
            case Branch(target=target) | Jump(target=target):
                return replace(instruction, target=starts[target])
            case Choose(targets=targets):
                return replace(instruction, targets=tuple(starts[target] for target in targets))
        return instruction

    return replace(thread, code=tuple(moved(instruction) for part in parts for instruction in part))
