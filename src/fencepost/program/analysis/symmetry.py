"""Which threads are copies of each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from ..expr import Expr, Reg, substitute
from ..form import Instruction, Program, Ref, Thread

_Template = tuple[tuple[int, ...], tuple[Instruction, ...]]


def symmetric_groups(program: Program) -> tuple[tuple[int, ...], ...]:
    """The maximal groups of two or more threads that do the same, as thread indices.

    Registers correspond by their position in `Thread.registers`: once each register is named by its position, all
    threads of a group have equal code and equal initial values. So the states of two threads of a group (a pc, and
    registers by position) may change places as they are. Names, spans and the texts of assertions do not count.
    """
    groups: dict[_Template, list[int]] = {}
    for index, thread in enumerate(program.threads):
        groups.setdefault(_template(thread), []).append(index)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _template(thread: Thread) -> _Template:
    """The registers' initial values, and the code with each register named by its position."""
    names = {register: Reg(str(position)) for position, register in enumerate(thread.registers)}
    return tuple(thread.initial_registers().values()), tuple(_renamed(i, names) for i in thread.code)


def _renamed(instruction: Instruction, names: Mapping[str, Reg]) -> Instruction:
    changes: dict[str, Any] = {}
    for field in fields(instruction):
        match field.name, getattr(instruction, field.name):
            case "reg", str(register):
                changes["reg"] = names[register].name
            case "why", _:
                changes["why"] = None
            case name, Ref(location, index) if index is not None:
                changes[name] = Ref(location, substitute(index, names))
            case name, value if isinstance(value, Expr):
                changes[name] = substitute(value, names)
    return replace(instruction, **changes)
