"""Axiomatic models on programs that everybody knows: exact numbers of executions, by the definition and the core."""

from __future__ import annotations

import pytest
from support.random_programs import Options, random_program

from fencepost.engines.graphs.enumerate import Ending, Limits, enumerate_executions
from fencepost.models.armv8 import compact
from fencepost.models.axiomatic.algebra import Rules, acyclic, base, empty, least, show
from fencepost.models.axiomatic.candidates import Candidate, candidates
from fencepost.models.axiomatic.execution import Execution, is_consistent, violated
from fencepost.models.axiomatic.paths import TooManyPathsError, Unrolling, all_paths
from fencepost.models.registry import MODELS, find
from fencepost.program.builder import ProgramBuilder
from fencepost.program.expr import Binary, Const, Reg
from fencepost.program.form import Fence, Isa, Load, Location, Program, Ref, Store, Thread
from fencepost.program.orders import FenceKind, Order

# The axioms of every model, whatever programs it is for.
RULES = {name: model.rules(min(model.judges, key=lambda isa: isa.value)) for name, model in MODELS.items()}
RULES["armv8-compact"] = compact.RULES

HARDWARE = ("sc", "tso", "pso", "rmo", "armv8", "armv8-compact", "armv7", "power")


def threads(*texts: str, isa: Isa = Isa.C11) -> Program:
    """Each thread is words: Wx1 Rx F(barrier); a read `Rx:addr` (`:data`, `:ctrl`) depends on the read before it."""
    made = []
    for number, text in enumerate(texts):
        code: list[object] = []
        last = None
        registers: list[str] = []
        for word in text.split():
            access, _, dependency = word.partition(":")
            name = access[1]
            ref = Ref(name)
            if dependency == "addr":
                assert last is not None
                ref = Ref(name, Binary("^", Reg(last), Reg(last)))
            if word in BARRIERS:
                code.append(Fence(BARRIERS[word]))
            elif access[0] == "R":
                last = f"r{len(registers)}"
                registers.append(last)
                code.append(Load(last, ref, Order.RELAXED))
            else:
                value = Const(int(access[2]))
                if dependency == "data":
                    assert last is not None
                    value = Binary("+", value, Binary("^", Reg(last), Reg(last)))
                code.append(Store(ref, value, Order.RELAXED))
        made.append(Thread(f"P{number}", tuple(registers), tuple(code)))
    letters = sorted({word[1] for text in texts for word in text.split() if word not in BARRIERS})
    return Program("test", tuple(Location(letter) for letter in letters), tuple(made), isa=isa)


BARRIERS = {
    "mfence": FenceKind.MFENCE,
    "dmb": FenceKind.DMB_SY,
    "dmb.st": FenceKind.DMB_ST,
    "dmb.ld": FenceKind.DMB_LD,
    "sync": FenceKind.SYNC,
    "lwsync": FenceKind.LWSYNC,
}

# The numbers of executions under SC, x86, PSO, RMO, ARMv8, its short form, ARMv7 and Power.
KNOWN = {
    "SB": (("Wx1 Ry", "Wy1 Rx"), (3, 4, 4, 4, 4, 4, 4, 4)),
    "LB": (("Rx Wy1", "Ry Wx1"), (3, 3, 3, 4, 4, 4, 4, 4)),
    "LB+datas": (("Rx Wy1:data", "Ry Wx1:data"), (3, 3, 3, 3, 3, 3, 3, 3)),
    "MP": (("Wx1 Wy1", "Ry Rx"), (3, 3, 4, 4, 4, 4, 4, 4)),
    "MP+dmb+addr": (("Wx1 dmb Wy1", "Ry Rx:addr"), (3, 3, 3, 3, 3, 3, 3, 4)),
    "MP+dmb.st+addr": (("Wx1 dmb.st Wy1", "Ry Rx:addr"), (3, 3, 4, 4, 3, 3, 3, 4)),
    "2+2W": (("Wx1 Wy2", "Wy1 Wx2"), (3, 3, 4, 4, 4, 4, 4, 4)),
    "IRIW": (("Wx1", "Wy1", "Rx Ry", "Ry Rx"), (15, 15, 15, 16, 16, 16, 16, 16)),
    "IRIW+addrs": (("Wx1", "Wy1", "Rx Ry:addr", "Ry Rx:addr"), (15, 15, 15, 15, 15, 15, 16, 16)),
    "IRIW+lwsyncs": (("Wx1", "Wy1", "Rx lwsync Ry", "Ry lwsync Rx"), (15, 15, 15, 16, 16, 16, 16, 16)),
    "IRIW+syncs": (("Wx1", "Wy1", "Rx sync Ry", "Ry sync Rx"), (15, 15, 15, 15, 16, 15, 16, 15)),
    "CoRR": (("Wx1", "Rx Rx"), (3, 3, 3, 4, 3, 3, 3, 3)),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_numbers_of_executions(name: str) -> None:
    texts, numbers = KNOWN[name]
    program = threads(*texts)
    everything = list(candidates(program))
    for model, number in zip(HARDWARE, numbers, strict=True):
        rules = RULES[model]
        assert sum(is_consistent(rules, each.execution) for each in everything) == number, model
        assert enumerate_executions(program, rules).executions == number, model


def _graph(execution: Execution) -> str:
    """A text that is the same for equal executions only."""
    events = [(e.thread, e.kind, sorted(e.tags), e.cell, e.value, e.pc) for e in execution.events]
    given = sorted((name, relation.rows) for name, relation in execution.given.items())
    return repr((events, execution.rf.rows, execution.co.rows, given))


@pytest.mark.parametrize("seed", range(25))
def test_the_core_finds_exactly_the_executions_of_the_definition(seed: int) -> None:
    program = random_program(seed, Options(max_events=5, non_atomics=True))
    everything: list[Candidate] = []
    for candidate in candidates(program):
        everything.append(candidate)
        if len(everything) > 150:
            pytest.skip("too many candidates for the definition")
    for name, rules in RULES.items():
        found = enumerate_executions(program, rules, against=[RULES["sc"]], limits=Limits(collect=1000))
        expected = [each.execution for each in everything if is_consistent(rules, each.execution)]
        got = sorted(_graph(found.candidate(graph).execution) for graph in found.graphs)
        assert got == sorted(map(_graph, expected)), name
        weak = [each for each in expected if not is_consistent(RULES["sc"], each)]
        (judged,) = found.judgements
        assert judged.violations == len(weak), name
        if judged.graph is not None:
            assert violated(judged.rules, found.candidate(judged.graph).execution) == judged.axiom


def test_least_relations_are_those_of_the_closure() -> None:
    """A recursive definition of po+ | rf+ in two names that use each other."""
    po, rf = base("po"), base("rf")
    a, b = least("a b", lambda a, b: (po | rf | a @ b, a))
    recursive = Rules("recursive", (acyclic(b, "b"), empty(a - (po | rf).plus, "a")))
    plain = Rules("plain", (acyclic(po | rf, "b"),))
    program = threads("Rx Wy1", "Ry Wx1")
    assert enumerate_executions(program, recursive).executions == enumerate_executions(program, plain).executions == 3


def test_an_axiom_that_more_choices_can_repair_is_judged_at_the_end_only() -> None:
    """Every write to x must be read: no part of an execution may be given up for that."""
    reads = Rules("read", (empty(base("co") - base("co") @ base("rf") @ ~base("rf"), "all-read"),))
    program = threads("Wx1", "Rx")
    found = enumerate_executions(program, reads, limits=Limits(collect=9))
    assert found.executions == 1
    assert found.candidate(found.graphs[0]).register(1, "r0") == 1


def test_a_loop_is_cut_at_the_bound_and_counted() -> None:
    p = ProgramBuilder("spin", max_value=1)
    x = p.atomic("x")
    with p.thread("t") as t:
        t.store(x, 1)
    with p.thread("u") as u:
        r = u.load(x)
        with u.while_(r == 0):
            u.load(x, into=r)
    program = p.build()
    for bound in (1, 2, 3):
        found = enumerate_executions(program, RULES["sc"], unrolling=Unrolling(bound))
        # Its last read may see either write before the bound stops it.
        assert (found.executions, found.cut) == (bound + 1, 2)


def test_limits_end_the_enumeration_and_say_so() -> None:
    program = threads("Wx1 Ry", "Wy1 Rx")
    rules = RULES["tso"]
    assert enumerate_executions(program, rules).ending is Ending.EXHAUSTED
    found = enumerate_executions(program, rules, limits=Limits(max_graphs=2))
    assert (found.ending, found.executions) == (Ending.GRAPHS, 2)


def test_dependencies_are_syntactic() -> None:
    (path,) = all_paths(threads("Rx Ry:addr Wz1:data"), Unrolling())[0]
    assert path.relations["addr"] == {(0, 1)}
    assert path.relations["data"] == {(1, 2)}


def test_models_have_one_name_each() -> None:
    names = [name for model in MODELS.values() for name in (model.name, *model.aliases)]
    assert len(names) == len(set(names))
    assert find("aarch64") is MODELS["armv8"]
    assert find("no such model") is None


def test_expressions_are_shown_in_cat_notation() -> None:
    assert show((base("po") | ~base("rf")).plus) == "(po | rf^-1)+"


def test_the_time_limit_holds_for_paths_too() -> None:
    p = ProgramBuilder("many", max_value=1)
    x = p.atomic("x")
    with p.thread("t") as t:
        for _ in range(30):
            r = t.load(x)
            with t.if_(r == 0):
                t.store(x, 1)
    with pytest.raises(TooManyPathsError, match=r"the time was over when .* paths of thread t were listed"):
        enumerate_executions(p.build(), RULES["sc"], limits=Limits(timeout=0.05))
