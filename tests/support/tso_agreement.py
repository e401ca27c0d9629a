"""TSO three times over: all computations of the store-buffer machine, the attacks in Python, the core.

    python -m support.tso_agreement 50000        in tests/: so many programs, on all processors; prints each difference

Each function returns what differs for the random program of a seed, or None.
"""

from __future__ import annotations

import sys

from fencepost.engines.attacks import check_program
from fencepost.engines.options import ALL_REDUCTIONS, Reduction, SearchOptions
from fencepost.models.registry import MODELS
from fencepost.models.tso.attacks import Goal, find_attack
from fencepost.models.tso.machine import computations
from fencepost.models.tso.prepare import prepare
from fencepost.program.form import Program
from fencepost.verdict.types import Notion, NotRobust, Robust

from . import comparing
from .oracles import enumerated
from .random_blocks import random_block_program
from .random_tso import random_tso_program
from .random_versions import random_version_program

ONE_WORKER = SearchOptions(jobs=1)


def is_robust(program: Program, notion: Notion = Notion.ROBUST, options: SearchOptions = ONE_WORKER) -> bool:
    """What the core says. Its witnesses have been run on the machine when they get here."""
    verdict = check_program(program, model="tso", notion=notion, options=options).verdict
    assert isinstance(verdict, Robust | NotRobust), f"{verdict}"
    return isinstance(verdict, Robust)


def machine_difference(seed: int) -> str | None:
    """Loop-free programs: the definition, which is the machine's, and both attack searches."""
    program = random_tso_program(seed)
    prepared = prepare(program)
    answers = {
        "machine": computations(prepared).violation is None,
        "attacks": find_attack(prepared).attack is None,
        "core": is_robust(program),
    }
    return f"robust: {answers}" if len(set(answers.values())) > 1 else None


def triangle_difference(seed: int) -> str | None:
    """Triangular races: both searches; and who has none is robust."""
    program = random_tso_program(seed)
    expected = find_attack(prepare(program), Goal.TRIANGLE).attack is None
    if is_robust(program, Notion.TRIANGULAR) is not expected:
        return f"free of triangular races: in Python {expected}, the core does not agree"
    if expected and not is_robust(program):
        return "free of triangular races, but not robust"
    return None


def loop_difference(seed: int) -> str | None:
    """Programs with loops: the attacks in Python and the core, whatever is switched off, with one or two workers."""
    program = random_tso_program(seed, loops=True)
    notion, goal = (Notion.TRIANGULAR, Goal.TRIANGLE) if seed % 4 == 3 else (Notion.ROBUST, Goal.CYCLE)
    expected = find_attack(prepare(program), goal).attack is None
    reductions = list(Reduction)
    for jobs, on in (
        (1, ALL_REDUCTIONS),
        (2, ALL_REDUCTIONS - {reductions[seed % len(reductions)]}),
        (1, ALL_REDUCTIONS - {reductions[(seed + 4) % len(reductions)]}),
        (1, frozenset[Reduction]()),
    ):
        if is_robust(program, notion, SearchOptions(jobs=jobs, reductions=on)) is not expected:
            off = ", ".join(sorted(reduction.value for reduction in ALL_REDUCTIONS - on)) or "nothing"
            return f"{notion.value}: in Python {expected}; with {jobs} workers, without {off}, the core does not agree"
    return None


def version_difference(seed: int) -> str | None:
    """Programs that throw away what they have read: with and without forgetting what lost races leave behind."""
    program = random_version_program(seed)
    notion, goal = (Notion.TRIANGULAR, Goal.TRIANGLE) if seed % 4 == 3 else (Notion.ROBUST, Goal.CYCLE)
    without = SearchOptions(jobs=1, reductions=ALL_REDUCTIONS - {Reduction.STALENESS})
    answers = {"with": is_robust(program, notion), "without": is_robust(program, notion, without)}
    if seed % 7 == 0 and len(program.threads) == 2:  # the slow one
        answers["attacks"] = find_attack(prepare(program), goal).attack is None
    return f"{notion.value}: {answers}" if len(set(answers.values())) > 1 else None


def block_difference(seed: int) -> str | None:
    """Blocks under a lock on several locations: the definition, both searches, and the axioms of TSO and SC."""
    program = random_block_program(seed)
    prepared = prepare(program)
    reductions = list(Reduction)
    without = SearchOptions(jobs=1, reductions=ALL_REDUCTIONS - {Reduction.FUSE, reductions[seed % len(reductions)]})
    found = enumerated(prepared, "tso", [MODELS["sc"].rules_for(prepared)])
    answers = {
        "machine": computations(prepared).violation is None,
        "attacks": find_attack(prepared).attack is None,
        "core": is_robust(program),
        "core, step by step": is_robust(program, options=without),
        "axioms": found.judgements[0].violations == 0,
    }
    return f"robust: {answers}" if len(set(answers.values())) > 1 else None


CHECKS: dict[str, comparing.Check] = {
    "machine": machine_difference,
    "triangles": triangle_difference,
    "loops": loop_difference,
    "versions": version_difference,
    "blocks": block_difference,
}


def differences(check: str, seeds: range) -> list[str]:
    """What differs, with the seed."""
    return comparing.differences_of(check, CHECKS[check], seeds)


if __name__ == "__main__":
    sys.exit(comparing.run("support.tso_agreement", __doc__, CHECKS))
