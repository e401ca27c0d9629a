"""The questions about TSO on the command line: which model, which property, which values; and what is said of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.tso_families import filter_lock

from fencepost.cli.main import main
from fencepost.fences import synthesis

SB = """\
thread t1
initial q0
transition q0 q1 write 1 0
transition q1 q2 read r 1
end
thread t2
initial q0
transition q0 q1 write 1 1
transition q1 q2 read r 0
end
"""
TRIANGLE = SB.replace("transition q1 q2 read r 0\n", "")
GROWING = """\
thread t1
initial q0
transition q0 q1 read r 0
transition q1 q0 write + r 1 0
end
thread t2
initial q0
transition q0 q1 write 1 1
transition q1 q2 read r 0
end
"""
TPL = """\
global x, y;
fn left { local r; x.store(1, rlx); r = y.load(rlx); }
fn right { local r; y.store(1, rlx); r = x.load(rlx); }
"""
FILES = {"sb.txt": SB, "triangle.txt": TRIANGLE, "growing.txt": GROWING, "sb.tpl": TPL}


@pytest.fixture
def fencepost(capsys, tmp_path, monkeypatch):
    """Calls fencepost in a folder with some programs; returns exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    def call(*arguments):
        code = main(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_automata_are_checked_against_tso(fencepost):
    code, out, err = fencepost("check", "sb.txt")
    assert (code, err) == (1, "")
    assert out.startswith("NOT robust: the load of [1] in line 4 may overtake the store to [0] in line 3")
    assert "  model    TSO, against SC\n" in out
    assert "[0] = 1 leaves the store buffer" in out


def test_tpl_is_checked_against_tso_if_asked(fencepost):
    code, out, _ = fencepost("check", "--model", "tso", "sb.tpl")
    assert code == 1
    assert "  model    TSO, against SC\n" in out
    assert "  model    RC20, against SC\n" in fencepost("check", "sb.tpl")[1]
    assert "  model    TSO, against SC\n" in fencepost("check", "--property", "trf", "sb.tpl")[1]


def test_triangular_races(fencepost):
    assert fencepost("check", "triangle.txt")[0] == 0
    code, out, _ = fencepost("check", "--property", "trf", "triangle.txt", "-q")
    assert code == 1
    assert out == (
        "NOT free of triangular races: the load of [1] in line 4 may overtake the store to [0] in line 3, "
        "and the store to [1] in line 8 changes what it reads\n"
    )
    code, out, _ = fencepost("fence", "--property", "trf", "triangle.txt")
    assert code == 0
    assert "put mfence before everything that leaves state q1" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--model", "rc20", "--property", "trf"),
            "error: rc20 is not checked for the property trf\nhint: known for rc20",
        ),
        (("--observational", "--property", "trf"), "--observational and --property trf are two different questions"),
        (("--buffer", "3"), "--buffer bounds the store buffers\nhint: it needs --property state"),
        (("--property", "observational"), "sb.txt: error: tso is not checked for the property observational"),
        (
            ("--property", "tfr"),
            "there is no property 'tfr'; known are robust, observational, state, trf (did you mean trf?)",
        ),
    ],
)
def test_questions_that_nobody_answers(fencepost, arguments, message):
    code, out, err = fencepost("check", "sb.txt", *arguments)
    assert (code, out) == (3, "")
    assert message in err


@pytest.mark.parametrize("value", ["+ r 1", "* + r 2 + r 2", "- r 1"])
def test_values_that_grow_without_bound(fencepost, tmp_path, value):
    """More and more of them are followed, up to a limit."""
    (tmp_path / "growing.txt").write_text(GROWING.replace("+ r 1", value))
    code, out, _ = fencepost("check", "growing.txt", "-q")
    assert code == 2
    pattern = (
        r"unknown: values from (\S+) to (\d+) were followed, and no violation was found, but thread t1 leaves them at "
        r"line 4 \(a larger range: --values N\)\n"
    )
    match = re.fullmatch(pattern, out)
    assert match
    assert int(match[2]) > 1000
    assert (int(match[1]) < 0) is ("-" in value)


def test_the_range_of_values_can_be_said(fencepost):
    assert "values from 0 to 30 were followed" in fencepost("check", "growing.txt", "-q", "--values", "30")[1]


def test_values_are_c_ints(fencepost, tmp_path):
    (tmp_path / "large.txt").write_text(
        SB.replace(" 1 ", " 2147483647 ", 1).replace("write 1 1", "write -2147483648 1")
    )
    code, out, _ = fencepost("check", "large.txt")
    assert code == 1
    assert "[0] = 2147483647 leaves the store buffer" in out


def test_values_are_followed_as_far_as_they_go(fencepost, tmp_path):
    """A bound that only a run shows: from 5 down to -20, in a loop that no analysis understands."""
    text = """\
thread t1
initial a
transition a b write 5 0
transition b c read r 0
transition c d check > r -20
transition c e check <= r -20
transition d b write - r 1 0
transition e f write 1 1
transition f g read s 2
end
thread t2
initial a
transition a b write 1 2
transition b c read s 1
end
"""
    (tmp_path / "falling.txt").write_text(text)
    code, out, _ = fencepost("fence", "falling.txt")
    assert code == 0
    assert out.startswith("repaired: 2 changes")


def test_an_address_that_is_no_memory(fencepost, tmp_path):
    text = """\
memory_size 4
thread t1
initial a
transition a b read p 3
transition b c write + p 1 3
transition b a write 1 + p 2
transition c a read r 0
end
thread t2
initial a
transition a b write 1 0
end
"""
    (tmp_path / "far.txt").write_text(text)
    code, out, _ = fencepost("check", "far.txt", "-q", "--values", "5")
    assert code == 2
    assert "but thread t1 leaves them at line 6, or the memory, which is at the addresses 0 to 3 (a larger range" in out
    assert "more memory: memory_size N in the program)" in out


def test_time_limits_of_repairs(fencepost, tmp_path):
    (tmp_path / "filter.txt").write_text(filter_lock(4))
    code, out, _ = fencepost("fence", "filter.txt", "-q", "--timeout", "0.02")
    assert (code, out) == (
        2,
        "unknown: the time limit of 0.02 s was reached before a repair was found that is sure to be cheapest\n",
    )


def test_states_that_threads_come_to(fencepost, tmp_path):
    text = SB.replace("read r 1\n", "read r 1\ntransition q2 q3 check == r 0\ntransition q3 q4 write 1 2\n")
    text = text.replace(
        "read r 0\n",
        "read r 0\ntransition q2 q3 check == r 0\ntransition q3 q4 read s 2\ntransition q4 q5 check == s 1\n",
    )
    (tmp_path / "both.txt").write_text(text)
    (tmp_path / "two.txt").write_text(SB.replace("q0 q1 write 1 0", "q0 q write 1 2\ntransition q q1 write 1 0"))
    code, out, _ = fencepost("check", "two.txt", "--property", "state", "--buffer", "1", "-q")
    assert code == 2
    assert out.endswith("store buffers of at most one store, but some would hold more (--buffer N allows more)\n")
    code, out, _ = fencepost("check", "two.txt", "--property", "state", "-q")
    assert code == 0
    assert out.endswith("with any store buffers: none ever holds more than 2 stores)\n")
    code, out, _ = fencepost("check", "both.txt", "--property", "state", "-q")
    assert (code, out) == (1, "NOT robust: thread t2 comes to state q5, where it never comes under SC\n")
    assert fencepost("fence", "both.txt", "--property", "state")[0] == 3
    for format in ("json", "svg", "html", "sarif"):
        code, out, _ = fencepost("check", "both.txt", "--property", "state", "--format", format)
        assert code == 1
        assert "t2" in out


def test_printing_in_another_language(fencepost, tmp_path: Path):
    code, out, err = fencepost("print", "sb.tpl")
    assert (code, err) == (0, "")
    (tmp_path / "printed.txt").write_text(out)
    assert fencepost("check", "printed.txt")[0] == 1
    assert fencepost("print", "sb.tpl", "--as", "tpl", "-o", "again.tpl")[0] == 0
    assert fencepost("check", "again.tpl")[0] == 1
    code, _, err = fencepost("print", "sb.txt", "--as", "tpl")
    assert code == 3
    assert "sb.txt: error: TPL has only values that wrap around" in err


def test_values_of_tpl_are_not_for_the_command_line_to_say(fencepost):
    code, _, err = fencepost("check", "sb.tpl", "--values", "30")
    assert code == 3
    assert "sb.tpl: error: its values are 0 to 1 and wrap around" in err or "its values are 0 to 255" in err


def test_patched_automata(fencepost, tmp_path: Path):
    code, out, _ = fencepost("fence", "sb.txt", "-o", "fixed.txt")
    assert code == 0
    assert out.startswith("repaired: 2 changes, cost 2, and no cheaper repair exists\n")
    assert (tmp_path / "fixed.txt").read_text() == SB.replace(
        "transition q1 q2 read", "transition q1 q1_fenced mfence\ntransition q1_fenced q2 read"
    )
    assert fencepost("check", "fixed.txt")[0] == 0


def test_costs_of_states(fencepost, tmp_path: Path):
    (tmp_path / "costs.txt").write_text("t1:q1 7  # dear\n* mfence 2\nt2:q2 3\n")
    code, out, err = fencepost("fence", "sb.txt", "--cost", "costs.txt", "--format", "json", "--count")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert [(change["thread"], change["state"], change["cost"]) for change in report["changes"]] == [
        ("t1", "q1", 2),  # the last line that is about it
        ("t2", "q1", 2),
    ]
    assert (report["cost"], report["optimal_repairs"]) == (4, 1)
    assert report["warnings"] == [
        "costs.txt: nothing can be changed at the place of line 3",
        "costs.txt: line 1 is about places that later lines are about as well, and these count",
    ]
    (tmp_path / "costs.txt").write_text("* fence 2\n")
    code, _, err = fencepost("fence", "sb.txt", "--cost", "costs.txt")
    assert code == 3
    assert "costs.txt:1:1: error: there is no kind of change 'fence'; possible here are mfence" in err


def test_repairs_pass_on_what_is_strange_about_a_program(fencepost, tmp_path: Path):
    (tmp_path / "odd.txt").write_text(SB.replace("initial q0", "initial start", 1))
    code, out, _ = fencepost("fence", "odd.txt")
    assert code == 0
    assert "nothing leads to 'q0' (line 3), 'q1' (line 4), so what leaves there is never taken" in " ".join(out.split())


def test_a_repair_is_told_although_counting_takes_too_long(fencepost, monkeypatch):
    monkeypatch.setattr(synthesis.Synthesis, "count", lambda self, cost, most: synthesis.GivenUp("too long"))
    code, out, _ = fencepost("fence", "sb.txt", "--count", "--format", "json")
    assert code == 0
    report = json.loads(out)
    assert (report["outcome"], report["cost"], report["optimal_repairs"]) == ("repaired", 2, None)
    assert report["warnings"] == ["how many cheapest repairs there are is not known: too long"]


def test_repairs_follow_the_values_that_were_asked_for(fencepost, tmp_path: Path):
    counting = """\
thread a
initial q0
transition q0 q0 local r + r 1
transition q0 q1 check == r 300
transition q1 q2 write r 0
transition q2 q3 read s 1
end
thread b
initial q0
transition q0 q1 write 1 1
transition q1 q2 read s 0
transition q2 q3 check > s 250
transition q3 q3 local s + s 1
end
"""
    (tmp_path / "counting.txt").write_text(counting)
    code, out, _ = fencepost("fence", "counting.txt", "--values", "100", "-q")
    assert code == 2
    assert out.startswith("unknown: values from 0 to 100 were followed")
    code, out, _ = fencepost("fence", "counting.txt", "--values", "400", "-q")
    assert (code, out) == (0, "repaired: 2 changes, cost 2, and no cheaper repair exists\n")
