"""Fence synthesis under TSO: the thesis' examples beside the published tool, and growth with the number of threads.

    bench/run tso [--timeout 60] [--peers ../shared/peers/trencher.json] [--published FOLDER]

Each line is one `fencepost fence`, with one worker: its result, the time in the engine by the clock (all checks of
candidate fence sets), the processor time of everything (reading the patched texts, witnesses, the final check) and the
states that were visited. Beside them is what the published tool needed for its own version of the same algorithm, on
two cores of another machine, and how many times as long that is: by the clock against the engine, and of processor time
against everything. It has no figures for the families. With --published, its own inputs, which are not in this tree,
are measured instead, and whether verdicts and numbers of fences are the same.
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
from fencepost.verdict.types import Robust, Unknown  # noqa: E402

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
    """Result, seconds in the engine and of the processor, states: the best of up to five runs."""
    engine = processor = float("inf")
    for _ in range(5):
        started = time.process_time()
        result = api.fence(program, model="tso", options=SearchOptions(jobs=1, timeout=timeout))
        seconds = time.process_time() - started
        outcome = result.outcome
        answer = f"{len(outcome.changes)} fences" if isinstance(outcome, Repaired) else "no answer"
        engine, processor = min(engine, result.statistics.seconds), min(processor, seconds)
        if seconds > 5:
            break
    return engine, processor, answer, result.statistics.states


def line(name, run, peer=None):
    engine, seconds, answer, states = run
    text = f"{name:31} {answer:10} {engine * 1000:10.1f} ms {seconds * 1000:10.1f} ms {states:12,} states"
    if peer is not None:
        theirs = f"{peer['fences']} fences {peer['fence_s'] * 1000:9.1f} ms {peer['visited_states']:10,} states"
        text += f"   published: {theirs}   {peer['fence_s'] / engine:6.1f} {peer['fence_cpu_s'] / seconds:6.1f} times"
    print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(prog="bench/run tso", description=__doc__)
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each program")
    parser.add_argument(
        "--published", type=Path, metavar="FOLDER", help="the published tool's inputs, as it names them"
    )
    parser.add_argument("--peers", type=Path, default=ROOT.parent / "shared" / "peers" / "trencher.json")
    arguments = parser.parse_args()
    peers = {}
    if arguments.peers.exists():
        peers = {entry["program"]: entry for entry in json.loads(arguments.peers.read_text())["programs"]}
    else:
        print(f"({arguments.peers} is not there: no figures of the published tool)")
    print(f"{'program':31} {'result':10} {'engine':>13} {'processor':>13}")
    if arguments.published is not None:
        return compare(arguments.published, peers, arguments.timeout)
    for name, published in PUBLISHED.items():
        program = api.load(ROOT / "examples" / "tso" / f"{name}.txt")
        line(name, measured(program, arguments.timeout), peers.get(published))
    for family, (make, sizes) in FAMILIES.items():
        for size in sizes:
            run = measured(loads(make(size), f"{family}.txt"), arguments.timeout)
            line(f"{family} {size}", run)
            if run[2] == "no answer":
                break
    return 0


def compare(folder, peers, timeout):
    """Verdicts and numbers of fences of the published tool's own inputs, where it has some."""
    different = 0
    for name, peer in peers.items():
        path = folder / f"{name}.txt"
        if not path.exists():
            print(f"{name:31} is not in {folder}")
            different += 1
            continue
        program = api.load(path)
        verdict = api.check(program, model="tso", options=SearchOptions(jobs=1, timeout=timeout)).verdict
        run = measured(program, timeout)
        line(name, run, peer if peer.get("fence_s") and peer.get("fences") is not None else None)
        same = peer.get("robust") in (None, isinstance(verdict, Robust)) and not isinstance(verdict, Unknown)
        same = same and (peer.get("fences") is None or run[2] == f"{peer['fences']} fences")
        if not same:
            print(
                f"{'':31} DIFFERS: {type(verdict).__name__} and {run[2]}, published {peer['robust']}, {peer['fences']}"
            )
            different += 1
    print(f"{len(peers)} programs, {different} differ")
    return min(different, 1)


if __name__ == "__main__":
    sys.exit(main())
