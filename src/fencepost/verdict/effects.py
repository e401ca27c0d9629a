"""What a step of a run did, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fencepost.program.expr import Const, Expr, evaluate, registers_of, show, substitute
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
    Load,
    Program,
    Rmw,
    Store,
    StoreConditional,
    Use,
    Wait,
)
from fencepost.program.lts import FAILED, Cell, Label, Step, named_cell
from fencepost.program.printer import value_named


def is_hidden_register(name: str) -> bool:
    """Whether it is one that the assembler made (no name in a source starts with a dot)."""
    return name.startswith(".")


def cell_text(program: Program, cell: Cell) -> str:
    """`x`, or `x[2]` for a slot of an array."""
    return cell.location if program.location(cell.location).size == 1 else f"{cell.location}[{cell.slot}]"


def effect(program: Program, instruction: Instruction, step: Step, values: Mapping[str, int]) -> str:
    """The effect of a step under SC; `values` are the registers before it. Empty for what needs no words."""
    if step.after.pc == FAILED:
        return failure(program, instruction, values)
    match instruction:
        case Assign(reg, value):
            return "" if is_hidden_register(reg) else f"{reg} = {program.wrap(evaluate(value, values))}"
        case Assert(why=str()):
            return ""  # a guard of a division, which divides
        case Branch(condition) | Assume(condition) | Assert(condition):
            return _condition(instruction, condition, values)
        case Choose(targets):
            return f"takes alternative {step.choice + 1} of {len(targets)}"
        case Use(value):
            return f"uses {show(value)} = {evaluate(value, values)}"
        case Fence():
            return "fence"
        case StoreConditional() if step.label is None:
            return "fails, and writes nothing"
        case _ if isinstance(instruction, Access) and step.label is not None:
            return access_effect(program, instruction, step.label)
    return ""


class Verbs(NamedTuple):
    reads: str
    writes: str
    and_writes: str


DOES, MAY = Verbs("reads", "writes", "and writes"), Verbs("may read", "may write", "and write")


def access_effect(program: Program, access: Access, label: Label, verbs: Verbs = DOES) -> str:
    """What an access with this label does, or may do."""
    assert label.cell is not None
    x, read, written = cell_text(program, label.cell), label.read, label.written
    match access:
        case Store() | StoreConditional():
            return f"{verbs.writes} {x} = {written}"
        case Wait():
            return f"{verbs.reads} {x} = {read}, which it waits for"
        case Cas() if written is None:
            return f"{verbs.reads} {x} = {read}, so it fails"
        case Load():
            return f"{verbs.reads} {x} = {read}"
        case Rmw() | Cas() | BlockingCas():
            return f"{verbs.reads} {x} = {read} {verbs.and_writes} {written}"


def failure(program: Program, instruction: Instruction, values: Mapping[str, int]) -> str:
    """Why an instruction fails: a sentence without its subject."""
    match instruction:
        case Assert(condition, why):
            what = f"assert({show(condition)}) fails" if why is None else why
            return what + _registers(condition, values)
        case _ if isinstance(instruction, Access) and instruction.ref.index is not None:
            ref, index = instruction.ref, evaluate(instruction.ref.index, values)
            if ref.location == MEMORY:
                return f"no location is at the address {index}"
            size = program.location(ref.location).size
            return f"{ref.location}[{index}] is outside the array, which has slots 0 to {size - 1}"
    raise ValueError(f"cannot fail: {instruction}")


def awaited(program: Program, blocking: Wait | BlockingCas, values: Mapping[str, int]) -> str:
    """What a blocked thread waits for: `x == 1`."""
    cell = named_cell(program, blocking.ref, values)
    assert cell is not None
    x = cell_text(program, cell)
    match blocking:
        case BlockingCas(_, expected):
            return f"{x} == {program.wrap(evaluate(expected, values))}"
        case Wait(until=until):
            known = substitute(until, {name: Const(value) for name, value in values.items()})
            return show(value_named(known, x))


def _condition(instruction: Instruction, condition: Expr, values: Mapping[str, int]) -> str:
    holds = bool(evaluate(condition, values))
    match instruction:
        case Branch():
            verdict = "true" if holds else "false"
            return f"{show(condition)} is {verdict}{_registers(condition, values)}"
        case Assert():
            return f"holds{_registers(condition, values)}"
    return ("holds" if holds else "is false, so the thread ends") + _registers(condition, values)


def _registers(expr: Expr, values: Mapping[str, int]) -> str:
    """` (a = 1, b = 2)`: the registers in an expression."""
    shown = [f"{name} = {values[name]}" for name in sorted(registers_of(expr)) if not is_hidden_register(name)]
    return f" ({', '.join(shown)})" if shown else ""
