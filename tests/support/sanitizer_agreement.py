"""The sanitizer against the exact checker: random programs, compiled to C, run in all schedules.

    python -m support.sanitizer_agreement 10000        in tests/: so many programs; prints each difference

A violation must be found in some schedule iff the program is not robust under RC20; and native runs of a robust program
must show none.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import fencepost
from fencepost.program.form import Program
from fencepost.verdict.types import NotRobust, Robust, WitnessKind

from .fork_server import ForkServer, build
from .random_programs import Options, random_program
from .to_c import expressible, to_c

OPTIONS = Options(max_events=8, max_prefixes=100)
WITH_NON_ATOMICS = Options(max_events=8, max_prefixes=80, non_atomics=True)
NATIVE_RUNS = 3
MOST_SCHEDULES = 50_000
FLAGS = ("-std=gnu11", "-fwrapv", "-O1")


@dataclass(frozen=True, slots=True)
class Difference:
    seed: int
    what: str


def numbered(seed: int, options: Options = OPTIONS) -> Program:
    return expressible(random_program(seed, options))


def is_robust(program: Program) -> tuple[bool, bool]:
    """By the exact checker: whether it is robust, and whether its witness, if not, is a race."""
    verdict = fencepost.check(program, model="rc20", busy_waits="keep").verdict
    assert isinstance(verdict, Robust | NotRobust), verdict
    race = isinstance(verdict, NotRobust) and verdict.witness.kind is WitnessKind.RACE
    return isinstance(verdict, Robust), race


def differences(
    seeds: Sequence[int], folder: Path, compiler: str, counts: Counter[str], options: Options = OPTIONS
) -> Iterator[Difference]:
    """The programs with these seeds, in one binary."""
    programs = [numbered(seed, options) for seed in seeds]
    source = folder / f"programs-{seeds[0]}.c"
    source.write_text(to_c(programs))
    binary = build(source, source.with_suffix(""), compiler, *FLAGS)
    with ForkServer([binary], "history=64") as server:
        for number, (seed, program) in enumerate(zip(seeds, programs, strict=True)):
            server.set("PROGRAM", number)
            robust, _ = is_robust(program)
            explored = server.explore(f"runs={MOST_SCHEDULES} timeout=10000 deadlocks=0")
            counts["schedules"] += int(explored["runs"])
            counts["robust" if robust else "not robust"] += 1
            found = int(explored["violations"]) + int(explored["races"]) > 0
            if not found and explored["complete"] != "1":
                yield Difference(seed, f"not explored to the end: {explored}")
            elif found == robust:
                yield Difference(seed, f"robust: {robust}, but {explored}")
            if not robust:
                continue
            for _ in range(NATIVE_RUNS):
                # A wait may wait for ever; then nobody detects it here, and the timeout ends the run.
                done = server.run("schedule=native timeout=20")
                if done["violations"] != "0" or done["races"] != "0":
                    yield Difference(seed, f"robust, but native scheduling: {done}")


def all_differences(
    seeds: Sequence[int], compiler: str, counts: Counter[str], options: Options = OPTIONS, batch: int = 50
) -> Iterator[Difference]:
    with tempfile.TemporaryDirectory(prefix="fencepost-") as folder:
        for start in range(0, len(seeds), batch):
            yield from differences(seeds[start : start + batch], Path(folder), compiler, counts, options)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--non-atomics", action="store_true")
    arguments = parser.parse_args()
    seeds = range(arguments.start, arguments.start + arguments.count)
    options = WITH_NON_ATOMICS if arguments.non_atomics else OPTIONS
    counts: Counter[str] = Counter()
    begin = time.monotonic()
    wrong = 0
    for difference in all_differences(seeds, arguments.compiler, counts, options):
        wrong += 1
        print(f"{difference.seed}: {difference.what}", flush=True)
    seconds = time.monotonic() - begin
    print(f"{len(seeds)} programs, {dict(counts)}, {wrong} differences, {seconds:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
