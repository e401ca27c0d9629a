"""Searching in the order of what the monitor sees: the same answers, and witnesses that are as short as otherwise."""

import pytest
from support.random_programs import Options, random_program
from support.tpl import ASSERTION, DEADLOCK

from fencepost import api
from fencepost.engines import exhaustive
from fencepost.engines.options import ALL_REDUCTIONS, Reduction, SearchOptions
from fencepost.frontends import loads
from fencepost.models.notions import Notion
from fencepost.verdict.types import Answer, NotRobust, Robust

LOOPS = Options(loops=True)
LEVEL_BY_LEVEL = ALL_REDUCTIONS - {Reduction.ORDER}


@pytest.fixture(autouse=True)
def _few_states_are_many(monkeypatch):
    """Small programs are searched level by level only: here, none is small."""
    monkeypatch.setattr(exhaustive, "NEAR_STATES", 1)


def answers(result):
    if isinstance(result.verdict, Robust):
        return "robust", result.assertions, result.races, result.deadlock is not None
    return "not robust"


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("jobs", [1, 2])
def test_random_programs_get_the_same_answers_in_either_order(part, jobs):
    for seed in range(part, 240, 4):
        program = random_program(seed, LOOPS)
        notion = Notion.OBSERVATIONAL if seed % 3 == 2 else Notion.ROBUST
        heaviest = exhaustive.check_program(program, model="rc20", notion=notion, options=SearchOptions(jobs=jobs))
        levels = exhaustive.check_program(
            program, model="rc20", notion=notion, options=SearchOptions(jobs=1, reductions=LEVEL_BY_LEVEL)
        )
        assert answers(heaviest) == answers(levels), f"seed {seed}"
        if isinstance(levels.verdict, NotRobust) and jobs == 1:
            assert heaviest.verdict.witness.schedule == levels.verdict.witness.schedule, f"seed {seed}"


@pytest.mark.parametrize("text", [ASSERTION, DEADLOCK], ids=["assertion", "deadlock"])
def test_what_goes_wrong_under_sc_is_told_as_shortly_as_otherwise(text):
    program = loads(text, "test.tpl")
    heaviest = api.check(program, options=SearchOptions(jobs=1))
    levels = api.check(program, options=SearchOptions(jobs=1, reductions=LEVEL_BY_LEVEL))
    assert (heaviest.assertion_witness is None) == (levels.assertion_witness is None)
    assert (heaviest.deadlock is None) == (levels.deadlock is None)
    for ours, theirs in ((heaviest.assertion_witness, levels.assertion_witness), (heaviest.deadlock, levels.deadlock)):
        assert ours is None or ours.schedule == theirs.schedule
    assert (heaviest.assertion_witness, heaviest.deadlock) != (None, None)


def test_a_limit_of_states_holds_in_this_order_too():
    program = random_program(8, LOOPS)
    result = exhaustive.check_program(program, model="rc20", options=SearchOptions(jobs=1, max_states=2))
    assert "limit of 2 states" in getattr(result.verdict, "reason", "")


def test_a_thread_that_goes_round_in_circles_has_done_what_it_did_before():
    text = """
        global x, y;
        fn writer { x.store(1); here: oneof { goto here; } { skip; goto here; }; }
        fn reader { local a; a = x.load(); assert(a == 0); }
    """
    program = loads(text, "circles.tpl")
    for reductions in (ALL_REDUCTIONS, ALL_REDUCTIONS - {Reduction.FUSE}):
        result = api.check(program, model="sc", options=SearchOptions(jobs=1, reductions=reductions))
        assert result.assertions is Answer.FAIL
        assert result.deadlock is None
