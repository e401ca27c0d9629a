"""`check --model K --against M`: the graph, the axiom of M that it violates, the circle, the words."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.random_programs import Options, random_program

import fencepost
from fencepost import NotRobust, Robust, SearchOptions, Unknown, api
from fencepost.engines.dispatch import decider
from fencepost.engines.graphs.enumerate import Limits, enumerate_executions
from fencepost.frontends import loads
from fencepost.models.axiomatic.execution import cycle_in, is_consistent, violated
from fencepost.models.axiomatic.explanation import circle
from fencepost.models.mappings import compiled
from fencepost.models.registry import MODELS
from fencepost.program.form import Isa
from fencepost.reports import render
from fencepost.reports.saved import parse
from fencepost.verdict.types import Answer, WitnessKind

EXAMPLES = Path(__file__).parent.parent / "examples" / "tso"

SB = """X86 SB
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""

TWO_WRITES = """PPC 2+2W
{ 0:r1=x; 0:r2=y; 1:r1=x; 1:r2=y; }
 P0           | P1           ;
 li r3,2      | li r3,2      ;
 li r4,1      | li r4,1      ;
 stw r3,0(r1) | stw r3,0(r2) ;
 lwsync       |              ;
 stw r4,0(r2) | stw r4,0(r1) ;
exists (x=2 /\\ y=2)
"""


def checked(text: str, name: str, **options: object) -> fencepost.CheckResult:
    return fencepost.check(loads(text, name), **options)  # type: ignore[arg-type]


def test_what_one_processor_adds_to_another_is_told_with_its_circle() -> None:
    result = checked(TWO_WRITES, "two.litmus")
    assert (result.model, result.against) == ("power", "sc")
    assert isinstance(result.verdict, NotRobust)
    witness = result.verdict.witness
    assert witness.kind is WitnessKind.EXECUTION
    assert witness.axiom == "sc"
    assert "reaches memory before" in witness.headline
    assert witness.headline.endswith("which SC forbids")
    assert [edge.kind for edge in witness.cycle] == ["po", "mo", "po", "mo"]
    text = render(result)
    assert "POWER does not keep the write of y at" in text
    assert "put a full fence (sync) before this:  stw r4,0(r1)" in text
    assert "these steps would come in a circle" in text


def test_a_repair_of_a_witness_forbids_it() -> None:
    """The one that TWO_WRITES is told: `lwsync` in the other thread is not enough, `sync` is."""
    repaired = TWO_WRITES.replace("lwsync       |              ;", "lwsync       | sync         ;")
    assert isinstance(checked(repaired, "two.litmus").verdict, Robust)


@pytest.mark.parametrize(
    ("text", "model", "against", "robust"),
    [
        (SB, "tso", "sc", False),
        (SB, "pso", "sc", False),
        (SB, "pso", "tso", True),
        (SB, "rmo", "x86", True),
        (TWO_WRITES, "power", "tso", False),
        (TWO_WRITES, "power", "sc", False),
        (TWO_WRITES, "sc", "power", True),
    ],
)
def test_known_answers(text: str, model: str, against: str, robust: bool) -> None:
    result = checked(text, "test.litmus", model=model, against=against)
    assert isinstance(result.verdict, Robust if robust else NotRobust)
    assert (result.model, result.against) == (api._model(model).name, api._model(against).name)


def test_a_model_that_says_nothing_of_these_instructions_gives_no_verdict() -> None:
    for model, against in (("armv8", "sc"), ("power", "armv8"), ("rc20", "sc"), ("tso", "rc11")):
        result = checked(SB if model != "power" else TWO_WRITES, "test.litmus", model=model, against=against)
        assert isinstance(result.verdict, Unknown)
        assert (
            "says nothing" in result.verdict.reason
            or "say nothing" in result.verdict.reason
            or ("instructions are those of" in result.verdict.reason)
        )


def test_c11_is_compiled_for_the_weaker_model() -> None:
    text = "global x = 0;\nglobal y = 0;\nfn left { x.store(1, rel); y.store(1, rel); }\n" + (
        "fn right { local a, b; a = y.load(acq); b = x.load(acq); }\n"
    )
    for model in ("tso", "pso", "rmo", "armv8", "armv7", "power"):
        assert isinstance(checked(text, "mp.tpl", model=model).verdict, Robust), model
    relaxed = text.replace("rel", "rlx").replace("acq", "rlx")
    for model, robust in (("tso", True), ("pso", False), ("armv8", False), ("armv7", False), ("power", False)):
        assert isinstance(checked(relaxed, "mp.tpl", model=model).verdict, Robust) == robust, model


def test_a_bound_on_loops_is_part_of_the_verdict() -> None:
    text = (
        "global x = 0;\nfn left { x.store(1, rlx); }\nfn right { local a = 0; while (a == 0) { a = x.load(rlx); } }\n"
    )
    for bound in (1, 3):
        result = checked(text, "spin.tpl", model="armv8", busy_waits="keep", options=SearchOptions(unroll=bound))
        assert isinstance(result.verdict, Unknown)
        assert ("once" if bound == 1 else "3 times") in result.verdict.reason
        assert "--unroll" in result.verdict.reason


def test_a_violation_before_the_bound_is_found() -> None:
    text = (
        "global x = 0;\nglobal y = 0;\n"
        "fn left { local a; local b = 1; while (b) { x.store(1, rlx); a = y.load(rlx); } }\n"
        "fn right { local a; local b = 1; while (b) { y.store(1, rlx); a = x.load(rlx); } }\n"
    )
    assert isinstance(checked(text, "for-ever.tpl", model="armv7").verdict, NotRobust)


def test_races_are_found_on_graphs_too() -> None:
    racy = "na x = 0;\nfn left { x.nastore(1); }\nfn right { local a; a = x.naload(); }\n"
    program = loads(racy, "race.tpl")
    decide = decider(MODELS["rc11"], MODELS["sc"], program)
    result = decide(program)
    assert isinstance(result.verdict, NotRobust)
    assert result.verdict.witness.kind is WitnessKind.RACE
    assert result.races is Answer.FAIL
    assert result.verdict.witness.headline.startswith("threads left and right race on x: ")


def test_assertions_are_those_under_the_stronger_model() -> None:
    text = "global x = 0;\nfn left { x.store(1, rlx); }\nfn right { local a; a = x.load(rlx); assert(a == 0); }\n"
    result = checked(text, "assert.tpl", model="armv8")
    assert result.assertions is Answer.FAIL
    assert result.assertion_witness is not None
    assert "assert(a == 0) fails (a = 1)" in result.assertion_witness.headline
    safe = checked(text.replace("a == 0", "a <= 1"), "assert.tpl", model="armv8")
    assert safe.assertions is Answer.HOLD


def test_a_report_of_an_execution_survives_saving() -> None:
    result = checked(TWO_WRITES, "two.litmus")
    (again,) = parse(render(result, "json"))
    assert again == result
    for format in ("text", "svg", "json"):
        assert render(again, format) == render(result, format)


@pytest.mark.parametrize("seed", range(40))
def test_circles_are_circles_of_base_relations_that_the_axiom_forbids(seed: int) -> None:
    """Each step is an edge of a base relation, the steps join up, and every model's axioms can be explained."""
    program = random_program(seed, Options(max_events=5))
    for model, against in (("power", "sc"), ("armv8", "sc"), ("armv7", "tso"), ("armv8", "tso"), ("sc", "sc")):
        prepared = compiled(program, MODELS[model].target)
        rules, judge = MODELS[model].rules(prepared.isa), MODELS[against].rules(prepared.isa)
        found = enumerate_executions(prepared, rules, against=[judge], limits=Limits(max_graphs=200))
        graph = found.judgements[0].graph
        if graph is None:
            continue
        execution = found.candidate(graph).execution
        axiom = violated(judge, execution)
        assert axiom is not None
        assert_circle(circle(axiom, execution), execution)


@pytest.mark.parametrize("name", ["power", "armv7", "armv8", "tso", "rc11", "rc20", "pso", "rmo"])
def test_inconsistent_executions_of_every_model_can_be_explained(name: str) -> None:
    """Of all candidates of some programs, those that the model itself forbids."""
    from fencepost.models.axiomatic.candidates import candidates

    model, explained = MODELS[name], set()
    for seed in range(12):
        prepared = compiled(random_program(seed, Options(max_events=4)), model.target)
        rules = model.rules(prepared.isa)
        for number, candidate in enumerate(candidates(prepared)):
            if number == 60:
                break
            axiom = violated(rules, candidate.execution)
            if axiom is not None:
                assert_circle(circle(axiom, candidate.execution), candidate.execution)
                explained.add(axiom.name)
    assert explained


def assert_circle(steps: object, execution: object) -> None:
    from fencepost.models.axiomatic.execution import Execution
    from fencepost.models.axiomatic.explanation import Step

    assert isinstance(execution, Execution)
    assert isinstance(steps, tuple)
    assert steps
    for step, following in zip(steps, (*steps[1:], steps[0]), strict=True):
        assert isinstance(step, Step)
        assert step.target == following.source
        name, inverse, _ = step.kind.partition("^-1")
        relation = execution.relation(name)
        ends = (step.target, step.source) if inverse or name == "rmw" else (step.source, step.target)
        rows = relation.rows
        assert rows[ends[0]] >> ends[1] & 1 or rows[ends[1]] >> ends[0] & 1, step
        if name != "rmw":
            assert rows[ends[0]] >> ends[1] & 1, step


def test_a_graph_is_judged_again_before_it_is_a_witness() -> None:
    from fencepost.verdict.execution import forbidden_execution
    from fencepost.verdict.replay import ReplayError

    program = loads(SB, "sb.litmus")
    rules, sc = MODELS["tso"].rules(Isa.X86), MODELS["sc"].rules(Isa.X86)
    found = enumerate_executions(program, sc, limits=Limits(collect=1))
    candidate = found.candidate(found.graphs[0])
    assert is_consistent(rules, candidate.execution)
    assert not cycle_in(candidate.execution.po)
    with pytest.raises(ReplayError):
        forbidden_execution(candidate, MODELS["tso"], rules, "sc", sc)


def test_what_rc20_does_not_have_is_not_passed_over() -> None:
    text = "C sc\n{}\nP0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_seq_cst); }\nexists (x=1)\n"
    program = loads(text, "sc.litmus")
    for name in ("rc20", "ra"):
        result = fencepost.litmus(program, model=name)
        assert result.unknown is not None
        assert "line 3" in result.unknown
        assert "RC11 does" in result.unknown
    assert fencepost.litmus(program).model == "rc11"
    assert {row.model for row in fencepost.compare(program).rows} == set(MODELS) - {"rc20", "ra"}


SPIN_ON_A_FLAG = """AArch64 MP+stlr+spin
{ 0:X1=x; 0:X2=y; 1:X1=x; 1:X2=y; }
 P0           | P1           ;
 MOV W0,#1    | L:           ;
 STR W0,[X1]  | LDAR W3,[X2] ;
 STLR W0,[X2] | CBZ W3,L     ;
              | LDR W4,[X1]  ;
exists (1:X4=0)
"""


def test_a_loop_that_waits_keeps_what_its_load_says() -> None:
    """As a blocking wait, an acquire load is an acquire still, and what follows depends on the branch."""
    result = checked(SPIN_ON_A_FLAG, "spin.litmus")
    assert isinstance(result.verdict, Robust)
    assert len(result.busy_waits) == 1
    plain = checked(SPIN_ON_A_FLAG.replace("LDAR", "LDR"), "spin.litmus")
    assert isinstance(plain.verdict, NotRobust)
    store = SPIN_ON_A_FLAG.replace("LDAR", "LDR").replace("LDR W4,[X1] ", "STR W3,[X1] ")
    assert isinstance(checked(store, "spin.litmus").verdict, Robust)


def test_automata_where_bounded() -> None:
    """Their values have no bound; loops have one here, and addresses that no location is at are not followed."""
    parker = fencepost.compare(EXAMPLES / "parker.txt", models=["sc", "x86"])
    assert [(row.executions, row.open_end) for row in parker.rows] == [(4, None), (5, None)]
    assert parker.rows[1].robust_against("sc") is False
    fenced = fencepost.compare(EXAMPLES / "parker-fenced.txt", models=["sc", "x86"])
    assert fenced.rows[1].robust_against("sc") is True
    peterson = fencepost.check(EXAMPLES / "peterson.txt", model="pso")
    assert isinstance(peterson.verdict, NotRobust)  # found before the bound on loops
