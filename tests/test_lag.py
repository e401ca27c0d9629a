"""Values of a counter that lag far behind it are taken for one: the same answers, from fewer states."""

import pytest
from support.random_counters import random_counter_program

from fencepost.engines import exhaustive
from fencepost.engines.options import ALL_REDUCTIONS, Reduction, SearchOptions
from fencepost.frontends import loads
from fencepost.program.analysis.lags import MOST, Lag, lags, widened
from fencepost.verdict.types import Answer, Notion, NotRobust, Robust, Unknown

WITHOUT = ALL_REDUCTIONS - {Reduction.LAG}
PARTS = 4
PROGRAMS = 640


def check(program, notion=Notion.ROBUST, reductions=ALL_REDUCTIONS, jobs=1, model="rc20"):
    options = SearchOptions(jobs=jobs, reductions=reductions, max_states=600_000)
    return exhaustive.check_program(program, model=model, notion=notion, options=options)


def answers(result):
    if isinstance(result.verdict, Robust):
        return "robust", result.assertions, result.deadlock is not None
    assert isinstance(result.verdict, NotRobust), f"{result.verdict}"
    return "not robust"


@pytest.fixture
def refuted(monkeypatch):
    """How often values were told apart."""
    times = []

    def count(*arguments):
        times.append(arguments)
        return widened(*arguments)

    monkeypatch.setattr(exhaustive, "widened", count)
    return times


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_with_counters_get_the_same_answers(part, refuted):
    fewer = 0
    for seed in range(part, PROGRAMS, PARTS):
        program = random_counter_program(seed)
        notion = Notion.OBSERVATIONAL if seed % 3 == 2 else Notion.ROBUST
        reduced = check(program, notion, jobs=1 + seed % 2)
        plain = check(program, notion, WITHOUT)
        assert answers(reduced) == answers(plain), f"seed {seed}"
        if seed % 4 == 0:
            unreduced = check(program, notion, frozenset())
            assert isinstance(unreduced.verdict, Unknown) or answers(unreduced) == answers(plain), f"seed {seed}"
        if isinstance(reduced.verdict, Robust):
            fewer += check(program, notion).statistics.states < plain.statistics.states
    assert fewer >= 2, "the programs do not show what the reduction is for"
    assert len(refuted) >= 5, "the programs do not show where the reduction has to give way"


# The thief compares an old index with the owner's; BOUND is how far the counter runs.
DEQUE = """max_value 200;
global top = 1, bottom = 1;
fn owner {
    local b, t;
    again:
    b = bottom.load(acq);
    t = top.load(acq);
    if (b < BOUND && b < t + 2) { bottom.store(b + 1, rel); }
    goto again;
}
fn thief1 {
    local t, b;
    again: t = top.load(acq);
    b = bottom.load(acq);
    if (b <= t) goto again;
    t = CAS(top, t, t + 1, acq, rel);
    goto again;
}
fn thief2 {
    local t, b;
    again: t = top.load(acq);
    b = bottom.load(acq);
    if (b <= t) goto again;
    t = CAS(top, t, t + 1, acq, rel);
    goto again;
}
"""


def states(bound, reductions):
    program = loads(DEQUE.replace("BOUND", str(bound)), "deque.tpl")
    return check(program, reductions=reductions, model="sc").statistics.states


def test_states_grow_with_a_counter_rather_than_with_its_square():
    assert states(40, ALL_REDUCTIONS) < 2.2 * states(20, ALL_REDUCTIONS)
    assert states(40, WITHOUT) > 3.5 * states(20, WITHOUT)


# Each thread looks, in a way of its own, at how old a value is: a search that took old values for one would miss it.
WRITER = (
    "fn w {{ local c; again: c = z.load(); if (c == 6) goto done; z.store(c + 1); {more} goto again; done: skip; }}"
)


@pytest.mark.parametrize(
    ("reader", "more"),
    [
        ("v = z.load(); a = y.load(); assert(a == 0 || v != 2);", "if (c == 5) { y.store(1); }"),
        ("v = z.load(); a = y.load(); assert(a == 0 || v + 4 != 6);", "if (c == 5) { y.store(1); }"),
        ("v = z.load(); a = v; v = 0; b = y.load(); assert(a + 8 * b != 10);", "if (c == 5) { y.store(1); }"),
        ("v = z.load(); a = z.load(); assert(a - v != 5);", ""),
        ("v = z.load(); w = z.load(); a = z.load(); assert(!(w == v + 1 && a == 6));", ""),
        ("v = z.load(); w = z.load(); a = z.load(); assert(!(w != v && a - w == 4));", ""),
        ("v = z.load(); a = z.load(); x.store(v); v = x.load(); assert(a != 6 || v != 1);", ""),
        ("v = z.load(); a = z.load(); w = CAS(x, v, 3); assert(a < 6 || w == v);", ""),
        ("v = z.load(); a = z.load(); wait(x, v); assert(a < 6);", ""),
    ],
)
def test_a_thread_that_looks_at_how_old_a_value_is_finds_out(reader, more, refuted):
    text = f"max_value 40; global z, x, y;\n{WRITER.format(more=more)}\nfn r {{ local v, w, a, b; {reader} }}"
    program = loads(text, "old.tpl")
    assert check(program, reductions=frozenset(), model="sc").assertions is Answer.FAIL
    assert check(program, model="sc").assertions is Answer.FAIL
    assert refuted or not lags(program)


def test_a_counter_that_is_reset_is_none():
    reset = "if (t == 3) { top.store(1); }\n    goto again;\n}\nfn thief1"
    text = DEQUE.replace("BOUND", "6").replace("goto again;\n}\nfn thief1", reset)
    assert reset in text
    for model in ("sc", "rc20"):
        program = loads(text, "reset.tpl")
        assert answers(check(program, model=model)) == answers(check(program, reductions=WITHOUT, model=model))


def test_what_is_told_apart_gets_a_larger_lag_and_in_the_end_none():
    known = (Lag(0, 1, "z"), Lag(1, 1, "z"), Lag(2, 1, "z"), Lag(2, 0, "z"))
    wider = widened(known, 1, [1], [(1, 2)])
    assert [lag.by for lag in wider] == [1, 2, 2, 1]
    while any(lag.thread == 2 and lag.register == 1 for lag in wider):
        assert all(lag.by <= MOST for lag in wider)
        wider = widened(wider, 2, [1], [(1, 2)])
    assert wider == (known[0], known[3])
