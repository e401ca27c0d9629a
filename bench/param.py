"""Any number of threads: how coverability grows, and how it compares with instances.

    bench/run param [SECONDS]

Families of programs for any number of threads, one parameter each. For every program: the answer for TSO and SC
assertions together, the size of what was searched, the processor time; and the time that the same program takes with
2, 4, 6 copies of each template, as a multiple of it. A cell is `-` where the time limit (20 seconds, or as told) was
reached.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator

from fencepost import api
from fencepost.engines.options import SearchOptions
from fencepost.frontends import loads
from fencepost.program.form import Program
from fencepost.verdict.types import CheckResult, Robust, Unknown

INSTANCES = (2, 4, 6)


def ticket(places: int) -> str:
    """A ticket lock with so many tickets, and one thread less at a time: examples/parameterised/ticket-bounded.tpl."""
    return f"""
    max_value {places - 1};
    global next, serving, free = {places - 1}, inside;
    fn worker * {{
        local left, got, mine, count;
        while (true) {{
            left = free.load(rlx);
            got = 0;
            if (left != 0) {{
                got = CAS(free, left, left - 1, acq, rlx);
                if (got == left) {{
                    mine = FADD(next, 1, acq, rel);
                    wait(serving, mine, acq);
                    count = inside.load(rlx);
                    assert(count == 0);
                    inside.store(1, rlx);
                    inside.store(0, rlx);
                    serving.store(mine + 1, rel);
                    FADD(free, 1, acq, rel);
                }}
            }}
        }}
    }}
    """


def readers(most: int) -> str:
    """A readers-writer lock with at most so many readers at a time: examples/parameterised/rwlock.tpl."""
    return f"""
    max_value {most + 1};
    global state, data, writing;
    fn reader * {{
        local seen, got, one, two;
        while (true) {{
            seen = state.load(rlx);
            if (seen < {most}) {{
                got = CAS(state, seen, seen + 1, acq, rlx);
                if (got == seen) {{
                    one = data.load(rlx);
                    two = data.load(rlx);
                    assert(one == two);
                    FADD(state, -1, rlx, rel);
                }}
            }}
        }}
    }}
    fn writer * {{
        local seen, other;
        while (true) {{
            BCAS(state, 0, {most + 1}, acq, rlx);
            other = writing.load(rlx);
            assert(other == 0);
            writing.store(1, rlx);
            seen = data.load(rlx);
            data.store(1 - seen, rlx);
            writing.store(0, rlx);
            state.store(0, rel);
        }}
    }}
    """


def guarded(cells: int) -> str:
    """A spinlock that guards so many cells, which are swapped round in it."""
    names = [f"c{number}" for number in range(cells)]
    reads = "\n".join(f"r{number} = {name}.load(rlx);" for number, name in enumerate(names))
    writes = "\n".join(f"{name}.store(1 - r{number}, rlx);" for number, name in enumerate(names))
    same = " && ".join(f"r0 == r{number}" for number in range(1, cells)) or "true"
    return f"""
    max_value 1;
    global held, {", ".join(names)};
    fn worker * {{
        local {", ".join(f"r{number}" for number in range(cells))};
        while (true) {{
            BCAS(held, 0, 1, acq, rlx);
            {reads}
            assert({same});
            {writes}
            held.store(0, rel);
        }}
    }}
    """


def rendezvous(needed: int) -> str:
    """A counter that must not reach a number: it takes so many threads."""
    return f"""
    max_value {needed + 1};
    global count;
    fn worker * {{ local old; old = FADD(count, 1, rlx, rlx); assert(old + 1 != {needed}); }}
    """


FAMILIES: dict[str, tuple[Callable[[int], str], tuple[int, ...]]] = {
    "ticket lock, tickets": (ticket, (2, 3, 4, 5, 6)),
    "readers-writer lock, readers": (readers, (1, 2, 3, 4)),
    "spinlock, guarded cells": (guarded, (1, 2, 3, 4)),
    "failing count, threads needed": (rendezvous, (2, 4, 8, 12)),
}


def checked(program: Program, seconds: float, *, each: int | None = None) -> tuple[CheckResult, float]:
    started = time.process_time()
    options = SearchOptions(jobs=1, timeout=seconds, memory=2 << 30)
    result = api.check(program, model="tso", instances=each, options=options)
    return result, time.process_time() - started


def answer(result: CheckResult) -> str:
    word = (
        "unknown" if isinstance(result.verdict, Unknown) else "robust" if isinstance(result.verdict, Robust) else "not"
    )
    return f"{word}, {result.assertions.value}"


def row(program: Program, seconds: float) -> Iterator[str]:
    result, spent = checked(program, seconds)
    states = result.statistics.states
    yield from (answer(result), f"{states:,}", f"{result.statistics.peak_bytes / (1 << 20):.1f}", f"{spent:.3f}")
    for each in INSTANCES:
        one, took = checked(program, seconds, each=each)
        yield "-" if isinstance(one.verdict, Unknown) else f"{took / spent:.1f}"


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    form = "{:32}{:>3}  {:16}{:>12}{:>8}{:>9}" + "{:>9}" * len(INSTANCES)
    instances = [f"x{each}" for each in INSTANCES]
    print(form.format("any number of threads", "", "TSO, assertions", "states", "MiB", "seconds", *instances))
    for name, (source, parameters) in FAMILIES.items():
        for parameter in parameters:
            program = loads(source(parameter), "bench.tpl")
            print(form.format(name, parameter, *row(program, seconds)), flush=True)


if __name__ == "__main__":
    main()
