#!/usr/bin/env python3
"""The deciders against the enumeration of execution graphs, models against each other, full fences against none, on
many random programs (CI has fewer):

    .venv-tests/bin/python tools/oracles.py [--seeds 0:2000] [QUESTION ...]

Says for each question how many programs agreed, and every seed that did not. Exit code 1 if there is one.
"""

import argparse
import os
import sys
import time
from functools import partial

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "tests"))

from support import compilation, inclusions, oracles

from fencepost.models.registry import MODELS
from fencepost.verdict.types import Notion


def inclusion(seed):
    """Models that are weaker on every processor have all executions of the stronger ones."""
    found = [f"{isa.value}: {text}" for isa in inclusions.CHAINS for text in inclusions.violations(seed, isa)]
    return "; ".join(found) or None


def fence(seed):
    """A full fence adds no outcome."""
    models = ("tso", "armv8", "armv7", "power", "rc11", "rc20", "ra")
    found = [name for name in models if inclusions.added_by_fence(seed, MODELS[name])]
    return f"adds outcomes under {', '.join(found)}" if found else None


def mapping(seed):
    """Compiled programs do what their sources may do."""
    return "; ".join(compilation.additions(seed)) or None


QUESTIONS = {
    "rc20": partial(oracles.rc20, notion=Notion.ROBUST),
    "observational": partial(oracles.rc20, notion=Notion.OBSERVATIONAL),
    "race": oracles.rc20_race,
    "tso": oracles.tso,
    "c11": oracles.tso_of_c11,
    "inclusion": inclusion,
    "fence": fence,
    "mapping": mapping,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help=f"{', '.join(QUESTIONS)} (default: all)")
    parser.add_argument("--seeds", default="0:2000", metavar="A:B", help="from A on, before B (default: 0:2000)")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(":"))
    unknown = set(arguments.questions) - set(QUESTIONS)
    if unknown:
        parser.error(f"there is no question {', '.join(sorted(unknown))}")
    differing = 0
    for name in arguments.questions or QUESTIONS:
        started, wrong = time.perf_counter(), 0
        for seed in range(first, last):
            answer = QUESTIONS[name](seed)
            if answer is not None:
                wrong += 1
                print(f"{name}, seed {seed}: {answer}", flush=True)
        agreed = last - first - wrong
        seconds = time.perf_counter() - started
        print(f"{name}: {agreed} agree, {wrong} differ, {seconds:.0f} s", flush=True)
        differing += wrong
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
