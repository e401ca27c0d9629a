"""The text report: what a person reads for each kind of answer."""

import re
from dataclasses import replace

import pytest
from support import results

from fencepost.program.form import Location
from fencepost.reports import FORMATS, render, renderer
from fencepost.reports.style import COLOUR
from fencepost.reports.text import WIDTH, verdict_only
from fencepost.reports.text import render as render_text
from fencepost.reports.words import safety
from fencepost.verdict.types import Answer, Notion, NotRobust, Robust, Unknown

SB = """\
NOT robust: thread right may read x = 0, although x = 1 was written before under SC
  what holds under SC need not hold under RC20

  program  sb.tpl (2 threads)
  model    RC20, against SC
  notion   robustness (every execution must be one of SC)

An execution that RC20 allows and SC forbids
   step  thread  line  source            what happens
      1  left       3  x.store(1, rlx);  writes x = 1
      2  left       4  a = y.load(rlx);  reads y = 0
      3  right      7  y.store(1, rlx);  writes y = 1
>     4  right      8  a = x.load(rlx);  may read x = 0, a stale value; SC has 1

Why SC forbids it: these steps would come in a circle
  - line 8 (right) reads x = 0, before line 3 (left) writes x = 1
  - line 3 (left) comes before line 4 in its thread
  - line 4 (left) reads y = 0, before line 7 (right) writes y = 1
  - line 7 (right) comes before line 8 in its thread

Why RC20 allows it
  - line 4 (thread left) reads y before line 7 (thread right) writes it, which orders nothing

What would forbid this execution (then check again)
  - line 4, thread left: put fence(seq_cst) before this load:  a = y.load(rlx);
    and line 8, thread right: put fence(seq_cst) before this load:  a = x.load(rlx);

1,234 states, 3,456 transitions, 0.25 s, 3.0 MiB, 2 workers
"""

ROBUST = """\
robust: under RC20 the program has only executions of SC (all reachable states)
  robust, and no assertion fails: safe under RC20

  program  assertion.tpl (2 threads)
  model    RC20, against SC
  notion   robustness (every execution must be one of SC)

1,234 states, 3,456 transitions, 0.25 s, 3.0 MiB, 2 workers
"""

UNKNOWN = """\
unknown: the time limit of 10 s was reached after 1234 states, at depth 17
  an unknown answer is not a robust one

  program  sb.tpl (2 threads)
  model    RC20, against SC
  notion   robustness (every execution must be one of SC)

1,234 states, 3,456 transitions, 0.25 s, 3.0 MiB, 2 workers
"""

ASSERTION = """\
robust, but an assertion fails under SC: the assertion a == 0 in thread q is false
  under RC20 the program has only executions of SC (all reachable states), so the assertion fails under RC20 exactly
  as under SC

  program  assertion.tpl (2 threads)
  model    RC20, against SC
  notion   robustness (every execution must be one of SC)

How the assertion fails under SC
   step  thread  line  source            what happens
      1  p          2  x.store(1, rlx);  x.store(1, rlx) writes 1
      2  q          5  a = x.load(rlx);  a = x.load(rlx) reads 1
>     3  q          6  assert(a == 0);   assert(a == 0) fails

1,234 states, 3,456 transitions, 0.25 s, 3.0 MiB, 2 workers
"""


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (results.sb, SB),
        (results.robust, ROBUST),
        (results.unknown, UNKNOWN),
        (results.failing_assertion, ASSERTION),
    ],
)
def test_whole_reports(make, expected):
    assert render(make()) == expected


def test_race():
    lines = render(results.race()).splitlines()
    assert lines[0].startswith("NOT robust: data race: threads p and q race on d: line 2 writes it and line 5 reads it")
    assert lines[1] == "  a program with a data race has no meaning under RC20, whatever its assertions say"


def test_deadlock_busy_waits_and_warnings():
    text = render(results.deadlock())
    assert "Deadlock under SC: thread q waits for l = 0 for ever" in text
    assert "\n     1  p          2  lock(l);  BCAS(l, 0, 1) succeeds\n" in text, "what led to the deadlock"
    assert ">" not in text, "no step of a deadlock is at fault"
    assert "Busy waits, treated as blocking waits\n  - line 5, thread q: load of l until l == 0\n" in text
    assert "\nwarning: the file expects: not robust under rc20, line 1; the answer is robust\n" in text


def test_observational_notion_is_named():
    assert "notion   observational robustness (reads that SC does not have" in render(results.mp())
    robust = replace(results.robust(), notion=Notion.OBSERVATIONAL)
    assert render(robust).startswith("robust: under RC20 the program observes only what it can observe under SC")


def answers(verdict, assertions, **fields):
    subject = fields.pop("program", results.asserting_program())
    return results.result(subject, verdict, assertions=assertions, **fields)


ROBUSTLY, BROKEN, OPEN = Robust("all states"), NotRobust(results.sb_witness()), Unknown("time is up")


@pytest.mark.parametrize(
    ("verdict", "assertions", "line", "safe"),
    [
        (ROBUSTLY, Answer.HOLD, "robust, and no assertion fails: safe under RC20", Answer.HOLD),
        (ROBUSTLY, Answer.FAIL, "under RC20 the program has only executions of SC", Answer.FAIL),
        (ROBUSTLY, Answer.UNKNOWN, "robust, but whether an assertion fails under SC is not known", Answer.UNKNOWN),
        (BROKEN, Answer.HOLD, "no assertion fails under SC; that says nothing about RC20", Answer.FAIL),
        (BROKEN, Answer.FAIL, "an assertion fails already under SC", Answer.FAIL),
        (BROKEN, Answer.UNKNOWN, "what holds under SC need not hold under RC20", Answer.FAIL),
        (OPEN, Answer.HOLD, "no assertion fails under SC; about RC20 nothing is known", Answer.UNKNOWN),
        (OPEN, Answer.FAIL, "what fails under SC fails under RC20", Answer.FAIL),
        (OPEN, Answer.UNKNOWN, "an unknown answer is not a robust one", Answer.UNKNOWN),
    ],
)
def test_what_the_answers_mean_together(verdict, assertions, line, safe):
    result = answers(verdict, assertions)
    assert render(result).splitlines()[1].startswith("  " + line)
    assert safety(result) is safe


def test_a_program_without_assertions_is_not_said_to_have_passed_them():
    result = answers(ROBUSTLY, Answer.HOLD, program=results.sb_program())
    assert "robust: what holds under SC holds under RC20 (the program itself asserts nothing)" in render(result)


def test_undecided_races_matter_only_where_there_can_be_some():
    result = answers(ROBUSTLY, Answer.HOLD, races=Answer.UNKNOWN)
    assert safety(result) is Answer.HOLD
    plain = replace(result.program, locations=(Location("x"), Location("d", atomic=False)))
    assert safety(replace(result, program=plain)) is Answer.UNKNOWN
    assert "data races were not decided" in render(replace(result, program=plain))
    assert safety(replace(result, program=plain, model="sc")) is Answer.HOLD


@pytest.mark.parametrize("verdict", [ROBUSTLY, OPEN])
def test_a_race_is_never_safe(verdict):
    assert safety(answers(verdict, Answer.HOLD, races=Answer.FAIL)) is Answer.FAIL


def test_long_lines_are_wrapped_and_sources_cut():
    witness = results.sb_witness()
    long = replace(
        witness,
        headline="a " * 200,
        trace=tuple(replace(step, effect="word " * 60) for step in witness.trace),
        reasons=("reason " * 60,),
    )
    program = results.sb_program()
    lengthy = replace(program, source=program.source.replace("(1, rlx)", "(1, rlx)" + " " * 9 + "x" * 200))
    text = render(replace(results.sb(), program=lengthy, verdict=NotRobust(long)))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "xxx..." in text
    assert text.count("word") == 4 * 60, "effects are wrapped, not cut"


def test_nothing_in_a_program_can_steer_the_terminal():
    program = results.sb_program()
    hostile = replace(
        program,
        name="\x1b[2Jsb\u202e",
        source=program.source.replace("x.store", "\x1b]0;owned\x07x.store\x9b"),
        threads=tuple(replace(thread, name="t\r\n\x1b[31m") for thread in program.threads),
    )
    text = render(replace(results.sb(), program=hostile, warnings=("odd \x1b[5m name",)))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "\\u001b]0;owned" in text


def test_colours_only_when_asked():
    assert "\x1b" not in render(results.sb())
    coloured = render_text(results.sb(), COLOUR)
    assert coloured.startswith("\x1b[1;31mNOT robust")
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == SB


@pytest.mark.parametrize(
    ("make", "start"),
    [(results.robust, COLOUR.good), (results.failing_assertion, COLOUR.bad), (results.unknown, COLOUR.doubt)],
)
def test_the_colour_says_whether_the_program_is_safe(make, start):
    assert verdict_only(make(), COLOUR).startswith(start)


def test_a_step_without_source_leaves_no_empty_columns():
    witness = results.sb_witness()
    bare = replace(witness, trace=tuple(replace(step, span=None) for step in witness.trace))
    text = render(replace(results.sb(), verdict=NotRobust(bare)))
    assert "   step  thread  what happens\n" in text


def test_formats():
    assert FORMATS == ("text", "json", "sarif", "svg", "html")
    for name in FORMATS:
        assert render(results.sb(), name) == renderer(name)(results.sb())
    with pytest.raises(ValueError, match="unknown format 'pdf'; known are text, json, sarif, svg, html"):
        renderer("pdf")
