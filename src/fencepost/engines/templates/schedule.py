"""A run of a crowd as a schedule of an instance: anonymous members become threads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from fencepost.program.form import Program
from fencepost.program.templates import origins
from fencepost.verdict.types import Move

# A move of the program with slots (threads that are no templates, then a member and an attacker for each template),
# and the local states of the member before and after it (-1: it is none).
CrowdMove = tuple[tuple[int, int, tuple[int, ...], bool], int, int]


def schedule(program: Program, copies: Mapping[str, int], path: Sequence[CrowdMove]) -> tuple[tuple[Move, ...], int]:
    """The schedule of the instance with these copies, and the thread that moves last."""
    moves = tuple(_moves(program, copies, path))
    return tuple(move for move in moves if move.instructions), moves[-1].thread


def _moves(program: Program, copies: Mapping[str, int], path: Sequence[CrowdMove]) -> Iterator[Move]:
    threads: defaultdict[int, list[int]] = defaultdict(list)  # of the instance, by what they are copies of
    for number, origin in enumerate(origins(program, copies)):
        threads[origin].append(number)
    fixed = [threads[number][0] for number, thread in enumerate(program.threads) if not thread.any_number]
    fresh = [iter(threads[number]) for number in program.templates]
    resting: defaultdict[int, list[int]] = defaultdict(list)  # by local state
    global_: dict[int, int] = {}  # by slot: the attacker, and who has locked the memory

    for (slot, instructions, choices, delays), before, after in path:
        template, is_attacker = divmod(slot - len(fixed), 2)
        if slot < len(fixed):
            thread = fixed[slot]
        elif before < 0:
            thread = global_[slot]
        elif before < len(fresh):  # the state that a template begins with
            thread = next(fresh[template])
        else:
            thread = resting[before].pop()
        yield Move(thread, instructions, choices, delays)
        if slot >= len(fixed) and not is_attacker:
            if after >= 0:
                resting[after].append(thread)
            else:
                global_[slot + 1 if delays else slot] = thread
