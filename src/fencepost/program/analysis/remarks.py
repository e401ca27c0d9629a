"""What in a program is probably not meant as it is written: it has a meaning, but its author should know."""

from __future__ import annotations

from collections.abc import Iterator

from ..assembler import constant
from ..expr import Binary, Const, Expr, ReadValue, Reg, evaluate, parts, registers_of, show
from ..form import Assign, Assume, BlockingCas, Cas, Instruction, Isa, Program, Rmw, Store, Thread, Wait, operands
from ..places import Lines
from ..printer import show_ref, value_named
from .values import ValueSet, possible_values

_EQUALITIES = ("==", "!=")


def remarks(program: Program) -> Iterator[str]:
    """A sentence each: threads that do nothing or cannot get on, and numbers that are no values of the program."""
    if program.isa is not Isa.C11 or not program.wraps:
        return
    values, lines = possible_values(program), Lines(program)
    for thread in program.threads:
        if not thread.code:
            yield f"thread {thread.name} does nothing"
        for pc, instruction in enumerate(thread.code):
            where = "" if instruction.span is None else f"{lines.where(instruction.span)}: "
            if pc == 0 and isinstance(instruction, Assume) and constant(instruction.condition) == 0:
                yield f"{where}thread {thread.name} ends before it has begun: {show(instruction.condition)} is false"
            if isinstance(instruction, Wait | BlockingCas):
                held = values.reads(instruction.ref.location)
                yield from (where + text for text in _never(program, thread, instruction, held))
            yield from (where + text for text in _foreign(program, instruction))


def _never(program: Program, thread: Thread, blocking: Wait | BlockingCas, held: ValueSet) -> Iterator[str]:
    """Whether the location surely never holds a value that is waited for."""
    place = show_ref(blocking.ref)
    match blocking:
        case Wait(until=until) if not registers_of(until):
            if not any(evaluate(until, {}, value) for value in held):
                yield f"thread {thread.name} never gets on: {show(value_named(until, place))} is never true"
        case BlockingCas(expected=Const(wanted)):
            if program.wrap(wanted) not in held:
                yield f"thread {thread.name} never gets on: {place} is never {wanted}"


def _foreign(program: Program, instruction: Instruction) -> Iterator[str]:
    """Numbers that the program's range changes, and comparisons with numbers outside it. (-1 is a common idiom.)"""
    for expr in _stored(instruction):
        known = constant(expr)
        if known is not None and known > program.max_value:
            yield f"{known} is outside the values 0 to {program.max_value} and becomes {program.wrap(known)}"
    for part in (part for expr in operands(instruction) for part in parts(expr)):
        match part:
            case Binary(op, Reg() | ReadValue(), Const(number)) | Binary(op, Const(number), Reg() | ReadValue()):
                if op in _EQUALITIES and not 0 <= number <= program.max_value:
                    yield f"nothing is ever equal to {number}: values are 0 to {program.max_value}"


def _stored(instruction: Instruction) -> tuple[Expr, ...]:
    """What becomes a value."""
    match instruction:
        case Assign(value=value) | Store(value=value):
            return (value,)
        case Rmw(operand=operand):
            return (operand,)
        case Cas(expected=expected, desired=desired) | BlockingCas(expected=expected, desired=desired):
            return expected, desired
    return ()
