"""What a thread does, seen from outside: to compare two programs that should be the same."""

from __future__ import annotations

from random import Random

from fencepost.program.form import Program, Thread
from fencepost.program.lts import initial_state, is_over, steps

Visible = tuple[object, ...]


def trace(program: Program, thread: Thread, seed: int, *, length: int = 60) -> list[Visible]:
    """The first `length` visible steps of one random run of `thread` alone, reading arbitrary values.

    Equivalent threads whose registers correspond by position, whatever their names, have equal traces for every seed:
    silent steps leave no trace and use no randomness. A thread that goes on silently for ever has come to its end here.
    """
    random = Random(seed)
    state = initial_state(thread)
    seen: list[Visible] = []
    silent = 0
    while len(seen) < length and silent <= len(thread.code) * (program.max_value + 2) and not is_over(thread, state):
        possible = list(steps(program, thread, state, lambda _: range(program.max_value + 1)))
        if not possible:
            return [*seen, ("blocked",)]
        step = possible[0] if possible[0].label is None else random.choice(possible)
        if step.label is None:
            silent += 1
        else:
            silent = 0
            seen.append((step.label, len(step.reads), step.choice))
        state = step.after
    if is_over(thread, state):
        seen.append(("over", min(state.pc, 0), *state.registers))
    return seen
