"""Random programs with threads of which any number of copies run: those of `random_tso`, with loops and assertions.

`random_template_program(seed)` is a function of its argument.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from fencepost.program.expr import Binary, Const, Reg
from fencepost.program.form import Assert, Instruction, Jump, Load, Program, Thread

from .random_tso import random_tso_program


def random_template_program(seed: int, *, most_threads: int = 2) -> Program:
    random = Random(f"templates {seed}")
    program = random_tso_program(seed)
    threads = [_changed(thread, random) for thread in program.threads[:most_threads]]
    star = random.randrange(len(threads))
    return replace(
        program,
        name=f"templates-{seed}",
        threads=tuple(
            replace(thread, any_number=number == star or random.random() < 0.5) for number, thread in enumerate(threads)
        ),
    )


def _changed(thread: Thread, random: Random) -> Thread:
    """Some with an assertion after their last load, some repeated for ever."""
    code: list[Instruction] = list(thread.code)
    loads = [instruction.reg for instruction in code if isinstance(instruction, Load)]
    if loads and random.random() < 0.6:
        code.append(Assert(Binary("!=", Reg(loads[-1]), Const(random.randint(1, 2)))))
    if random.random() < 0.4:
        code.append(Jump(0))
    return replace(thread, code=tuple(code))
