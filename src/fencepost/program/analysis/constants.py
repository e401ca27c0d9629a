"""Which registers hold one known value."""

from __future__ import annotations

from collections.abc import Mapping

from ..expr import defined, evaluate, registers_of
from ..form import Assign, Instruction, Program, Thread, successors, written_register


def known_constants(program: Program, thread: Thread) -> tuple[Mapping[str, int] | None, ...]:
    """For each pc from 0 to len(code): the registers that hold the same value whenever control is there.

    None where control cannot come. Conditions are not consulted: both ways out of a branch count as possible.
    """
    known: list[Mapping[str, int] | None] = [None] * (len(thread.code) + 1)
    known[0] = thread.initial_registers()
    waiting = [0]
    while waiting:
        pc = waiting.pop()
        before = known[pc]
        if pc == len(thread.code) or before is None:
            continue
        after = _after(program, thread.code[pc], before)
        for target in successors(thread.code, pc):
            old = known[target]
            new = after if old is None else {name: old[name] for name in old if after.get(name) == old[name]}
            if new != old:
                known[target] = new
                waiting.append(target)
    return tuple(known)


def _after(program: Program, instruction: Instruction, before: Mapping[str, int]) -> Mapping[str, int]:
    written = written_register(instruction)
    if written is None:
        return before
    after = {name: value for name, value in before.items() if name != written}
    if isinstance(instruction, Assign):
        value = instruction.value
        if registers_of(value) <= before.keys() and evaluate(defined(value), before):
            after[written] = program.wrap(evaluate(value, before))
    return after
