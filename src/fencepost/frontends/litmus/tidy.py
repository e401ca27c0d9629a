"""A program without masks and sign extensions that change nothing, in the smallest usual range of values that will do.

Registers stay in every expression that they stand in: they are what dependencies are made of.
"""

from __future__ import annotations

from dataclasses import replace

from fencepost.program.analysis.bounds import Bounds, bounds_of, sign_extension
from fencepost.program.expr import Binary, Const, Expr, ReadValue, Unary, parts
from fencepost.program.form import (
    Access,
    Assert,
    Assign,
    Assume,
    BlockingCas,
    Branch,
    Cas,
    Instruction,
    Program,
    Ref,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
    Use,
    Wait,
)

_RANGES = (0xFF, 0xFFFF, 0xFF_FFFF, 0xFFFF_FFFF)


def tidied(program: Program) -> Program:
    bounds = bounds_of(program)
    threads = tuple(
        replace(thread, code=tuple(_simplified(number, instruction, bounds) for instruction in thread.code))
        for number, thread in enumerate(program.threads)
    )
    largest = bounds.largest()
    max_value = next((limit for limit in _RANGES if largest <= limit <= program.max_value), program.max_value)
    return replace(program, threads=threads, max_value=max_value)


def _simplified(thread: int, instruction: Instruction, bounds: Bounds) -> Instruction:
    def of(expr: Expr, read: int | None = None) -> Expr:
        return _without_masks(thread, expr, bounds, read)

    read = None
    if isinstance(instruction, Access):
        read = bounds.read(instruction.ref.location)
        index = instruction.ref.index
        if index is not None:
            instruction = replace(instruction, ref=Ref(instruction.ref.location, of(index)))
    match instruction:
        case Assign(value=value) | Store(value=value) | StoreConditional(value=value) | Use(value=value):
            return replace(instruction, value=of(value))
        case Rmw(operand=operand):
            return _plain(replace(instruction, operand=of(operand, read)))
        case Cas(expected=expected, desired=desired) | BlockingCas(expected=expected, desired=desired):
            return replace(instruction, expected=of(expected), desired=of(desired))
        case Wait(until=until):
            return replace(instruction, until=of(until, read))
        case Branch(condition=condition) | Assume(condition=condition) | Assert(condition=condition):
            return replace(instruction, condition=of(condition))
    return instruction


def _plain(rmw: Rmw) -> Rmw:
    """An update to old + e, which cannot leave the range, is an ADD of e."""
    match rmw.op, rmw.operand:
        case RmwOp.UPDATE, Binary("+", ReadValue(), by) if not any(isinstance(p, ReadValue) for p in parts(by)):
            return replace(rmw, op=RmwOp.ADD, operand=by)
    return rmw


def _without_masks(thread: int, expr: Expr, bounds: Bounds, read: int | None) -> Expr:
    extended = sign_extension(expr)
    if extended is not None and bounds.of(thread, expr, read) is not None:
        return _without_masks(thread, extended[0], bounds, read)
    match expr:
        case Unary(op, arg):
            return Unary(op, _without_masks(thread, arg, bounds, read))
        case Binary("&", left, Const(mask)) if mask > 0 and (mask + 1) & mask == 0:
            inner = _without_masks(thread, left, bounds, read)
            largest = bounds.of(thread, left, read)
            return inner if largest is not None and largest <= mask else Binary("&", inner, Const(mask))
        case Binary(op, left, right):
            return Binary(op, _without_masks(thread, left, bounds, read), _without_masks(thread, right, bounds, read))
    return expr
