"""Witnesses as people read them: the whole way from a program to the words, for every kind of witness."""

import pytest
from support.random_programs import Options, random_program
from support.tpl import ASSERTION, DEADLOCK, MP, RACE, SB

from fencepost import api
from fencepost.engines.options import SearchOptions
from fencepost.frontends import loads
from fencepost.frontends.tpl.writer import NotExpressibleError, to_tpl
from fencepost.models.notions import Notion
from fencepost.program.builder import ACQ, REL, SC, ProgramBuilder
from fencepost.reports import FORMATS, render
from fencepost.reports.json import render as render_json
from fencepost.reports.saved import parse
from fencepost.reports.words import cycle_texts
from fencepost.verdict.types import NotRobust, Robust, WitnessKind

ONE = SearchOptions(jobs=1)


def check(source, **options):
    program = loads(source, "test.tpl") if isinstance(source, str) else source
    return api.check(program, options=ONE, **options)


def steps(witness):
    return [step.effect for step in witness.trace]


def repairs(witness):
    return [
        [(change.span.line if change.span else None, change.what) for change in repair.changes]
        for repair in witness.repairs
    ]


def test_a_stale_read():
    result = check(SB)
    witness = result.verdict.witness
    assert witness.kind is WitnessKind.STALE_ACCESS
    assert witness.headline == (
        "thread right may read x = 0 (the initial value) at line 8, although x = 1 (line 3, thread left) comes first "
        "under SC"
    )
    assert steps(witness) == [
        "writes x = 1",
        "reads y = 0",
        "writes y = 1",
        "may read x = 0, a stale value; SC has 1",
    ]
    assert list(cycle_texts(witness, result.program)) == [
        "line 3 (left) comes before line 4 in its thread",
        "line 4 (left) reads y = 0, before line 7 (right) writes y = 1",
        "line 7 (right) comes before line 8 in its thread",
        "line 8 (right) reads x = 0, before line 3 (left) writes x = 1",
    ]
    assert witness.reasons == (
        "line 4 (thread left) reads y before line 7 (thread right) writes it, which orders nothing: only an acquire "
        "that reads from a release does, or a pair of SC fences",
    )
    assert repairs(witness) == [
        [(4, "put fence(seq_cst) before this load"), (8, "put fence(seq_cst) before this load")]
    ]


@pytest.mark.parametrize(
    ("store", "load", "lacks", "repair"),
    [
        ("rlx", "acq", "the write is no release", [(4, "make this store release")]),
        ("rel", "rlx", "the read is no acquire", [(7, "make this read acquire")]),
        (
            "rlx",
            "rlx",
            "the write is no release and the read is no acquire",
            [(4, "make this store release"), (7, "make this read acquire")],
        ),
    ],
)
def test_what_is_missing_in_message_passing(store, load, lacks, repair):
    witness = check(MP.replace("rel)", f"{store})").replace("acq)", f"{load})")).verdict.witness
    assert witness.reasons == (
        f"line 7 (thread reader) reads flag = 1 from line 4 (thread writer), but {lacks}, so the value arrives, and "
        "nothing of what came before it",
    )
    assert repairs(witness) == [repair]


def repaired(source, repair):
    """`source` with the changes of a repair made, as its words say."""
    lines = source.splitlines()
    for change in sorted(repair.changes, key=lambda change: -change.span.line):
        index = change.span.line - 1
        if change.what.startswith("put fence(seq_cst) before"):
            lines.insert(index, "fence(seq_cst);")
        elif change.what.endswith("release"):
            lines[index] = lines[index].replace("rlx)", "rel)")
        else:
            lines[index] = lines[index].replace("rlx)", "acq)")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("source", [SB, MP.replace("rel)", "rlx)"), MP.replace("rel)", "rlx)").replace("acq)", "rlx)")])
def test_doing_what_the_report_says_helps(source):
    for repair in check(source).verdict.witness.repairs:
        assert isinstance(check(repaired(source, repair)).verdict, Robust)


def test_a_write_that_comes_too_late():
    source = "global x, y;\nfn a {\n  x.store(1);\n  y.store(2);\n}\nfn b {\n  y.store(1);\n  x.store(2);\n}\n"
    witness = check(source).verdict.witness
    assert witness.headline == (
        "thread b may put x = 2 (line 8) before x = 1 (line 3, thread a) in the order of the writes to x, although "
        "under SC it comes after"
    )
    assert steps(witness)[-1] == "may write x = 2 before x = 1 of line 3 (thread a)"
    assert [edge.kind for edge in witness.cycle] == ["po", "mo", "po", "mo"]


def test_a_read_modify_write_and_a_cas_that_fails():
    source = (
        "global x, y;\n"
        "fn a {\n local r;\n r = FADD(x, 1, rlx, rlx);\n r = CAS(y, 1, 5, rlx, rlx);\n}\n"
        "fn b {\n local r;\n y.store(1);\n r = CAS(x, 7, 8, rlx, rlx);\n}\n"
    )
    witness = check(source).verdict.witness
    assert "reads x = 0 and writes 1" in steps(witness)
    assert steps(witness)[-1] in (
        "may read y = 0, so it fails, a stale value; SC has 1",
        "may read x = 0, so it fails, a stale value; SC has 1",
    )


def test_a_stale_value_that_is_used():
    source = SB.replace("load(rlx);", "load(rlx);\n  verify(a);")
    witness = check(source, notion=Notion.OBSERVATIONAL).verdict.witness
    assert (witness.kind, witness.confirmed) == (WitnessKind.STALE_USE, True)
    assert witness.headline == (
        "line 10 of thread right uses a stale value: line 9 may have read x = 0 (the initial value), and missed x = 1 "
        "(line 3, thread left)"
    )
    assert steps(witness)[-2:] == [
        "may read x = 0, a stale value; SC has 1",
        "uses a value of x that may be stale",
    ]
    assert witness.cycle


def test_a_doubt_that_may_be_a_false_alarm():
    """Example 4.19: only one of the two reads of store buffering is used."""
    source = SB.replace("a = x.load(rlx);", "a = x.load(rlx);\n  verify(a);")
    result = check(source, notion=Notion.OBSERVATIONAL)
    witness = result.verdict.witness
    assert not witness.confirmed
    assert witness.cycle, "an execution that SC does not have can be shown all the same"
    assert witness.reasons[-1].startswith("This may be a false alarm: ")
    assert render(result).splitlines()[2].startswith("  this may be a false alarm; if it is none, what holds under SC")


def test_a_race():
    witness = check(RACE).verdict.witness
    assert witness.kind is WitnessKind.RACE
    assert witness.headline in (
        "threads p and q race on d: line 3 writes it and line 6 reads it, and nothing orders the two",
        "threads q and p race on d: line 6 reads it and line 3 writes it, and nothing orders the two",
    )
    assert steps(witness)[-1].endswith(("in a race with line 3 (thread p)", "in a race with line 6 (thread q)"))
    assert [edge.kind for edge in witness.edges if edge.kind == "race"] == ["race"]
    assert "no chain of program order and synchronisation" in witness.reasons[0]


def test_an_assertion_that_fails():
    result = check(ASSERTION)
    witness = result.assertion_witness
    assert witness.headline == "assert(a == 0) fails (a = 1), at line 7 of thread q"
    assert steps(witness) == ["writes x = 1", "reads x = 1", "assert(a == 0) fails (a = 1)"]
    assert witness.reasons == ("a depends on line 6, which read x = 1 (line 3, thread p)",)
    assert witness.span.line == 7


def test_a_division_by_zero():
    source = "global x;\nfn t {\n  local a;\n  a = x.load();\n  x.store(7 / a);\n}\n"
    witness = check(source).assertion_witness
    assert witness.headline == "division by zero in 7 / a (a = 0), at line 5 of thread t"
    assert witness.reasons == ("a depends on line 4, which read x = 0 (the initial value)",)


def test_an_index_outside_the_array():
    builder = ProgramBuilder("array")
    x, slots = builder.atomic("x"), builder.atomic_array("slots", [0, 0])
    with builder.thread("t") as t:
        i = t.load(x, into="i")
        t.store(slots[i], 1)
    with builder.thread("u") as u:
        u.store(x, 2)
    result = check(builder.build())
    witness = result.assertion_witness
    assert witness.headline == (
        "slots[2] is outside the array, which has slots 0 to 1, at slots[i].store(1, rlx) of thread t"
    )
    assert "slots[i].store(1, rlx)" in render(result), "without a source, the instructions are shown"


def test_slots_of_arrays_have_their_index():
    builder = ProgramBuilder("array")
    slots = builder.atomic_array("slots", [0, 0])
    for first, second in ((0, 1), (1, 0)):
        with builder.thread() as t:
            t.store(slots[first], 1)
            t.load(slots[second])
    witness = check(builder.build()).verdict.witness
    assert "slots[0] = 0 (the initial value)" in witness.headline
    assert "slots[0] = 1" in witness.headline


def test_a_deadlock():
    witness = check(DEADLOCK).deadlock
    assert witness.headline == "threads p and q wait for ever, and nobody else can move"
    assert witness.reasons == (
        "Thread p waits at line 4 until n == 0, but n = 1 (line 9, thread q) stays.",
        "Thread q waits at line 10 until m == 0, but m = 1 (line 3, thread p) stays.",
    )


def test_the_end_of_all_threads_is_no_deadlock():
    assert check(SB).deadlock is None
    assert check(DEADLOCK.replace("  lock(n);\n  lock(m);\n", "  lock(m);\n  lock(n);\n")).deadlock is None
    assert check(MP).deadlock is None


def test_sc_fences_are_one_step():
    builder = ProgramBuilder("fences", max_value=1)
    x, y = builder.atomic("x", "y")
    with builder.thread("a") as t:
        t.fence(SC)
        t.store(y, 1)
    with builder.thread("b") as t:
        t.store(x, 1)
        t.fence(SC)
    with builder.thread("c") as t:
        t.load(y)
        t.load(x)
    result = check(builder.build())
    witness = result.verdict.witness
    assert steps(witness).count("fence") == 2
    assert not any("fence(sc)" in str(event.label) for event in witness.events), "nothing hidden is shown"
    kinds = [edge.kind for edge in witness.cycle]
    assert sorted(kinds) == ["fr", "po", "po", "po", "rf", "sc"]
    assert "F seq_cst (b) runs before F seq_cst (a)" in "\n".join(cycle_texts(witness, result.program))


def test_a_single_acquire_or_release_may_be_enough():
    builder = ProgramBuilder("mp", max_value=1)
    x, y = builder.atomic("x", "y")
    with builder.thread("writer") as t:
        t.store(x, 1)
        t.store(y, 1, REL)
    with builder.thread("reader") as t:
        t.load(y)
        t.load(x)
    [[(_, what)]] = repairs(check(builder.build()).verdict.witness)
    assert what == "make this load acquire"
    with pytest.raises(ValueError, match="order of a store"):
        builder.thread("late").store(x, 1, ACQ)


def test_lines_with_several_accesses_are_told_apart_by_columns():
    source = "global x, y;\nfn a { local r; x.store(1); r = y.load(); }\nfn b { local r; y.store(1); r = x.load(); }\n"
    result = check(source)
    text = render(result)
    assert "thread b may read x = 0 (the initial value) at line 3:29, although x = 1 (line 2:17, thread a)" in text
    assert "     2  a       2:29  r = y.load(rlx)  reads y = 0\n" in text


def test_loops_without_a_source_are_told_too():
    builder = ProgramBuilder("loops", max_value=3)
    x = builder.atomic("x")
    with builder.thread("t") as t:
        a = t.load(x, into="a")
        with t.while_(a == 0):
            t.load(x, into=a)
        t.assert_(a == 0)  # noqa: PT009
    with builder.thread("u") as u:
        u.store(x, 1)
    witness = check(builder.build(), busy_waits="keep").assertion_witness
    assert witness.headline == "assert(a == 0) fails (a = 1), at assert(a == 0) of thread t"


# Properties, on random programs


def witnesses(result):
    if isinstance(result.verdict, NotRobust):
        yield result.verdict.witness
    yield from (witness for witness in (result.assertion_witness, result.deadlock) if witness is not None)


def with_source(program):
    """The same in TPL, if that has words for it."""
    try:
        return loads(to_tpl(program), f"{program.name}.tpl")
    except NotExpressibleError:
        return program


def assert_well_formed(witness):
    numbers = [event.number for event in witness.events]
    assert numbers == list(range(len(numbers)))
    events = dict(zip(numbers, witness.events, strict=True))
    edges = set(witness.edges)
    assert set(witness.cycle) <= edges
    for edge, following in zip(witness.cycle, (*witness.cycle[1:], *witness.cycle[:1]), strict=True):
        assert edge.target == following.source, "the cycle is one"
    for edge in witness.edges:
        source, target = events[edge.source].label, events[edge.target].label
        match edge.kind:
            case "po":
                assert events[edge.source].thread == events[edge.target].thread
            case "rf":
                assert (source.cell, source.written) == (target.cell, target.read)
            case "mo":
                assert source.cell == target.cell
                assert None not in (source.written, target.written)
            case "fr":
                assert source.cell == target.cell
                assert None not in (source.read, target.written)
            case "sc":
                assert source.kind == target.kind == "F"
            case kind:
                assert kind == "race"
    made = [step.event for step in witness.trace if step.event is not None]
    assert len(made) == len(set(made))
    if witness.kind in (WitnessKind.STALE_ACCESS, WitnessKind.STALE_USE):
        assert witness.cycle
        assert witness.trace[-1].event == numbers[-1]


@pytest.mark.parametrize("notion", [Notion.ROBUST, Notion.OBSERVATIONAL])
def test_every_witness_is_well_formed_and_every_report_can_be_saved(notion):
    kinds, sourced = set(), 0
    for seed in range(120):
        program = with_source(random_program(seed, Options(non_atomics=seed % 3 == 0)))
        result = api.check(program, notion=notion, options=ONE)
        for witness in witnesses(result):
            kinds.add(witness.kind)
            assert_well_formed(witness)
        [again] = parse(render_json(result))
        sourced += program.source is not None
        for name in FORMATS:
            assert render(again, name) == render(result, name)
    of_others = {WitnessKind.CYCLE, WitnessKind.TRIANGULAR_RACE, WitnessKind.STATE, WitnessKind.EXECUTION}
    wanted = set(WitnessKind) - of_others - ({WitnessKind.STALE_USE} if notion is Notion.ROBUST else set())
    assert kinds == wanted
    assert sourced > 30
