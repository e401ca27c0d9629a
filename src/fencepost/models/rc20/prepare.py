"""What the search needs to know of RC20: the program in its terms, and the critical values of each location."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fencepost.models.registry import NO_CLASS, ValueClasses
from fencepost.program.analysis.values import Values, possible_values
from fencepost.program.expr import Expr, both, defined, evaluate, registers_of
from fencepost.program.form import BlockingCas, Cas, Program, Wait

from .lower import encode

prepare = encode

_FEW = 16  # so many values of an expected expression are told apart from the start


def classes(program: Program, *, precise: bool) -> Mapping[str, ValueClasses]:
    """The coarsest partitions that tell apart what a wait, CAS or blocking CAS may expect (Remark 3).

    Where the expected value is an expression with many values, those are one class unless `precise`: the monitor then
    answers "maybe" where it cannot tell, and the search is repeated precisely if that happens and matters.
    """
    values = possible_values(program)
    wanted: dict[str, list[frozenset[int]]] = {location.name: [] for location in program.locations}
    for number, thread in enumerate(program.threads):
        for instruction in thread.code:
            if isinstance(instruction, Wait | Cas | BlockingCas):
                held = values.reads(instruction.ref.location)
                sets = _expected(program, number, instruction, values, held, precise=precise)
                wanted[instruction.ref.location].extend(sets)
    return {name: _partition(program, values.reads(name), sets) for name, sets in wanted.items()}


def _expected(
    program: Program,
    thread: int,
    instruction: Wait | Cas | BlockingCas,
    values: Values,
    held: frozenset[int] | range,
    *,
    precise: bool,
) -> Iterator[frozenset[int]]:
    """The sets of values that the instruction may look for."""
    expr: Expr = instruction.until if isinstance(instruction, Wait) else instruction.expected
    names = sorted(registers_of(expr))
    environments: list[dict[str, int]] = [{}]
    if len(names) == 1 and len(values.register(thread, names[0])) <= _FEW:
        environments = [{names[0]: value} for value in values.register(thread, names[0])]
    elif names:
        if precise:
            yield from (frozenset({v}) for v in held)
        return
    for env in environments:
        if isinstance(instruction, Wait):
            ends = both(defined(expr), expr)
            yield frozenset(v for v in held if evaluate(ends, env, v))
        elif evaluate(defined(expr), env):  # elsewhere the guard before it has failed
            yield frozenset({program.wrap(evaluate(expr, env))})


def _partition(program: Program, held: frozenset[int] | range, sets: list[frozenset[int]]) -> ValueClasses:
    distinct = list(dict.fromkeys(sets))
    numbers: dict[tuple[bool, ...], int] = {}
    of = [NO_CLASS] * (program.max_value + 1)
    for value in sorted(held):
        signature = tuple(value in wanted for wanted in distinct)
        of[value] = numbers.setdefault(signature, len(numbers))
    return ValueClasses(tuple(of), len(numbers))
