"""The deciders of RC20 and TSO against the enumeration of execution graphs, on random loop-free programs.

Each function answers with what differs, or None. tools/oracles.py runs them on as many programs as wanted.
"""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.engines.dispatch import check_program_with
from fencepost.engines.graphs.enumerate import Ending, Enumeration, Limits, enumerate_executions
from fencepost.engines.options import SearchOptions
from fencepost.models.axiomatic.algebra import Rules, acyclic, only, tagged
from fencepost.models.axiomatic.relations import atomicity, co, fr, po, rf
from fencepost.models.mappings import compiled
from fencepost.models.rc20.lower import encode
from fencepost.models.registry import MODELS
from fencepost.models.tso.prepare import prepare
from fencepost.program.form import Isa, Program
from fencepost.verdict.types import Answer, Notion, NotRobust, Robust, Verdict, WitnessKind
from support.random_programs import Options, random_program
from support.random_tso import random_tso_program

ONE = SearchOptions(jobs=1)

# Def 4.9 of RC20: from-read counts for reads on which something depends, and for those of waits and failed CASs. An
# update's from-read is in co already.
OBSERVED = Rules("hb_SC^dp", (acyclic(po | rf | co | only(tagged("USED", "R*")) @ fr, "hb_SC^dp"), atomicity))


def enumerated(program: Program, model: str, against: Sequence[Rules]) -> Enumeration:
    found = enumerate_executions(program, MODELS[model].rules_for(program), against=against, limits=Limits(timeout=120))
    if found.ending is not Ending.EXHAUSTED or found.cut:
        raise RuntimeError(f"{found.ending.value} after {found.executions} executions, {found.cut} cut")
    return found


def rc20(seed: int, notion: Notion) -> str | None:
    """Races first: what follows one means nothing. `observational`: "robust" must be right, and a confirmed witness."""
    program = random_program(seed, Options(max_events=6, non_atomics=seed % 3 == 0))
    info = MODELS["rc20"]
    rules = info.rules(Isa.C11)
    judge = MODELS["sc"].rules(Isa.C11) if notion is Notion.ROBUST else OBSERVED
    found = enumerated(encode(program), "rc20", [judge, Rules("race", rules.flags)])
    cyclic, racy = (judged.violations > 0 for judged in found.judgements)
    result = check_program_with(info)(program, model="rc20", notion=notion, options=ONE)
    verdict = result.verdict
    told = f"graphs: {'not ' if cyclic else ''}robust{', racy' if racy else ''}; search: {_words(verdict)}"
    if isinstance(verdict, Robust):
        return told if cyclic or racy else None
    if not isinstance(verdict, NotRobust):
        return told
    if verdict.witness.kind is WitnessKind.RACE:
        return None if racy else told
    return told if verdict.witness.confirmed and not cyclic else None


def rc20_race(seed: int) -> str | None:
    """Whether there is a race at all, where the search answers that."""
    program = random_program(seed, Options(max_events=6, non_atomics=True))
    info = MODELS["rc20"]
    found = enumerated(encode(program), "rc20", [Rules("race", info.rules(Isa.C11).flags)])
    racy = found.judgements[0].violations > 0
    answer = check_program_with(info)(program, model="rc20", options=ONE).races
    if answer is Answer.UNKNOWN:  # it ended at another violation
        return None
    return None if (answer is Answer.FAIL) == racy else f"graphs: {'' if racy else 'not '}racy; search: {answer.value}"


def tso(seed: int) -> str | None:
    """Programs in x86 instructions, blocks under a lock among them."""
    program = random_tso_program(seed)
    return _tso(prepare(program), program)


def tso_of_c11(seed: int) -> str | None:
    """C11 programs, as compiled for x86."""
    program = random_program(seed, Options(max_events=6))
    return _tso(compiled(program, Isa.X86), program)


def _tso(prepared: Program, program: Program) -> str | None:
    found = enumerated(prepared, "tso", [MODELS["sc"].rules_for(prepared)])
    cyclic = found.judgements[0].violations > 0
    verdict = check_program_with(MODELS["tso"])(program, model="tso", options=ONE).verdict
    if isinstance(verdict, Robust | NotRobust) and isinstance(verdict, NotRobust) == cyclic:
        return None
    return f"graphs: {'not ' if cyclic else ''}robust; search: {_words(verdict)}"


def _words(verdict: Verdict) -> str:
    match verdict:
        case Robust(coverage):
            return f"robust ({coverage})"
        case NotRobust(witness):
            return f"not robust: {witness.headline}{'' if witness.confirmed else ' (unconfirmed)'}"
    return f"unknown: {verdict.reason}"
