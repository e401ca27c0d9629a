"""Threads of which any number of copies run: how they are written, what is answered, what refuses them."""

from __future__ import annotations

import json
import re
import signal
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from support.cli import start
from support.random_programs import Options, random_program
from support.random_templates import random_template_program
from support.repairs import cheaper, is_robust, problem_of

from fencepost import api
from fencepost.engines import templates as templates_engine
from fencepost.engines.lowering import to_core
from fencepost.engines.options import SearchOptions
from fencepost.engines.templates import examples
from fencepost.fences.optimum import Choice
from fencepost.fences.types import Repaired
from fencepost.fences.vocabulary import vocabulary_of
from fencepost.frontends import InputError, loads
from fencepost.frontends.automata.writer import to_automata
from fencepost.frontends.tpl.writer import to_tpl
from fencepost.models.axiomatic.paths import Unrolling, all_paths
from fencepost.models.registry import MODELS
from fencepost.program.builder import ProgramBuilder
from fencepost.program.lts import initial_state
from fencepost.program.printer import show_program
from fencepost.program.templates import NotAnInstanceError, counted, instance, instance_of, instances, origins
from fencepost.reports import text
from fencepost.reports.saved import parse as read_saved
from fencepost.verdict.types import Answer, Notion, NotRobust, Robust, Unknown

EXAMPLES = Path(__file__).parent.parent / "examples" / "parameterised"
SB = """\
max_value 1;
global x, y;
fn left * { local r; x.store(1, rlx); r = y.load(rlx); }
fn right { local r; y.store(1, rlx); r = x.load(rlx); }
"""
SB_TEXT = """\
thread left *
initial q0
transition q0 q1 write 1 0
transition q1 q2 read r 1
end
thread right
initial q0
transition q0 q1 write 1 1
transition q1 q2 read r 0
end
"""
LOCK = """\
max_value 1;
global held, inside;
fn worker * {
    local count;
    BCAS(held, 0, 1, acq, rlx);
    count = inside.load(rlx);
    assert(count == 0);
    inside.store(1, rlx);
    inside.store(0, rlx);
    held.store(0, rel);
}
"""


def program(source: str, name: str = "p.tpl"):
    return loads(source, name)


# How they are written


@pytest.mark.parametrize("source", [SB, SB_TEXT], ids=["tpl", "automata"])
def test_a_star_makes_a_template(source):
    left, right = program(source, "sb").threads
    assert (left.name, left.any_number) == ("left", True)
    assert (right.name, right.any_number) == ("right", False)


def test_a_star_may_touch_the_name_in_tpl_and_is_part_of_it_in_automata():
    assert program("global x; fn t* { x.store(1); }").threads[0].any_number
    named = program("thread t*\ninitial q\nend\n", "p.txt")
    assert not named.threads[0].any_number
    assert named.notes == (
        "line 1: the star is part of the name t*, so this is one thread; any number of them is written thread t *",
    )


def test_writers_keep_the_star():
    tpl, automata = program(SB), program(SB_TEXT, "sb.txt")
    assert "fn left * {" in to_tpl(tpl)
    assert program(to_tpl(tpl)).threads == tpl.threads
    assert "thread left *\n" in to_automata(automata)
    assert program(to_automata(automata), "sb.txt").threads == automata.threads
    assert "thread left * (r)" in show_program(tpl)


def test_the_builder():
    builder = ProgramBuilder("sb", max_value=1)
    x = builder.atomic("x")
    with builder.thread("left", any_number=True) as thread:
        thread.store(x, 1)
    assert builder.build().templates == (0,)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("global x; fn * t { }", "expected the name of the function, found '*'"),
        ("global x; fn t ** { }", "expected '{' after the name of the function, found '*'"),
        ("global x; fn t 3 { }", "expected '{' after the name of the function, found '3'"),
    ],
)
def test_where_a_star_cannot_stand(source, message):
    with pytest.raises(InputError) as error:
        program(source)
    assert message in str(error.value)


# Instances


def test_instances_are_numbered_and_stand_where_the_template_stands():
    some = instance(program(SB), {"left": 2})
    assert [thread.name for thread in some.threads] == ["left#1", "left#2", "right"]
    assert some.templates == ()
    assert origins(program(SB), {"left": 2}) == (0, 0, 1)
    assert [thread.name for thread in instance(program(SB), {}).threads] == ["right"]
    assert counted((("left", 2), ("right", 0))) == "2 of left"


def test_instances_that_cannot_be():
    with pytest.raises(ValueError, match="at least one thread"):
        instance(program(LOCK), {"worker": 0})
    with pytest.raises(ValueError, match="no template is called right"):
        instance(program(SB), {"right": 2})


# What is answered


VERDICTS = {
    # file: (robust against TSO, assertion fails under SC, copies of each template in what is shown)
    "spinlock.tpl": (True, False, None),
    "spinlock.txt": (True, False, None),
    "ticket-bounded.tpl": (True, False, None),
    "ticket-wraps.tpl": (True, True, {"worker": 5}),
    "rwlock.tpl": (True, False, None),
    "spinlock-broken.tpl": (False, True, {"worker": 2}),
    "spinlock-broken.txt": (False, False, {"worker": 2}),
    "publication.tpl": (True, False, None),
    "store-buffering.tpl": (False, False, {"left": 1, "right": 1}),
}


def test_every_example_has_a_verdict_here():
    assert {path.name for path in EXAMPLES.iterdir()} == VERDICTS.keys()


@pytest.mark.parametrize("name", VERDICTS)
def test_examples(name):
    robust, fails, copies = VERDICTS[name]
    result = api.check(EXAMPLES / name, model="tso")
    assert isinstance(result.verdict, Robust if robust else NotRobust)
    assert result.assertions is (Answer.FAIL if fails else Answer.HOLD)
    assert dict(result.copies) == (copies or {})
    assert (result.assertion_witness is not None) is fails
    if name.endswith(".tpl"):
        under_sc = api.check(EXAMPLES / name, model="sc")
        assert isinstance(under_sc.verdict, Robust)
        assert under_sc.assertions is result.assertions


def test_a_negative_answer_is_about_an_instance():
    result = api.check(program(SB), model="tso")
    assert isinstance(result.verdict, NotRobust)
    assert [thread.name for thread in result.program.threads] == ["left#1", "right"]
    lines = text.render(result).splitlines()
    assert text.verdict_only(result).endswith(", with 1 of left")
    assert "  program  p (2 threads: 1 of left)" in lines


def test_a_positive_answer_names_the_templates():
    result = api.check(program(LOCK), model="tso")
    lines = text.render(result).splitlines()
    assert lines[0].startswith("robust for any number of threads of worker: under TSO")
    assert "  program  p (any number of threads of worker)" in lines
    one_more = api.check(program(SB.replace("y.load(rlx); }", "x.load(rlx); }", 1)), model="tso")
    assert "  program  p (any number of threads of left, and 1 thread more)" in text.render(one_more).splitlines()


def test_both_go_wrong_in_one_instance():
    result = api.check(EXAMPLES / "spinlock-broken.tpl", model="tso")
    assert isinstance(result.verdict, NotRobust)
    assert result.assertion_witness is not None
    threads = len(result.program.threads)
    assert all(move.thread < threads for move in result.verdict.witness.schedule)
    assert all(move.thread < threads for move in result.assertion_witness.schedule)


def test_triangular_races():
    result = api.check(program(SB), model="tso", notion=Notion.TRIANGULAR)
    assert isinstance(result.verdict, NotRobust)
    assert isinstance(api.check(program(LOCK), model="tso", notion=Notion.TRIANGULAR).verdict, Robust)


def test_busy_waits_are_shown_in_the_instance():
    source = "global x, y; fn a { x.store(1); } fn b * { local r; while (r == 0) { r = x.load(); } assert(y != y); }"
    result = api.check(program(source.replace("y != y", "r != 1")), model="tso")
    assert result.assertions is Answer.FAIL
    assert [(wait.thread, result.program.threads[wait.thread].name) for wait in result.busy_waits] == [(1, "b#1")]


# Fences


def test_a_fence_in_a_template_counts_once():
    result = api.fence(EXAMPLES / "store-buffering.tpl", model="tso")
    outcome = result.outcome
    assert isinstance(outcome, Repaired)
    assert (len(outcome.changes), outcome.cost) == (2, 2)
    assert outcome.text is not None
    assert outcome.text.count("fence(seq_cst);") == 2
    assert isinstance(outcome.check.verdict, Robust)
    assert isinstance(api.check(loads(outcome.text, "again.tpl"), model="tso").verdict, Robust)
    for change in outcome.changes:
        assert change.without is not None
        assert dict(change.without.copies) == {"left": 1, "right": 1}


def test_fences_of_templates_are_told(fencepost):
    code, out, _ = fencepost("fence", EXAMPLES / "spinlock-broken.txt")
    assert code == 0
    assert out.startswith("repaired for any number of threads of worker: 2 changes, cost 2, and no cheaper repair")
    assert "transition one one_fenced mfence" in out
    assert ", with 2 of worker" in " ".join(out.split())
    code, out, _ = fencepost("fence", EXAMPLES / "spinlock-broken.txt", "--format", "json")
    for change in json.loads(out)["changes"]:
        assert change["without"]["copies"] == [{"thread": "worker", "count": 2}]
        assert {step["thread"] for step in change["without"]["trace"]} == {0, 1}


def test_robust_templates_need_no_fence(fencepost):
    code, out, _ = fencepost("fence", EXAMPLES / "rwlock.tpl", "--model", "tso")
    assert code == 0
    assert out.startswith("robust already: rwlock needs no change under TSO for any number of threads of reader and")


def test_fences_for_models_that_do_not_know_templates(fencepost):
    code, out, _ = fencepost("fence", EXAMPLES / "store-buffering.tpl", "--model", "rc20")
    assert code == 2
    assert out.startswith("unknown: RC20 is not decided for any number of threads of left and right (TSO and SC are);")


@pytest.mark.parametrize(("model", "cost"), [("tso", 2), ("rc20", 10), ("ra", 10)])
def test_fences_for_so_many_copies(model, cost):
    """With every model that has repairs; the copies of a template are changed alike."""
    outcome = api.fence(EXAMPLES / "store-buffering.tpl", model=model, instances=2).outcome
    assert isinstance(outcome, Repaired)
    assert outcome.cost == cost
    assert outcome.text is not None
    assert outcome.text.count("fence(seq_cst);") == 2
    assert outcome.text.count("*") == 2
    assert isinstance(api.check(loads(outcome.text, "again.tpl"), model=model, instances=2).verdict, Robust)
    for change in outcome.changes:
        assert change.without is not None
        assert dict(change.without.copies) == {"left": 2, "right": 2}


@pytest.mark.parametrize(("model", "programs"), [("rc20", 12), ("tso", 25)])
def test_no_change_of_all_copies_is_cheaper(model, programs):
    """By brute force, on random C11 programs with templates."""
    compared = 0
    for seed in range(400):
        random = Random(seed)
        base = random_program(seed, Options(max_prefixes=40, max_events=5))
        star = random.randrange(len(base.threads))
        threads = tuple(replace(thread, any_number=number == star) for number, thread in enumerate(base.threads))
        templated = replace(base, threads=threads)
        copies = ((base.threads[star].name, 2),)
        problem = problem_of(templated, MODELS[model], Notion.ROBUST)

        def robust(chosen, problem=problem, copies=copies):
            decided = instance_of(problem.decided(chosen), copies)
            return is_robust(decided, problem.info, Notion.ROBUST)

        if robust(Choice()):
            continue
        outcome = api.fence(templated, model=model, instances=2, busy_waits="keep").outcome
        costs = [vocabulary_of(MODELS[model]).costs[edit.what] for edit in problem.edits]
        limit = outcome.cost if isinstance(outcome, Repaired) else sum(costs) + 1
        others = cheaper(costs, limit, 120)
        if others is None:
            continue
        assert not any(map(robust, others)), f"a cheaper repair of {seed}"
        compared += 1
        if compared == programs:
            break
    assert compared == programs


def test_waiting_for_ever_is_not_looked_for_and_the_report_says_so(fencepost):
    code, out, _ = fencepost("check", "--model", "tso", EXAMPLES / "spinlock.tpl")
    assert code == 0
    assert "whether threads may wait for ever is not looked for" in " ".join(out.split())
    code, out, _ = fencepost("check", "--model", "tso", "--instances", "2", EXAMPLES / "spinlock.tpl")
    assert code == 0
    assert "wait for ever" not in out
    code, out, _ = fencepost("check", "--model", "tso", EXAMPLES / "store-buffering.tpl")
    assert "wait for ever" not in out


# What is not


@pytest.mark.parametrize("model", [name for name, info in MODELS.items() if not info.templates])
def test_other_models_say_that_they_are_not_decided(model):
    result = api.check(program(SB), model=model)
    assert result.verdict == Unknown(
        f"{model.upper()} is not decided for any number of threads of left (TSO and SC are); "
        "`--instances N` is about N copies of each, and says nothing about more"
    )
    assert result.assertions is Answer.UNKNOWN


def test_neither_is_state_robustness():
    verdict = api.check(program(SB), model="tso", notion=Notion.STATE).verdict
    assert isinstance(verdict, Unknown)
    assert verdict.reason.startswith("TSO with the notion state is not decided for any number of threads of left")


def test_nor_are_pairs_of_models():
    verdict = api.check(program(SB), model="tso", against="rc11").verdict
    assert isinstance(verdict, Unknown)
    assert verdict.reason.startswith("TSO against RC11 is not decided for any number of threads of left; ")


@pytest.mark.parametrize("model", sorted(MODELS))
def test_instances_are_checked_by_every_model(model):
    result = api.check(program(LOCK), model=model, instances=2)
    assert result.copies == (("worker", 2),)
    if isinstance(result.verdict, Robust):
        assert result.verdict.coverage.endswith("; only 2 of worker, nothing is said about more")
    broken = api.check(program(SB), model=model, instances=2)
    assert isinstance(broken.verdict, NotRobust if model != "sc" else Robust)


@pytest.mark.parametrize("model", ["rc20", "ra", "tso", "sc", "rc11", "armv8"])
def test_the_lock_with_two_threads(model):
    assert isinstance(api.check(program(LOCK), model=model, instances=2).verdict, Robust)


def test_instances_of_what_has_no_templates():
    result = api.check(program(SB.replace("*", "")), model="tso", instances=2)
    assert "no thread of the program runs in any number of copies" in result.warnings[-1]
    assert result.copies == ()
    with pytest.raises(ValueError, match="at least 1, not 0"):
        api.check(program(SB), model="tso", instances=0)


def test_nothing_takes_a_template_for_a_thread():
    sb = program(SB)
    with pytest.raises(NotAnInstanceError):
        to_core(sb, None)
    with pytest.raises(NotAnInstanceError):
        all_paths(sb, Unrolling())
    with pytest.raises(ValueError, match="any number of threads of left run"):
        initial_state(sb.threads[0])
    for model in MODELS.values():
        with pytest.raises(Exception, match="any number of threads of left run"):
            model.prepare(sb)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (SearchOptions(max_states=10), "the limit of 10 states was reached; no answer for any number of threads of"),
        (SearchOptions(memory=1), "the memory limit of 1 bytes was used up; no answer for any number of threads of"),
        (SearchOptions(timeout=1e-9), "the time limit of 1e-09 s was reached; no answer for any number of threads of"),
    ],
)
def test_budgets(options, reason):
    result = api.check(EXAMPLES / "rwlock.tpl", model="tso", options=options)
    assert isinstance(result.verdict, Unknown)
    assert result.verdict.reason.startswith(reason)
    assert "states of memory" in result.verdict.reason
    assert result.assertions is Answer.UNKNOWN


def test_more_copies_than_a_search_can_hold():
    """The run that the core has found is replayed then."""
    source = """
        max_value 31;
        global next;
        fn worker * { local mine; mine = FADD(next, 1, rlx, rlx); assert(mine != 20); }
    """
    for model in ("sc", "tso"):
        result = api.check(program(source), model=model)
        assert isinstance(result.verdict, Robust)
        assert result.assertions is Answer.FAIL
        assert result.copies == (("worker", 21),)
        assert result.assertion_witness is not None
        assert result.assertion_witness.headline.endswith("of thread worker#21")


def test_attacks_with_more_copies_than_a_search_can_hold():
    source = """
        max_value 31;
        global next, x, y;
        fn worker * {
            local mine, seen;
            mine = FADD(next, 1, rlx, rlx);
            if (mine == 19) { x.store(1, rlx); seen = y.load(rlx); }
            if (mine == 20) { y.store(1, rlx); seen = x.load(rlx); }
        }
    """
    result = api.check(program(source), model="tso")
    assert isinstance(result.verdict, NotRobust)
    [(_, copies)] = result.copies
    assert copies >= 21
    assert len(result.program.threads) == copies
    assert result.verdict.witness.attack is not None


@pytest.mark.parametrize("seed", range(60))
def test_runs_of_the_core_are_replayed(seed, monkeypatch):
    """As if no instance could be searched."""
    monkeypatch.setattr(examples, "_SECONDS", -1.0)
    searched = random_template_program(seed, most_threads=3)
    for notion in (Notion.ROBUST, Notion.TRIANGULAR):
        result = templates_engine.check_program(searched, model="tso", notion=notion)
        for witness in (getattr(result.verdict, "witness", None), result.assertion_witness):
            if witness is not None:
                assert witness.copies == result.copies
                assert witness.schedule


def test_more_templates_than_a_search_can_hold():
    function = "fn t{} * {{ local r; x.store(1); r = x.load(); assert(r == 1); }}\n"
    result = api.check(program("global x;\n" + "".join(map(function.format, range(9)))), model="tso")
    assert result.verdict == Unknown(
        "at most 16 threads are supported, of which each of any number counts for two, not 18"
    )


def test_values_that_leave_their_range():
    growing = "thread t *\ninitial q0\ntransition q0 q1 read r 0\ntransition q1 q2 write + r 1 0\n"
    growing += "transition q2 q3 read s 1\nend\nthread u\ninitial q0\ntransition q0 q1 write 1 1\nend\n"
    result = api.check(program(growing, "p.txt"), model="tso")
    assert isinstance(result.verdict, Unknown | NotRobust)
    if isinstance(result.verdict, Unknown):
        assert "leaves them" in result.verdict.reason


# Reports and the command line


def test_reports_can_be_saved_and_read(fencepost, tmp_path):
    (tmp_path / "sb.tpl").write_text(SB)
    code, out, _ = fencepost("check", "sb.tpl", "--model", "tso", "--format", "json")
    assert code == 1
    data = json.loads(out)
    assert data["program"]["copies"] == [{"thread": "left", "count": 1}]
    assert data["program"]["templates"] == []
    (tmp_path / "report.json").write_text(out)
    _, shown, _ = fencepost("check", "sb.tpl", "--model", "tso")
    _, again, _ = fencepost("explain", "report.json")
    assert [line for line in shown.splitlines() if " s, " not in line] == [
        line for line in again.splitlines() if " s, " not in line
    ]


def test_saved_reports_of_templates(fencepost, tmp_path):
    (tmp_path / "lock.tpl").write_text(LOCK)
    _, out, _ = fencepost("check", "lock.tpl", "--model", "tso", "--format", "json")
    data = json.loads(out)
    assert data["program"]["templates"] == ["worker"]
    [result] = read_saved(out)
    assert result.program.templates == (0,)
    data["program"]["source"] = None
    [outline] = read_saved(json.dumps(data))
    assert outline.program.templates == (0,)
    data["program"]["copies"] = [{"thread": "worker", "count": -1}]
    (tmp_path / "bad.json").write_text(json.dumps(data))
    code, _, err = fencepost("explain", "bad.json")
    assert code == 3
    assert "copies[0].count: expected 0 to 1024" in err


def test_the_command_line(fencepost, tmp_path):
    (tmp_path / "sb.tpl").write_text(SB)
    code, out, _ = fencepost("check", "sb.tpl", "-q")
    assert code == 2
    assert out == (
        "unknown: RC20 is not decided for any number of threads of left (TSO and SC are); `--instances N` "
        "is about N copies of each, and says nothing about more\n"
    )
    code, out, _ = fencepost("check", "sb.tpl", "-q", "--instances", "2", "--model", "sc")
    assert code == 0
    assert "only 2 of left, nothing is said about more" in out
    code, _, err = fencepost("check", "sb.tpl", "--instances", "0")
    assert code == 3
    assert "'0' is not a positive whole number" in err


def larger(name, max_value):
    """The example, with so many values that it takes long."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    return text.replace("max_value 3;", f"max_value {max_value};")


def test_ctrl_c_ends_with_what_is_known(tmp_path):
    (tmp_path / "slow.tpl").write_text(larger("ticket-wraps.tpl", 127), encoding="utf-8")
    process = start("check", str(tmp_path / "slow.tpl"), "--model", "sc", "-q")
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (2, "")
    assert re.fullmatch(
        r"unknown: interrupted; no \S.* for any number of threads of worker after [\d,]+ states of memory and .*\n", out
    )


def test_what_is_known_when_only_assertions_are_open():
    slow = program(larger("ticket-wraps.tpl", 31))
    result = api.check(slow, model="tso", options=SearchOptions(max_states=50_000))
    assert isinstance(result.verdict, Robust)
    assert result.assertions is Answer.UNKNOWN
    assert result.warnings[-1].startswith("the limit of 50,000 states was reached; no failing assertion for any number")
    under_sc = api.check(slow, model="sc", options=SearchOptions(max_states=50_000))
    assert isinstance(under_sc.verdict, Unknown)


def test_other_verbs_refuse_templates(fencepost):
    code, out, _ = fencepost("litmus", EXAMPLES / "spinlock.tpl")
    assert code == 2
    assert out.startswith("spinlock under RC20: unknown: any number of threads of worker: this is not one program but")
    _, out, _ = fencepost("compare", EXAMPLES / "spinlock.tpl")
    assert "any number of threads of worker: this is not one program but many" in " ".join(out.split())


def test_the_same_program_twice_gives_the_same_answer():
    one = api.check(EXAMPLES / "rwlock.tpl", model="tso")
    other = api.check(EXAMPLES / "rwlock.tpl", model="tso")
    assert replace(one, statistics=other.statistics) == other


def test_an_instance_of_a_proved_lock_is_robust():
    for each in (1, 2, 3):
        assert isinstance(api.check(instances(program(LOCK), each), model="tso").verdict, Robust)
