"""Checks on random programs, many at a time: by seeds, on all processors, from the command line.

A check is a function from a seed to what differs for the random program of that seed, or None.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor

Check = Callable[[int], str | None]

_PART = 100  # seeds that one process takes at once


def differences_of(name: str, check: Check, seeds: range) -> list[str]:
    """What differs, with the seed."""
    found = []
    for seed in seeds:
        try:
            difference = check(seed)
        except Exception as error:  # the seed is what is needed to find out more
            difference = f"{type(error).__name__}: {error}"
        if difference is not None:
            found.append(f"{name}, seed {seed}: {difference}")
    return found


def run(module: str, description: str | None, checks: Mapping[str, Check]) -> int:
    """The command line of a module with checks. Prints each difference; the exit code says whether there are any."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}", description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("programs", type=int)
    parser.add_argument("--check", choices=checks, action="append", help="default: all")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    count = 0
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for name in arguments.check or checks:
            last = arguments.first + arguments.programs
            parts = [range(at, min(at + _PART, last)) for at in range(arguments.first, last, _PART)]
            same = [name] * len(parts), [checks[name]] * len(parts)
            for part, found in zip(parts, pool.map(differences_of, *same, parts), strict=True):
                for difference in found:
                    print(difference, flush=True)
                count += len(found)
                if sys.stderr.isatty():
                    done = part.stop - arguments.first
                    print(f"\r{name}: {done:,} programs, {count} differences", end="", file=sys.stderr, flush=True)
            print(f"{name}: {arguments.programs:,} programs, {count} differences so far", flush=True)
    return min(count, 1)
