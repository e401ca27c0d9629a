"""Executions until the sanitizer finds a violation, by strategy; each is repeated from its seed in another process.

A campaign runs a program with one seed after the other until a violation is found. Shown for each program and strategy:
median and maximum of the executions and of the milliseconds over the campaigns, and how many executions a second the
fork server does. The default strategy is `mix`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.fork_server import Answer, ForkServer, build  # noqa: E402

EXAMPLES = ROOT / "examples" / "sanitizer"
PROGRAMS = {
    "seqlock, relaxed stores": ("seqlock.c", ["-DDATA_STORE=relaxed"]),
    "seqlock, relaxed, fences": ("seqlock.c", ["-DDATA_STORE=relaxed", "-DDATA_LOAD=relaxed", "-DFENCES=1"]),
    "Chase-Lev": ("chase_lev.c", ["-DTOP_CAS=WEAK_CAS"]),
    "Chase-Lev, strong CAS": ("chase_lev.c", ["-DALTERNATE=1"]),
    "the same, all pushed first": ("chase_lev.c", []),
    "IRIW": ("iriw.c", ["-DSTORE_ORDER=release", "-DLOAD_ORDER=acquire"]),
    "SB": ("sb.c", []),
}
STRATEGIES = {
    "mix": "schedule=mix",
    "pct 2": "schedule=pct depth=2",
    "pct 3": "schedule=pct depth=3",
    "pct 5": "schedule=pct depth=5",
    "pos": "schedule=pos",
    "random": "schedule=random",
}
MOST_RUNS = 5000  # of a campaign


def campaign(server: ForkServer, strategy: str, first: int) -> tuple[int, float, Answer] | None:
    begin = time.perf_counter()
    for runs in range(1, MOST_RUNS + 1):
        answer = server.run(f"seed={first + runs} {strategy}")
        if answer["violations"] != "0":
            return runs, time.perf_counter() - begin, answer
    return None


def shows_again(binary: Path, answer: Answer) -> bool:
    """The same violation in the same schedule, in a process of its own with nothing but the seed."""
    words = (f"{key}={answer[word]}" for key, word in
             (("seed", "seed"), ("schedule", "schedule"), ("depth", "depth"), ("steps", "k")))  # fmt: skip
    settings = {**os.environ, "FENCEPOST_OPTIONS": ":".join(words)}
    done = subprocess.run([binary], env=settings, capture_output=True, text=True, check=False)
    return done.returncode == 66 and "not robust" in done.stderr


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--campaigns", type=int, default=40)
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--only", help="part of a program's name")
    parser.add_argument("--strategies", default=",".join(STRATEGIES), help="default: all, %(default)s")
    arguments = parser.parse_args()
    print(f"{'':26}{'strategy':10}{'executions':>18}{'milliseconds':>20}{'':4}repeated from the seed")
    print(f"{'':36}{'median':>9}{'max':>9}{'median':>11}{'max':>9}")
    good = True
    with tempfile.TemporaryDirectory(prefix="fencepost-") as folder:
        for number, (name, (file, flags)) in enumerate(PROGRAMS.items()):
            if arguments.only and arguments.only not in name:
                continue
            target = Path(folder) / f"program-{number}"
            binary = build(EXAMPLES / file, target, arguments.compiler, "-std=gnu11", "-O2", *flags)
            for label in arguments.strategies.split(","):
                strategy = STRATEGIES[label]
                counts, times, again = [], [], 0
                for index in range(arguments.campaigns):
                    # A server of its own: PCT's k is the mean of its runs so far, none at first.
                    with ForkServer([binary]) as server:
                        found = campaign(server, strategy, index * 1_000_000)
                    if found is None:
                        break
                    runs, seconds, answer = found
                    counts.append(runs)
                    times.append(1000 * seconds)
                    again += shows_again(binary, answer)
                if found is None:
                    print(f"{name:26}{label:10}{'none in ' + str(MOST_RUNS):>18}", flush=True)
                    continue
                good = good and again == arguments.campaigns
                print(
                    f"{name:26}{label:10}{median(counts):9.1f}{max(counts):9}{median(times):11.1f}{max(times):9.1f}"
                    f"{again:8} of {arguments.campaigns}",
                    flush=True,
                )
            with ForkServer([binary]) as server:
                begin = time.perf_counter()
                for seed in range(1000):
                    server.run(f"seed={seed} schedule=mix")
                print(f"{name:26}{1000 / (time.perf_counter() - begin):.0f} executions a second", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
