"""RC20 four times over: the definition, SC_T, SC_M in Python, the core. Each function returns what differs, or None.

    python -m support.agreement 100000        in tests/: so many programs, on all processors; prints each difference

prints the seeds of what differs; `random_program(seed, KINDS[kind])` is that program again.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from random import Random

from fencepost.engines.exhaustive import check_program
from fencepost.engines.options import ALL_REDUCTIONS, Reduction, SearchOptions
from fencepost.models.rc20 import reading, sc_m, sc_t
from fencepost.models.rc20.lower import release_acquire
from fencepost.models.sc.reading import is_sc_consistent, outcomes
from fencepost.program.form import Program
from fencepost.verdict.types import Answer, CheckResult, Notion, NotRobust, Robust, WitnessKind

from . import comparing
from .random_programs import Options, random_program

KINDS = {
    "plain": Options(),
    "non-atomics": Options(non_atomics=True, max_prefixes=80),
    "loops": Options(loops=True, non_atomics=True, max_events=7),
}
ONE_WORKER = SearchOptions(jobs=1)


def core(program: Program, notion: Notion, options: SearchOptions = ONE_WORKER, model: str = "rc20") -> CheckResult:
    result = check_program(program, model=model, notion=notion, options=options)
    assert isinstance(result.verdict, Robust | NotRobust), f"{result.verdict}"
    return result


def is_robust(result: CheckResult) -> bool:
    return isinstance(result.verdict, Robust)


def definitions(program: Program) -> tuple[bool, bool, bool]:
    """Robust (Def 4.1), observationally robust (Def 4.9), racy (Def 6.2), in one pass over the graphs."""
    robust = observational = True
    racy = False
    atomic = all(location.atomic for location in program.locations)
    for state in reading.rc20_states(program):
        robust = robust and is_sc_consistent(state.graph)
        observational = observational and reading.hb_sc_dp(state.graph).is_irreflexive()
        racy = racy or (not atomic and any(True for _ in reading.races(state.graph)))
        if not (robust or observational or atomic or not racy):
            break
    return robust, observational, racy


def options_for(seed: int) -> SearchOptions:
    """Mostly all reductions; now and then all but one, or two workers."""
    random = Random(seed)
    match random.randrange(4):
        case 0:
            return replace(ONE_WORKER, reductions=ALL_REDUCTIONS - {random.choice(list(Reduction))})
        case 1:
            return replace(ONE_WORKER, jobs=2)
    return ONE_WORKER


def plain_difference(seed: int) -> str | None:
    """Both notions on atomics: SC_T, SC_M and the core decide the same, for robustness that of the definition.

    The observational check is never "robust" where the definition says no (it is sound, not complete: Ex 4.19).
    """
    program = random_program(seed, KINDS["plain"])
    if seed % 5 == 4:
        program = release_acquire(program)
    robust, observational, _ = definitions(program)
    for notion, expected in ((Notion.ROBUST, robust), (Notion.OBSERVATIONAL, None)):
        witness = sc_t.find_witness(program, notion) is None
        answers = {
            "SC_T": witness,
            "SC_M": sc_m.find_violation(program, notion) is None,
            "core": is_robust(core(program, notion, options_for(seed))),
            "definition": witness if expected is None else expected,
        }
        if len(set(answers.values())) > 1:
            return f"{notion.value}: {answers}"
        if expected is None and witness and not observational:
            return "SC_T finds no witness, but the program is not observationally robust (Def 4.9)"
    return None


def race_difference(seed: int) -> str | None:
    """Races: on programs that are robust but for races, SC_T, SC_M, core and Def 6.2 agree."""
    program = random_program(seed, KINDS["non-atomics"])
    robust, _, racy = definitions(program)
    result = core(program, Notion.ROBUST, options_for(seed))
    if robust and not racy:
        return None if is_robust(result) else f"the core says {result.verdict}, by the definition it is robust"
    if is_robust(result):
        return f"the core says robust; by the definition: robust {robust}, racy {racy}"
    if not robust:
        return None  # which of the two is found first is a matter of luck
    answers = {
        "SC_T": sc_t.find_race(program, Notion.ROBUST) is not None,
        "SC_M": sc_m.find_race(program, Notion.ROBUST) is not None,
        "core": isinstance(result.verdict, NotRobust) and result.verdict.witness.kind is WitnessKind.RACE,
        "definition": racy,
    }
    return f"races: {answers}" if len(set(answers.values())) > 1 else None


def reduction_difference(seed: int) -> str | None:
    """On programs with loops: whatever is switched off, with one or two workers, the answers stay."""
    program = random_program(seed, KINDS["loops"])
    notion = Notion.OBSERVATIONAL if seed % 3 == 2 else Notion.ROBUST
    variants = [frozenset[Reduction](), *(ALL_REDUCTIONS - {reduction} for reduction in Reduction)]
    chosen = [variants[0], variants[1 + seed % len(Reduction)], variants[1 + (seed + 4) % len(Reduction)]]
    expected = _answers(core(program, notion))
    for reductions in chosen:
        for jobs in (1, 2):
            found = _answers(core(program, notion, SearchOptions(jobs=jobs, reductions=reductions)))
            if found != expected:
                off = ", ".join(sorted(reduction.value for reduction in ALL_REDUCTIONS - reductions))
                return f"{notion.value}: {expected}; without {off}, {jobs} workers: {found}"
    return None


def loop_difference(seed: int) -> str | None:
    """On programs with loops: SC_M in Python and the core agree."""
    program = random_program(seed, KINDS["loops"])
    if any(not location.atomic for location in program.locations):
        return None
    for notion in (Notion.ROBUST, Notion.OBSERVATIONAL):
        expected = sc_m.find_violation(program, notion) is None
        if is_robust(core(program, notion, options_for(seed))) is not expected:
            return f"{notion.value}: SC_M {'robust' if expected else 'not robust'}, the core does not agree"
    return None


def sc_difference(seed: int) -> str | None:
    """Assertions and deadlocks under SC, of programs with loops: as by all interleavings, whatever is asked beside."""
    program = random_program(seed, KINDS["loops"])
    expected = outcomes(program)
    wanted = bool(expected.failures), bool(expected.blocked)
    for model in ("sc", "rc20"):
        result = core(program, Notion.ROBUST, options_for(seed), model)
        if is_robust(result):  # else the search has ended early
            found = result.assertions is Answer.FAIL, result.deadlock is not None
            if found != wanted:
                return f"{model}: an assertion fails, a deadlock: {found}, and by all interleavings {wanted}"
    return None


def _answers(result: CheckResult) -> object:
    """What must not depend on reductions. What is found on the way to a violation may."""
    if is_robust(result):
        return "robust", result.assertions, result.races, result.deadlock is not None
    return "not robust"


CHECKS: dict[str, comparing.Check] = {
    "plain": plain_difference,
    "races": race_difference,
    "reductions": reduction_difference,
    "loops": loop_difference,
    "sc": sc_difference,
}


def differences(check: str, seeds: range) -> list[str]:
    """What differs, with the seed."""
    return comparing.differences_of(check, CHECKS[check], seeds)


if __name__ == "__main__":
    sys.exit(comparing.run("support.agreement", __doc__, CHECKS))
