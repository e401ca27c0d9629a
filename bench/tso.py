"""Fence synthesis under TSO: the thesis' examples beside the published tool, and growth with the number of threads.

    bench/run tso [--timeout 60] [--peers ../shared/peers/trencher.json]

Each line is one `fencepost fence`, with one worker: its result, the time in the engine (all checks of candidate fence
sets), the time of everything (reading the text, witnesses, the final check of the patched text) and the states that
were visited. Beside them is what the published tool needed for its own version of the same algorithm, on two cores of
another machine; it has no figures for the families.
"""

import argparse
import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.tso_families import FAMILIES  # noqa: E402

from fencepost import api  # noqa: E402
from fencepost.engines.options import SearchOptions  # noqa: E402
from fencepost.fences.types import Repaired  # noqa: E402
from fencepost.frontends import loads  # noqa: E402

PUBLISHED = {  # our example: the published tool's input
    "burns": "memorax/burns",
    "cilk-queue": "cilk-the-wsq",
    "cilk-queue-misused": "cilk-the-wsq-wrongdoing",
    "clh-lock": "clh-lock",
    "dekker": "dekker",
    "lamport": "lamport-fast-mutex-alg1",
    "lock-free-stack": "lock-free-stack",
    "mcs-lock": "mcs-lock",
    "nbw-spinlock": "nbw-w-lr-rl",
    "parker": "parker",
    "peterson": "peterson",
}


def measured(program, timeout):
    """Result, seconds in the engine and in all, states: the best of up to three runs."""
    best = None
    for _ in range(3):
        started = time.perf_counter()
        result = api.fence(program, model="tso", options=SearchOptions(jobs=1, timeout=timeout))
        seconds = time.perf_counter() - started
        outcome = result.outcome
        answer = f"{len(outcome.changes)} fences" if isinstance(outcome, Repaired) else "no answer"
        found = (result.statistics.seconds, seconds, answer, result.statistics.states)
        best = found if best is None else min(best, found)
        if seconds > 5:
            break
    return best


def line(name, run, peer=None):
    engine, seconds, answer, states = run
    text = f"{name:22} {answer:10} {engine * 1000:10.1f} ms {seconds * 1000:10.1f} ms {states:12,} states"
    if peer is not None:
        theirs = f"{peer['fences']} fences {peer['fence_s'] * 1000:9.1f} ms {peer['visited_states']:10,} states"
        text += f"   published: {theirs}"
        text += f"   {peer['fence_s'] / engine:8.1f} times" if engine else ""
    print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(prog="bench/run tso", description=__doc__)
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each program")
    parser.add_argument("--peers", type=Path, default=ROOT.parent / "shared" / "peers" / "trencher.json")
    arguments = parser.parse_args()
    peers = {}
    if arguments.peers.exists():
        peers = {entry["program"]: entry for entry in json.loads(arguments.peers.read_text())["programs"]}
    else:
        print(f"({arguments.peers} is not there: no figures of the published tool)")
    print(f"{'program':22} {'result':10} {'engine':>13} {'in all':>13}")
    for name, published in PUBLISHED.items():
        program = api.load(ROOT / "examples" / "tso" / f"{name}.txt")
        line(name, measured(program, arguments.timeout), peers.get(published))
    for family, (make, sizes) in FAMILIES.items():
        for size in sizes:
            run = measured(loads(make(size), f"{family}.txt"), arguments.timeout)
            line(f"{family} {size}", run)
            if run[2] == "no answer":
                break


if __name__ == "__main__":
    main()
