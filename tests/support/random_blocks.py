"""Random loop-free automata most of whose accesses stand in blocks under a lock, on several locations."""

from __future__ import annotations

from random import Random

from fencepost.frontends import loads
from fencepost.program.form import Program


def random_block_program(seed: int) -> Program:
    """A function of its argument."""
    random = Random(f"blocks {seed}")
    locations = random.choice((2, 3))
    threads = "".join(_thread(random, number, locations) for number in range(random.choice((2, 2, 3))))
    return loads(f"memory_size {locations}\n{threads}", f"blocks-{seed}.txt")


def _thread(random: Random, number: int, locations: int) -> str:
    code: list[str] = []
    for _ in range(random.choice((1, 2))):
        if random.random() < 0.55:
            code += ["lock", *(_access(random, locations) for _ in range(random.randint(2, 3))), "unlock"]
        else:
            code += [_access(random, locations) for _ in range(2)]
    lines = [f"transition q{at} q{at + 1} {instruction}" for at, instruction in enumerate(code)]
    return "\n".join([f"thread t{number}", "initial q0", *lines, "end", ""])


def _access(random: Random, locations: int) -> str:
    """By a constant address or, now and then, one that was read."""
    address = "r" if random.random() < 0.15 else str(random.randrange(locations))
    return f"read {'s' if address == 'r' else 'r'} {address}" if random.random() < 0.5 else f"write 1 {address}"
