"""Programs and instructions as text for people. `frontends/tpl/writer.py` writes text that can be read back."""

from __future__ import annotations

from collections.abc import Mapping

from .expr import Binary, Expr, ReadValue, Reg, Unary, show
from .form import (
    MEMORY,
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
    Location,
    Lock,
    Program,
    Ref,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
    Thread,
    Unlock,
    Use,
    Wait,
)
from .orders import Mark, Order

_RMW_NAMES = {
    RmwOp.ADD: "FADD",
    RmwOp.SUB: "FSUB",
    RmwOp.AND: "FAND",
    RmwOp.OR: "FOR",
    RmwOp.XOR: "FXOR",
    RmwOp.EXCHANGE: "exchange",
    RmwOp.UPDATE: "update",
}


def show_program(program: Program) -> str:
    """All of `program`: declarations, then each thread with one numbered instruction per line."""
    lines = [f"program {program.name}: values {program.min_value} to {program.max_value}"]
    lines += [_show_location(location) for location in program.locations]
    for expectation in program.expectations:
        verdict = expectation.notion if expectation.robust else f"not {expectation.notion}"
        lines.append(f"expected: {verdict} under {', '.join(expectation.models)}")
    for thread in program.threads:
        lines += ["", *_show_thread(thread)]
    return "\n".join(lines) + "\n"


def show_instruction(instruction: Instruction, labels: Mapping[int, str] | None = None) -> str:
    """One instruction; `labels` are the names of its targets, which are numbers otherwise."""

    def target(pc: int) -> str:
        return str(pc) if labels is None else labels[pc]

    match instruction:
        case Assign(reg, value):
            return f"{reg} = {show(value)}"
        case Load(reg, ref, order):
            return f"{reg} = {show_ref(ref)}.load({_ordering(order, instruction.marks)})"
        case Store(ref, value, order):
            return f"{show_ref(ref)}.store({show(value)}, {_ordering(order, instruction.marks)})"
        case StoreConditional(reg, ref, value, order):
            return f"{reg} = {show_ref(ref)}.store_conditional({show(value)}, {_ordering(order, instruction.marks)})"
        case Rmw(reg, op, ref, operand, order):
            old_as_name = value_named(operand, show_ref(ref))
            arguments = f"{show_ref(ref)}, {show(old_as_name)}, {_ordering(order, instruction.marks)}"
            return _result(reg) + f"{_RMW_NAMES[op]}({arguments})"
        case Cas(reg, ref, expected, desired, success, failure):
            values = f"{show(expected)}, {show(desired)}"
            orders = f"{success.value}, {_ordering(failure, instruction.marks)}"
            return _result(reg) + f"CAS({show_ref(ref)}, {values}, {orders})"
        case BlockingCas(ref, expected, desired, order):
            return f"BCAS({show_ref(ref)}, {show(expected)}, {show(desired)}, {order.value})"
        case Wait(reg, ref, until, order):
            return _result(reg) + f"wait({show(value_named(until, show_ref(ref)))}, {order.value})"
        case Fence(kind):
            return f"fence({kind.value})"
        case Lock():
            return "lock"
        case Unlock():
            return "unlock"
        case Branch(condition, pc):
            return f"if ({show(condition)}) goto {target(pc)}"
        case Jump(pc):
            return f"goto {target(pc)}"
        case Choose(targets):
            return f"goto one of {', '.join(target(pc) for pc in targets)}"
        case Assume(condition):
            return f"assume({show(condition)})"
        case Assert(condition):
            return f"assert({show(condition)})"
        case Use(value):
            return f"use({show(value)})"


def show_ref(ref: Ref) -> str:
    """`x`, or `x[i + 1]`, or `*(p + 4)` for a computed address."""
    if ref.location == MEMORY and ref.index is not None:
        return f"*({show(ref.index)})"
    return ref.location if ref.index is None else f"{ref.location}[{show(ref.index)}]"


def value_named(until: Expr, name: str) -> Expr:
    """`until` with the name of the location in place of the value that is read."""
    match until:
        case ReadValue():
            return Reg(name)
        case Unary(op, arg):
            return Unary(op, value_named(arg, name))
        case Binary(op, left, right):
            return Binary(op, value_named(left, name), value_named(right, name))
    return until


def branch_targets(instruction: Instruction) -> tuple[int, ...]:
    """Where `instruction` may jump to, other than falling through."""
    match instruction:
        case Branch(target=target) | Jump(target=target):
            return (target,)
        case Choose(targets=targets):
            return targets
    return ()


def label_names(thread: Thread) -> dict[int, str]:
    """A name for each place that `thread` may jump to, in the order of the code."""
    places = sorted({target for instruction in thread.code for target in branch_targets(instruction)})
    return {pc: f"L{number}" for number, pc in enumerate(places)}


def _show_location(location: Location) -> str:
    kind = "atomic" if location.atomic else "non-atomic"
    if location.size == 1:
        return f"{kind} {location.name} = {location.initial[0]}"
    return f"{kind} {location.name}[{location.size}] = {', '.join(str(value) for value in location.initial)}"


def _show_thread(thread: Thread) -> list[str]:
    initial = thread.initial_registers()
    registers = ", ".join(name if initial[name] == 0 else f"{name} = {initial[name]}" for name in thread.registers)
    star = " *" if thread.any_number else ""
    lines = [f"thread {thread.name}{star}" + (f" ({registers})" if registers else "")]
    labels = label_names(thread)
    margin = max((len(label) for label in labels.values()), default=-2) + 2
    digits = len(str(len(thread.code)))
    for pc, instruction in enumerate(thread.code):
        label = f"{labels[pc]}:" if pc in labels else ""
        lines.append(f"  {pc:{digits}}  {label:{margin}}{show_instruction(instruction, labels)}")
    if len(thread.code) in labels:
        lines.append(f"  {len(thread.code):{digits}}  {labels[len(thread.code)]}: end")
    return lines


def _ordering(order: Order, marks: frozenset[Mark]) -> str:
    return ", ".join((order.value, *(mark.value for mark in Mark if mark in marks)))


def _result(reg: str | None) -> str:
    return "" if reg is None else f"{reg} = "
