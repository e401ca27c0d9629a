"""Which model's executions are all executions of which other, on random programs compiled for one processor.

Acquire and release accesses of AArch64 keep a store and a later load in order, which x86 does not, so programs that
compare those two have plain accesses, updates, dependencies and full fences (as robustness-between-models has them).
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from fencepost.engines.graphs.enumerate import Ending, Limits, enumerate_executions
from fencepost.engines.graphs.outcomes import observed_of
from fencepost.models.axiomatic.paths import Unrolling
from fencepost.models.mappings import compiled
from fencepost.models.registry import MODELS, ModelInfo
from fencepost.program.analysis.rewrite import replace_instructions
from fencepost.program.form import (
    BlockingCas,
    Cas,
    Fence,
    Instruction,
    Isa,
    Load,
    Program,
    Rmw,
    Store,
    Thread,
    Wait,
)
from fencepost.program.orders import FenceKind, Order
from support.random_programs import Options, random_program

# Per processor: models, each within all that come after it, and whether the programs are plain.
CHAINS: dict[Isa, tuple[tuple[str, ...], bool]] = {
    Isa.X86: (("sc", "tso", "pso", "rmo"), False),
    Isa.SPARC: (("sc", "tso", "pso", "rmo"), False),
    Isa.AARCH64: (("sc", "tso", "armv8"), True),
    Isa.ARMV7: (("sc", "tso", "armv8", "armv7"), True),
    Isa.POWER: (("sc", "tso", "power"), True),
    Isa.C11: (("sc", "ra", "rc11", "rc20"), False),
}
FULL = {
    Isa.C11: FenceKind.SEQ_CST,
    Isa.X86: FenceKind.MFENCE,
    Isa.AARCH64: FenceKind.DMB_SY,
    Isa.ARMV7: FenceKind.DMB_SY,
    Isa.POWER: FenceKind.SYNC,
}


def plain(program: Program) -> Program:
    """With relaxed accesses and full fences only."""

    def weakened(instruction: Instruction) -> Instruction:
        match instruction:
            case Load() | Store() | Rmw() | Wait() | BlockingCas():
                return replace(instruction, order=Order.RELAXED)
            case Cas():
                return replace(instruction, success=Order.RELAXED, failure=Order.RELAXED)
            case Fence():
                return Fence(FenceKind.SEQ_CST)
        return instruction

    threads = tuple(replace(thread, code=tuple(map(weakened, thread.code))) for thread in program.threads)
    return replace(program, threads=threads)


def violations(seed: int, isa: Isa) -> list[str]:
    """Where an execution of an earlier model of the chain is none of a later one."""
    chain, is_plain = CHAINS[isa]
    program = random_program(seed, Options(max_events=6))
    prepared = compiled(plain(program) if is_plain else program, isa)
    if isa is Isa.C11:
        prepared = without_sc(prepared)
    found = []
    for number, name in enumerate(chain[:-1]):
        weaker = [MODELS[other] for other in chain[number + 1 :]]
        result = enumerate_executions(
            prepared,
            MODELS[name].rules(isa),
            against=[other.rules(isa) for other in weaker],
            unrolling=Unrolling(store_conditionals_fail=False),
            limits=Limits(timeout=60),
        )
        assert result.ending is Ending.EXHAUSTED
        for other, judged in zip(weaker, result.judgements, strict=True):
            if judged.violations:
                found.append(f"{judged.violations} executions of {name} are none of {other.name}")
    return found


def without_sc(program: Program) -> Program:
    """SC fences become acquire-release ones: SC accesses there are none."""

    def weakened(instruction: Instruction) -> Instruction:
        return Fence(FenceKind.ACQ_REL) if instruction == Fence(FenceKind.SEQ_CST) else instruction

    threads = tuple(replace(thread, code=tuple(map(weakened, thread.code))) for thread in program.threads)
    return replace(program, threads=threads)


def added_by_fence(seed: int, model: ModelInfo) -> set[tuple[int, ...]]:
    """The outcomes that a full fence at a random place adds."""
    program = random_program(seed, Options(max_events=6))
    prepared = compiled(program, model.target)
    random = Random(f"fence {seed} {model.name}")
    return outcomes(fenced(prepared, random), model, program) - outcomes(prepared, model, program)


def fenced(program: Program, random: Random) -> Program:
    number = random.randrange(len(program.threads))
    thread = program.threads[number]
    place = random.randrange(len(thread.code) + 1)
    fence = Fence(FULL[program.isa])
    if place == len(thread.code):
        changed: Thread = replace(thread, code=(*thread.code, fence))
    else:
        changed = replace_instructions(thread, {place: (fence, thread.code[place])})
    return replace(program, threads=(*program.threads[:number], changed, *program.threads[number + 1 :]))


def outcomes(program: Program, model: ModelInfo, like: Program) -> set[tuple[int, ...]]:
    observed = observed_of(like)
    found = enumerate_executions(
        program,
        model.rules_for(program),
        observed=observed,
        unrolling=Unrolling(store_conditionals_fail=False),
        limits=Limits(timeout=60),
    )
    assert found.ending is Ending.EXHAUSTED
    return {tuple(state.values[what] for what in observed) for state in found.states}
