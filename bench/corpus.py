"""The public collection of litmus tests in one run: total time, time per test, and growth with the number of graphs.

    bench/run corpus [--folder ../shared/corpora/litmus] [--slowest 5]

For each folder: every column of its expected.csv (the condition under the model and under SC, numbers of executions,
robustness against stronger models) as tests/test_graphs_corpus.py compares them. Reading a test, enumerating and
judging are all in the time. Then SB-n, IRIW-n and a ring of n threads: time by number of executions, which grows
linearly if each execution costs the same.
"""

import argparse
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.corpus import CORPUS, FOLDERS, differences, rows  # noqa: E402

from fencepost.engines.graphs.enumerate import enumerate_executions  # noqa: E402
from fencepost.models.registry import MODELS  # noqa: E402
from fencepost.program.expr import Const  # noqa: E402
from fencepost.program.form import Isa, Load, Location, Program, Ref, Store, Thread  # noqa: E402
from fencepost.program.orders import Order  # noqa: E402

X86 = Isa.X86


def program(name, *threads):
    """Threads of accesses: "Wx" writes 1 to x, "Rx" reads it."""
    made = []
    for number, accesses in enumerate(threads):
        code, registers = [], []
        for access in accesses:
            kind, where = access[0], Ref(access[1:])
            if kind == "W":
                code.append(Store(where, Const(1), Order.RELAXED))
            else:
                registers.append(f"r{len(registers)}")
                code.append(Load(registers[-1], where, Order.RELAXED))
        made.append(Thread(f"P{number}", tuple(registers), tuple(code)))
    cells = sorted({access[1:] for accesses in threads for access in accesses})
    return Program(name, tuple(Location(cell) for cell in cells), tuple(made), max_value=1, isa=X86)


def ring(n):
    """Thread i writes x_i and reads x_(i+1): the cycle of SB with n threads."""
    return program(f"ring-{n}", *((f"Wx{i}", f"Rx{(i + 1) % n}") for i in range(n)))


def sb(n):
    """Two threads, each of which writes n locations and then reads those of the other."""
    mine, other = [f"a{i}" for i in range(n)], [f"b{i}" for i in range(n)]
    return program(
        f"SB-{n}",
        [f"W{x}" for x in mine] + [f"R{y}" for y in other],
        [f"W{y}" for y in other] + [f"R{x}" for x in mine],
    )


def iriw(n):
    """Two writers and n readers, of which every other one reads in the other order."""
    readers = (("Rx", "Ry") if i % 2 == 0 else ("Ry", "Rx") for i in range(n))
    return program(f"IRIW-{n}", ("Wx",), ("Wy",), *readers)


def growth():
    print(f"\n{'program':10} {'executions':>12} {'choices':>12} {'seconds':>9} {'us/execution':>13}")
    rules, sc = MODELS["tso"].rules(X86), MODELS["sc"].rules(X86)
    for family, sizes in ((sb, range(1, 6)), (iriw, range(2, 10)), (ring, range(2, 17, 2))):
        for n in sizes:
            test = family(n)
            started = time.perf_counter()
            found = enumerate_executions(test, rules, against=[sc])
            seconds = time.perf_counter() - started
            each = seconds / found.executions * 1e6
            print(
                f"{test.name:10} {found.executions:>12,} {found.choices:>12,} {seconds:>9.3f} {each:>13.1f}", flush=True
            )


def corpus(folder, slowest):
    total, tests, wrong, times = 0.0, 0, [], []
    print(f"{'folder':10} {'tests':>6} {'seconds':>8} {'ms/test':>8} {'differing':>10}")
    for name in FOLDERS:
        table = rows(name, folder)
        seconds, differing = 0.0, 0
        for row in table:
            started = time.perf_counter()
            found = list(differences(folder, row))
            took = time.perf_counter() - started
            seconds += took
            differing += bool(found)
            wrong += [f"{row['file']}: {text}" for text in found]
            times.append((took, row["file"]))
        print(
            f"{name:10} {len(table):>6} {seconds:>8.2f} {seconds / len(table) * 1e3:>8.2f} {differing:>10}", flush=True
        )
        total, tests = total + seconds, tests + len(table)
    print(
        f"{'all':10} {tests:>6} {total:>8.2f} {total / tests * 1e3:>8.2f} {len({w.split(':')[0] for w in wrong}):>10}"
    )
    for text in wrong:
        print(f"  {text}")
    for took, name in sorted(times, reverse=True)[:slowest]:
        print(f"  slowest: {took * 1e3:7.1f} ms  {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=CORPUS)
    parser.add_argument("--slowest", type=int, default=5, metavar="N", help="name the N slowest tests")
    arguments = parser.parse_args()
    if arguments.folder.is_dir():
        corpus(arguments.folder, arguments.slowest)
    else:
        print(f"no litmus tests in {os.path.relpath(arguments.folder)}: only growth is measured")
    growth()


if __name__ == "__main__":
    main()
