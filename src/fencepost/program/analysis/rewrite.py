"""Instructions replaced by others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate

from ..form import Branch, Choose, Instruction, Jump, Thread


def replace_instructions(thread: Thread, replacements: Mapping[int, tuple[Instruction, ...]]) -> Thread:
    """`thread` with some instructions, named by their pc, replaced by any number of others.

    Control that went to a replaced instruction goes to the first of the new ones, or past them if there are none.
    Targets, in `replacements` too, are places of the old code.
    """
    parts = [replacements.get(pc, (instruction,)) for pc, instruction in enumerate(thread.code)]
    moved = (0, *accumulate(map(len, parts)))
    return replace(thread, code=tuple(_retargeted(instruction, moved) for part in parts for instruction in part))


def _retargeted(instruction: Instruction, moved: tuple[int, ...]) -> Instruction:
    match instruction:
        case Branch(_, target) | Jump(target):
            return replace(instruction, target=moved[target])
        case Choose(targets):
            return replace(instruction, targets=tuple(moved[target] for target in targets))
    return instruction
