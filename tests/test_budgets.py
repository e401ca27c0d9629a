"""Limits that only keep a counter in its range are ignored where nothing goes wrong then: the same answers."""

import pytest
from support.random_phases import random_phase_program

from fencepost.engines import exhaustive
from fencepost.engines.options import ALL_REDUCTIONS, Reduction, SearchOptions
from fencepost.frontends import loads
from fencepost.program.analysis.budgets import budgets, without_limits
from fencepost.program.analysis.moving import moving_counters
from fencepost.program.form import Choose
from fencepost.verdict.types import Answer, Notion, NotRobust, Robust, Unknown

WITHOUT = ALL_REDUCTIONS - {Reduction.BUDGETS}
PARTS = 4
PROGRAMS = 200


def check(program, notion=Notion.ROBUST, reductions=ALL_REDUCTIONS, jobs=1, model="rc20"):
    options = SearchOptions(jobs=jobs, reductions=reductions, max_states=150_000)
    return exhaustive.check_program(program, model=model, notion=notion, options=options)


def answers(result):
    if isinstance(result.verdict, Robust):
        return "robust", result.assertions, result.deadlock is not None
    return "not robust" if isinstance(result.verdict, NotRobust) else "unknown"


@pytest.fixture
def attempts(monkeypatch):
    """What came of searching without limits: True where that was enough."""
    found = []
    search = exhaustive._without_limits

    def watched(*arguments):
        result = search(*arguments)
        found.append(result is not None)
        return result

    monkeypatch.setattr(exhaustive, "_without_limits", watched)
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_with_phases_get_the_same_answers(part, attempts):
    for seed in range(part, PROGRAMS, PARTS):
        program = random_phase_program(seed)
        model = "sc" if seed // PARTS % 2 else "rc20"
        notion = Notion.OBSERVATIONAL if model == "rc20" and seed % 3 == 2 else Notion.ROBUST
        limited = answers(check(program, notion, WITHOUT, model=model))
        if limited == "unknown":  # many states, rather than phases
            continue
        assert answers(check(program, notion, jobs=1 + seed // 2 % 2, model=model)) == limited, f"seed {seed}"
        if seed // PARTS % 5 == 0:
            unreduced = check(program, notion, frozenset(), model=model)
            assert isinstance(unreduced.verdict, Unknown) or answers(unreduced) == limited, f"seed {seed}"
    assert sum(attempts) > 2, "the programs do not show what the reduction is for"


# Two threads that start phases, one at a time, and wait until the other has seen it.
PHASES = """max_value MAXIMUM;
global g = 1, r0, r1, l;
fn t0 {
    local n, a, b, d;
    again:
    oneof { if (n < LIMIT) {
        n = n + 1; r0.store(0, rel); BCAS(l, 0, 1, acq, rel);
        a = g.load(acq); a = a + 1; g.store(a, rel); fence(seq_cst); wait(r1, a, 0, acq);
        l.store(0, rel);
    } } { a = g.load(acq); r0.store(a, rel); fence(seq_cst); } { r0.store(0, rel); }
    { MORE };
    goto again;
}
fn t1 {
    local n, a;
    again:
    oneof { if (n < LIMIT) {
        n = n + 1; r1.store(0, rel); BCAS(l, 0, 1, acq, rel);
        a = g.load(acq); a = a + 1; g.store(a, rel); fence(seq_cst); wait(r0, a, 0, acq);
        l.store(0, rel);
    } } { a = g.load(acq); r1.store(a, rel); fence(seq_cst); } { r1.store(0, rel); };
    goto again;
}
"""


def phases(limit=2, maximum=100, more="skip;"):
    text = PHASES.replace("LIMIT", str(limit)).replace("MAXIMUM", str(maximum)).replace("MORE", more)
    return loads(text, "phases.tpl")


def test_states_do_not_grow_with_the_limit(attempts):
    few, many = (check(phases(limit), model="sc") for limit in (2, 8))
    assert answers(few) == answers(many) == ("robust", Answer.HOLD, False)
    assert few.statistics.states == many.statistics.states
    assert attempts == [True, True]
    limited = [check(phases(limit), reductions=WITHOUT, model="sc").statistics.states for limit in (2, 8)]
    assert limited[1] > 5 * limited[0]


def test_the_counter_and_what_holds_its_values_are_found():
    program = phases()
    (counter,) = moving_counters(program, budgets(program))
    assert counter.location == "g"
    assert counter.registers == {(0, "a"), (1, "a")}
    assert counter.copies == {"r0", "r1"}
    assert {(budget.thread, budget.register, budget.most) for budget in counter.limits} == {(0, "n", 2), (1, "n", 2)}
    wider = without_limits(program, tuple(counter.limits))
    for budget in counter.limits:
        assert all(isinstance(wider.threads[budget.thread].code[pc], Choose) for pc in budget.guards)


def test_the_counter_must_keep_in_its_range():
    """Two threads, 1 + 8 times each at most (how often nothing comes between is not looked at), and the lags."""
    program = phases(limit=8)
    assert moving_counters(program, budgets(program))
    enough = next(m for m in range(16, 100) if moving_counters(phases(8, m), budgets(phases(8, m))))
    assert 1 + 2 * 8 < enough < 64
    assert not moving_counters(phases(8, enough - 1), budgets(phases(8, enough - 1)))


@pytest.mark.parametrize(
    ("more", "with_limit", "with_more"),
    [  # the second thread's two phases bring the counter to 3, and four to 5
        ("b = a; d = g.load(); assert(d != 5);", Answer.HOLD, Answer.FAIL),  # the number itself
        ("d = g.load(); d = d + 4; b = g.load(); assert(b != d);", Answer.HOLD, Answer.HOLD),
        ("d = g.load(); b = r1.load(); d = d - b; assert(d != 2 || b == 0);", Answer.HOLD, Answer.FAIL),
        ("b = g.load(); d = b % 2; assert(d == 1 || b < 5);", Answer.HOLD, Answer.HOLD),
        ("if (n >= 3) { d = 1; assert(d == 0); }", Answer.HOLD, Answer.HOLD),
        ("b = 3; d = r1.load(); assert(b != d);", Answer.FAIL, Answer.FAIL),
        ("b = r1.load(); d = r1.load(); assert(b == 0 || b + 3 != d);", Answer.HOLD, Answer.FAIL),
    ],
)
def test_what_only_happens_beyond_the_limits_is_not_told(more, with_limit, with_more):
    for limit, expected in ((1, with_limit), (2, with_more)):
        program = phases(limit, more=more)
        for reductions in (ALL_REDUCTIONS, WITHOUT):
            assert check(program, reductions=reductions, model="sc").assertions is expected, f"{limit} {reductions}"


def budget_of(guard, step="n = n + 1;", before="n = 0;"):
    once = f"oneof {{ {guard} {{ {step} x.store(1); }} }} {{ skip; }};"
    text = f"global x; fn t {{ local n, m; {before} again: {once} goto again; }}"
    return [budget.most for budget in budgets(loads(text, "budget.tpl"))]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (budget_of("if (n < 4)"), [8]),  # from the start, and from the setting
        (budget_of("if (n < 4)", before="m = 4;"), [4]),
        (budget_of("if (4 >= n)", before=""), [5]),
        (budget_of("if (n != 4)"), []),  # passes 4 where it is counted up by two, and then for ever
        (budget_of("if (n < 4)", step="n = n + 1; n = n + 1;"), []),  # the second time nobody asks
        (budget_of("if (n < 4)", step="n = n - 1;"), []),
        (budget_of("if (n < 4)", step="n = n + m;"), []),
        (budget_of("if (n < m)", before="m = x.load();"), []),
        (budget_of("if (n < 4)", step="n = n + 1; m = n;"), []),  # somebody else uses it
        (budget_of("if (n > 250)"), []),  # no limit: it wraps around
        (budget_of("if (n < 4)", step="n = 0; n = n + 1;"), []),
    ],
)
def test_what_is_a_budget(found, expected):
    assert found == expected
