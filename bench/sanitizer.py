"""Overhead of the sanitizer beside the ThreadSanitizers of gcc and clang.

    bench/run sanitizer [--programs counters,ring] [--compilers g++,clang++] [--repeat 3]
                        [--only overhead|locations|threads]

Each program of bench/programs is built three times with each compiler, natively, with the compiler's own
ThreadSanitizer, and with this one, and the runs of the three are interleaved. Of each the best time counts. Printed are
ratios: this sanitizer, with races checked and without, to the compiler's, in time by the clock, in processor time, and
in memory (maximal resident set). A mean is the geometric one. The allocator is told apart: 25 threads, 60,000
atomic locations.

Then the time per access for more and more locations, and for 1 to 8 threads on disjoint locations.
"""

import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fencepost.sanitizer import installation

PROGRAMS = Path(__file__).resolve().parent / "programs"
APART = ("allocator", "spread")  # not among those whose mean is taken
FLAGS = ("-std=c++20", "-O2", "-g", "-pthread", "-w")


@dataclass(frozen=True)
class Cost:
    clock: float
    processor: float
    memory: float  # KiB


def build(source, compiler, folder):
    """The three programs: native, the compiler's ThreadSanitizer, ours."""
    name = f"{source.stem}-{compiler}"
    paths = {kind: folder / f"{name}-{kind}" for kind in ("native", "tsan", "ours")}
    quiet = ("-Wno-tsan",) if "clang" not in compiler else ()
    plain = [compiler, *FLAGS, str(source)]
    subprocess.run([*plain, "-o", paths["native"]], check=True)
    subprocess.run([*plain, "-fsanitize=thread", *quiet, "-o", paths["tsan"]], check=True)
    unit = folder / f"{name}.o"
    subprocess.run([*plain, "-fsanitize=thread", *quiet, "-c", "-o", unit], check=True)
    subprocess.run([compiler, unit, installation.STATIC_RUNTIME, "-pthread", "-o", paths["ours"]], check=True)
    return paths


def run(measure, program, arguments, options=""):
    environment = dict(os.environ, FENCEPOST_OPTIONS=options, TSAN_OPTIONS="report_bugs=0")
    command = [measure, program, *map(str, arguments)]
    ended = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    clock, processor, memory, code = ended.stderr.rsplit("measured ", 1)[1].split()
    if int(code) not in (0, 66):
        raise SystemExit(f"{program} ended with {code}:\n{ended.stderr}")
    return Cost(float(clock), float(processor), float(memory))


KINDS = {
    "native": ("native", ""),
    "tsan": ("tsan", ""),
    "races": ("ours", "races=1"),
    "alone": ("ours", "races=0"),
}


def compare(measure, paths, arguments, repeat):
    """The best of `repeat` runs of each kind; the kinds take turns."""
    costs = {kind: [] for kind in KINDS}
    for _ in range(repeat):
        for kind, (program, options) in KINDS.items():
            costs[kind].append(run(measure, paths[program], arguments, options))
    return {
        kind: Cost(min(c.clock for c in found), min(c.processor for c in found), min(c.memory for c in found))
        for kind, found in costs.items()
    }


def mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def overhead(measure, compilers, names, repeat, folder):
    for compiler in compilers:
        print(f"\n{compiler}: ratios to its ThreadSanitizer (time by the clock, processor time, memory)")
        print(f"{'':16}{'TSan/native':>12}{'with races':>24}{'robustness alone':>26}")
        rows = []
        for name in names:
            paths = build(PROGRAMS / f"{name}.cpp", compiler, folder)
            costs = compare(measure, paths, [25 if name == "allocator" else 4], repeat)
            tsan = costs["tsan"]
            row = [
                value
                for kind in ("races", "alone")
                for value in (
                    costs[kind].clock / tsan.clock,
                    costs[kind].processor / tsan.processor,
                    costs[kind].memory / tsan.memory,
                )
            ]
            if name not in APART:
                rows.append(row)
            show(name, tsan.clock / costs["native"].clock, row)
        if rows:
            show(f"mean of {len(rows)}", None, [mean(column) for column in zip(*rows, strict=True)])


def show(name, native, row):
    first = f"{native:11.1f}x" if native else " " * 12
    print(
        f"{name:16}{first}" + "".join(f"{value:8.2f}" + ("  " if i == 2 else "") for i, value in enumerate(row)),
        flush=True,
    )


def locations(measure, compiler, repeat, folder):
    """A million accesses by each of 4 threads, to 10 up to 1,000,000 locations."""
    print(f"\n{compiler}: nanoseconds of processor time per access, 4 threads, by the number of atomic locations;")
    print("then what the tools add to the program's own, and the ratio of that to what TSan adds")
    paths = build(PROGRAMS / "spread.cpp", compiler, folder)
    for count in (10, 100, 1000, 10_000, 100_000, 1_000_000):
        costs = {kind: cost.processor * 1e9 / 4e6 for kind, cost in compare(measure, paths, [4, count], repeat).items()}
        added = {kind: cost - costs["native"] for kind, cost in costs.items() if kind != "native"}
        print(
            f"{count:>10}"
            + "".join(f"  {kind} {cost:5.0f}" for kind, cost in costs.items())
            + "  |"
            + "".join(f"  {kind} {cost:+5.0f}" for kind, cost in added.items())
            + f"  |  {added['races'] / added['tsan']:.2f} {added['alone'] / added['tsan']:.2f}",
            flush=True,
        )


def threads(measure, compiler, repeat, folder):
    """Relaxed counters, one for each thread: more threads than processors take longer."""
    print(f"\n{compiler}: 1 to 8 threads on disjoint locations ({os.cpu_count()} processors here):")
    print("seconds of processor time and, by the clock, how many times that of one thread")
    paths = build(PROGRAMS / "counters.cpp", compiler, folder)
    alone = None
    for count in (1, 2, 4, 8):
        costs = compare(measure, paths, [count, 3_000_000], repeat)
        alone = alone or costs
        print(
            f"{count:>10}"
            + "".join(f"  {kind} {cost.processor:6.3f}" for kind, cost in costs.items())
            + "  |"
            + "".join(f"  {kind} {cost.clock / alone[kind].clock:5.2f}" for kind, cost in costs.items()),
            flush=True,
        )


def main():
    available = sorted(path.stem for path in PROGRAMS.glob("*.cpp") if path.stem != "spread")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=",".join(available))
    parser.add_argument("--compilers", default="g++,clang++")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", choices=("overhead", "locations", "threads"))
    arguments = parser.parse_args()
    compilers = [name for name in arguments.compilers.split(",") if shutil.which(name)]
    if not compilers:
        sys.exit(f"error: none of these compilers is here: {arguments.compilers}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measure = folder / "measure"
        subprocess.run(["cc", "-O1", PROGRAMS / "measure.c", "-o", measure], check=True)
        if arguments.only in (None, "overhead"):
            overhead(measure, compilers, arguments.programs.split(","), arguments.repeat, folder)
        for compiler in compilers:
            if arguments.only in (None, "locations"):
                locations(measure, compiler, arguments.repeat, folder)
            if arguments.only in (None, "threads"):
                threads(measure, compiler, arguments.repeat, folder)


main()
