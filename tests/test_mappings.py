"""C11 compiled for processors: what compiled programs do, their sources may do, on random programs."""

from __future__ import annotations

import pytest
from support.compilation import SOURCE, additions, results, with_sc_accesses
from support.random_programs import Options, random_program

from fencepost.frontends import loads
from fencepost.models.mappings import TABLES, compiled
from fencepost.models.registry import MODELS
from fencepost.program.form import Fence, Isa, StoreConditional
from fencepost.program.printer import show_instruction


@pytest.mark.parametrize("block", range(10))
def test_compiled_programs_do_what_their_sources_may_do(block: int) -> None:
    assert not {seed: found for seed in range(block * 30, block * 30 + 30) if (found := additions(seed))}


def test_compiled_programs_are_weaker_than_sc() -> None:
    """Or nothing of the above would be tested."""
    for name in ("tso", "pso", "armv8", "armv7", "power"):
        weaker = 0
        for seed in range(60):
            program = with_sc_accesses(random_program(seed, Options(max_events=6)), seed)
            target = compiled(program, MODELS[name].target)
            got = results(target, MODELS[name].rules(target.isa), program)[0]
            weaker += got > results(program, MODELS["sc"].rules(Isa.C11), program)[0]
        assert weaker, name


def code(text: str, isa: Isa) -> list[str]:
    program = compiled(loads(text, "test.tpl"), isa)
    return [show_instruction(instruction) for instruction in program.threads[0].code]


def test_the_tables_are_those_of_the_literature() -> None:
    text = "global x = 0;\nfn f { local a; x.store(1, rel); a = x.load(acq); fence(seq_cst); }\n"
    assert code(text, Isa.X86) == ["x.store(1, rlx)", "a = x.load(rlx)", "fence(mfence)"]
    power = compiled(loads(text, "test.tpl"), Isa.POWER).threads[0].code
    kinds = [step.kind.value if isinstance(step, Fence) else type(step).__name__ for step in power]
    assert kinds == ["lwsync", "Store", "Load", "Branch", "isync", "sync"]
    armv8 = compiled(loads(text, "test.tpl"), Isa.AARCH64).threads[0].code
    assert [sorted(mark.value for mark in getattr(step, "marks", ())) for step in armv8] == [["L"], ["A"], []]


def test_updates_are_loops_where_there_is_no_atomic_instruction() -> None:
    text = "global x = 0;\nfn f { local a; a = FADD(x, 1, acq, rel); a = CAS(x, 1, 2, acq, rel); }\n"
    for isa in TABLES:
        program = compiled(loads(text, "test.tpl"), isa)
        linked = sum(isinstance(step, StoreConditional) for step in program.threads[0].code)
        assert linked == (2 if isa in (Isa.ARMV7, Isa.POWER) else 0)
        states, failing, waiting = results(program, MODELS["sc"].rules(isa), program)
        assert not failing
        assert not waiting
        assert states == {(1, 2)}  # a, and x


def test_programs_for_processors_stay_what_they_are() -> None:
    program = loads("X86 T\n{ }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n", "t.litmus")
    assert compiled(program, Isa.AARCH64) is program


def test_rmo_does_not_keep_two_loads_of_a_location_in_order() -> None:
    """As SPARC v9 has it, and C11 does not: under RMO plain loads are weaker than relaxed ones (MODEL.md of rmo)."""
    text = "global x = 0;\nfn f { x.store(1, rlx); }\nfn g { local a, b; a = x.load(rlx); b = x.load(rlx); }\n"
    program = loads(text, "corr.tpl")
    target = compiled(program, Isa.SPARC)
    rmo, pso = (results(target, MODELS[name].rules(Isa.SPARC), program)[0] for name in ("rmo", "pso"))
    source = results(program, SOURCE, program)[0]
    assert len(rmo - source) == 1
    assert pso == source
