"""Programs in the terms of TSO: C11 orders become x86 instructions in the usual way.

Loads and stores are plain whatever their order; read-modify-writes are locked; a sequentially consistent store is a
locked exchange and a sequentially consistent fence is mfence; other fences cost nothing and do nothing. (Batty, Owens,
Sarkar, Sewell, Weber, POPL 2011, section 1; instructions keep their places.)
"""

from __future__ import annotations

from dataclasses import replace

from fencepost.models import Unsupported
from fencepost.program.form import (
    BlockingCas,
    Cas,
    Fence,
    Instruction,
    Lock,
    Program,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
    Unlock,
)
from fencepost.program.orders import FenceKind, Order


def prepare(program: Program) -> Program:
    threads = tuple(replace(thread, code=tuple(map(_compiled, thread.code))) for thread in program.threads)
    return replace(program, threads=threads)


def _compiled(instruction: Instruction) -> Instruction:
    match instruction:
        case Store(ref, value, Order.SEQ_CST):
            return Rmw(None, RmwOp.EXCHANGE, ref, value, Order.SEQ_CST, span=instruction.span)
        case Fence(FenceKind.SEQ_CST):
            return replace(instruction, kind=FenceKind.MFENCE)
        case StoreConditional():
            raise Unsupported("TSO", instruction, "x86 has none")
    return instruction


def is_locked(instruction: Instruction) -> bool:
    """An atomic update: it flushes the store buffer before and after."""
    return isinstance(instruction, Rmw | Cas | BlockingCas)


def flushes(instruction: Instruction) -> bool:
    """Whether no store can be delayed past this instruction (of a prepared program)."""
    return is_locked(instruction) or isinstance(instruction, Lock | Unlock) or instruction == Fence(FenceKind.MFENCE)
