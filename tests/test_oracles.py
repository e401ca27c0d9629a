"""Every search against the enumeration of execution graphs, and models against each other, on random programs.

tools/oracles.py runs more of them: 2,000 to 2,500 of each kind without a difference at the time of writing.
"""

from __future__ import annotations

import pytest
from support import inclusions, oracles

from fencepost.frontends import loads
from fencepost.models.registry import MODELS
from fencepost.models.tso.prepare import prepare
from fencepost.program.form import Isa
from fencepost.verdict.types import Notion

PARTS = range(4)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("notion", [Notion.ROBUST, Notion.OBSERVATIONAL])
def test_the_search_for_rc20_says_what_graphs_say(notion: Notion, part: int) -> None:
    assert not differing(lambda seed: oracles.rc20(seed, notion), part, 1000)


@pytest.mark.parametrize("part", PARTS)
def test_the_search_finds_the_races_that_graphs_have(part: int) -> None:
    assert not differing(oracles.rc20_race, part, 400)


@pytest.mark.parametrize("part", PARTS)
def test_the_search_for_tso_says_what_graphs_say(part: int) -> None:
    assert not differing(oracles.tso, part, 2000)
    assert not differing(oracles.tso_of_c11, part, 1000)


@pytest.mark.parametrize("isa", inclusions.CHAINS)
def test_a_stronger_model_has_no_execution_that_a_weaker_one_lacks(isa: Isa) -> None:
    assert not {seed: found for seed in range(500) if (found := inclusions.violations(seed, isa))}


@pytest.mark.parametrize("name", ["tso", "armv8", "armv7", "power", "rc11", "rc20", "ra"])
def test_a_full_fence_adds_no_outcome(name: str) -> None:
    assert not {seed: found for seed in range(200) if (found := inclusions.added_by_fence(seed, MODELS[name]))}


def differing(question: object, part: int, programs: int) -> dict[int, str]:
    assert callable(question)
    answers = {seed: question(seed) for seed in range(part, programs, len(PARTS))}
    return {seed: answer for seed, answer in answers.items() if answer is not None}


def test_rc11_without_sc_is_rc20_where_no_release_sequence_has_a_plain_write() -> None:
    """They differ on release sequences only: RC11's also go through later writes of the same thread."""
    sequence = (
        "global x = 0;\nglobal d = 0;\n"
        "fn left { d.store(1, rlx); x.store(1, rel); x.store(2, rlx); }\n"
        "fn right { local a, b; a = x.load(acq); b = d.load(rlx); }\n"
    )
    program = loads(sequence, "release-sequence.tpl")
    counts = {name: len(inclusions.outcomes(program, MODELS[name], program)) for name in ("rc11", "rc20")}
    assert counts == {"rc11": 4, "rc20": 5}  # RC20: a = 2 and b = 0


def test_a_cas_that_fails_is_a_full_fence_on_x86() -> None:
    """It is a locked instruction all the same (found by random program 34)."""
    text = (
        "global x = 0;\nglobal y = 0;\nglobal z = 1;\n"
        "fn left { local a; x.store(1, rlx); a = CAS(z, 0, 2, rlx, rlx); a = y.load(rlx); }\n"
        "fn right { local a; y.store(1, rlx); a = CAS(z, 0, 2, rlx, rlx); a = x.load(rlx); }\n"
    )
    program = loads(text, "failing.tpl")
    assert oracles._tso(inclusions.compiled(program, Isa.X86), program) is None
    assert len(inclusions.outcomes(inclusions.compiled(program, Isa.X86), MODELS["tso"], program)) == 3


LOCKED = """thread t0
initial q0
transition q0 q1 lock
transition q1 q2 read a 1
transition q2 q3 write 1 0
transition q3 q4 unlock
end
thread t1
initial q0
transition q0 q1 write 1 1
transition q1 q2 read b 0
end
"""


def test_blocks_under_a_lock_are_one_step_of_sc() -> None:
    """No cycle of po, rf, co, fr, and yet not what SC can do: MODEL.md of x86."""
    program = loads(LOCKED, "locked.txt")
    tso, sc = MODELS["tso"], MODELS["sc"]
    weak, strong = (inclusions.outcomes(program, model, program) for model in (tso, sc))
    assert len(weak - strong) == 1
    prepared = prepare(program)
    found = oracles.enumerated(prepared, "tso", [sc.rules_for(prepared), sc.rules(prepared.isa)])
    assert [judged.violations for judged in found.judgements] == [1, 0]
    assert found.executions == len(weak)
