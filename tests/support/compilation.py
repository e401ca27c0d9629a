"""C11 compiled for processors beside its source.

The source model is RC11 without its axiom against thin air: plain loads and stores of Arm and Power may swap, which
that axiom forbids (Lahav et al., PLDI 2017, section 6; values out of thin air are never enumerated anyway).
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from fencepost.engines.graphs.enumerate import Ending, Limits, enumerate_executions
from fencepost.engines.graphs.outcomes import observed_of
from fencepost.models.axiomatic.algebra import Rules
from fencepost.models.axiomatic.paths import Unrolling
from fencepost.models.mappings import compiled
from fencepost.models.registry import MODELS
from fencepost.program.form import BlockingCas, Cas, Instruction, Isa, Load, Program, Rmw, Store, Wait
from fencepost.program.orders import Order
from support.random_programs import Options, random_program

RC11 = MODELS["rc11"].rules(Isa.C11)
SOURCE = Rules("rc11 with load buffering", tuple(axiom for axiom in RC11.axioms if axiom.name != "no-thin-air"))
TARGETS = ("sc", "tso", "pso", "armv8", "armv7", "power")  # not rmo: see test_rmo_*


def with_sc_accesses(program: Program, seed: int) -> Program:
    random = Random(f"sc accesses {seed}")
    often = random.choice((0.0, 0.2, 0.6))

    def strengthened(instruction: Instruction) -> Instruction:
        if random.random() >= often:
            return instruction
        match instruction:
            case Cas():
                return replace(instruction, success=Order.SEQ_CST, failure=Order.SEQ_CST)
            case Load() | Store() | Rmw() | Wait() | BlockingCas():
                return replace(instruction, order=Order.SEQ_CST)
        return instruction

    threads = tuple(replace(thread, code=tuple(map(strengthened, thread.code))) for thread in program.threads)
    return replace(program, threads=threads)


Results = tuple[set[tuple[int, ...]], bool, bool]


def results(program: Program, rules: Rules, like: Program) -> Results:
    """Final states, whether something can fail, whether something can wait for ever."""
    observed = observed_of(like)
    unrolling = Unrolling(2, store_conditionals_fail=False)
    found = enumerate_executions(program, rules, observed=observed, unrolling=unrolling, limits=Limits(timeout=60))
    assert found.ending is Ending.EXHAUSTED
    states = {tuple(state.values[what] for what in observed) for state in found.states}
    return states, found.failed > 0, found.blocked > 0


def additions(seed: int) -> list[str]:
    """What the program does when it is compiled, and its source may not do."""
    program = with_sc_accesses(random_program(seed, Options(max_events=6)), seed)
    states, fails, waits = results(program, SOURCE, program)
    found = []
    for name in TARGETS:
        target = compiled(program, MODELS[name].target)
        got, failing, waiting = results(target, MODELS[name].rules(target.isa), program)
        if got - states:
            found.append(f"{len(got - states)} outcomes more under {name}")
        if failing > fails or waiting > waits:
            found.append(f"{'fails' if failing > fails else 'waits for ever'} under {name}")
    return found
