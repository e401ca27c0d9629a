"""Threads of which any number of copies run (`Thread.any_number`): a program with such templates stands for many.

An instance has a number of copies of each template, one after the other where the template stands; 0 is a number too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from .form import Program, Thread

Copies = tuple[tuple[str, int], ...]  # for each template, by name, how many


class NotAnInstanceError(ValueError):
    """Something that needs one program was given one that stands for many."""

    def __init__(self, program: Program) -> None:
        super().__init__(f"any number of threads of {template_names(program)}: this is not one program but many")


def require_no_templates(program: Program) -> None:
    """Raises NotAnInstanceError. To be asked wherever threads are counted one by one."""
    if program.templates:
        raise NotAnInstanceError(program)


def template_names(program: Program) -> str:
    """`worker`, or `reader and writer`."""
    names = [program.threads[number].name for number in program.templates]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def instance(program: Program, copies: Mapping[str, int]) -> Program:
    """The program with so many copies of each template. Raises ValueError if it would have no thread at all."""
    counts = {program.threads[number].name: 0 for number in program.templates}
    if unknown := copies.keys() - counts.keys():
        raise ValueError(f"no template is called {', '.join(sorted(unknown))}")
    counts.update(copies)
    threads = tuple(copy for thread in program.threads for copy in _copies(thread, counts, program))
    if not threads:
        raise ValueError("an instance has at least one thread")
    return replace(program, threads=threads)


def instance_of(program: Program, copies: Copies) -> Program:
    """The program itself if it has no templates, and so no copies of any."""
    return instance(program, dict(copies)) if copies else program


def instances(program: Program, each: int) -> Program:
    """The instance with `each` copies of every template."""
    return instance(program, {program.threads[number].name: each for number in program.templates})


def origins(program: Program, copies: Mapping[str, int]) -> tuple[int, ...]:
    """For each thread of an instance, which thread of the program it is a copy of."""
    return tuple(
        number
        for number, thread in enumerate(program.threads)
        for _ in range(copies.get(thread.name, 0) if thread.any_number else 1)
    )


def counted(copies: Copies) -> str:
    """`2 of worker`, or `1 of reader and 3 of writer`."""
    parts = [f"{count} of {name}" for name, count in copies if count] or [f"none of {name}" for name, _ in copies]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _copies(thread: Thread, counts: Mapping[str, int], program: Program) -> Iterator[Thread]:
    if not thread.any_number:
        yield thread
        return
    taken = {other.name for other in program.threads}
    for number in range(1, counts[thread.name] + 1):
        name = f"{thread.name}#{number}"
        while name in taken:
            name += "'"
        yield replace(thread, name=name, any_number=False)
