"""fencepost check: answers, exit codes, options, several files."""

import json
import os
import xml.etree.ElementTree as ET

import pytest
from support.cli import write
from support.tpl import ASSERTION, DEADLOCK, MP, RACE, SB

from fencepost.engines.options import Reduction


@pytest.mark.parametrize(
    ("source", "code", "start"),
    [
        (SB, 1, "NOT robust: thread right may read x = 0 (the initial value) at line 8, although x = 1 (line 3,"),
        (MP, 0, "robust: under RC20 the program has only executions of SC (all 5 reachable states)"),
        (RACE, 1, "NOT robust: data race: threads p and q race on d: "),
        (ASSERTION, 1, "robust, but an assertion fails under SC: assert(a == 0) fails (a = 1), at line 7 of thread q"),
        (DEADLOCK, 0, "robust: under RC20 the program has only executions of SC"),
    ],
)
def test_answers_and_exit_codes(fencepost, source, code, start):
    result, out, err = fencepost("check", write("a.tpl", source))
    assert out.startswith(start)
    assert (result, err) == (code, "")


def test_what_the_answer_means_comes_second(fencepost):
    _, out, _ = fencepost("check", write("mp.tpl", MP))
    assert out.splitlines()[1] == "  robust, and no assertion fails: safe under RC20"
    _, out, _ = fencepost("check", write("deadlock.tpl", DEADLOCK))
    assert out.splitlines()[1].endswith("(the program itself asserts nothing); it can deadlock under SC")


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        (("--max-states", "2"), "unknown: the limit of 2 states was reached; no violation after "),
        (("--memory", "1K"), "unknown: the memory limit of 1,024 bytes was used up; no violation after "),
    ],
)
def test_limits_make_the_answer_unknown(fencepost, limit, reason):
    code, out, _ = fencepost("check", write("mp.tpl", MP), *limit)
    assert (code, out.splitlines()[1]) == (2, "  an unknown answer is not a robust one")
    assert out.startswith(reason)


def test_the_model_decides(fencepost):
    relaxed = write("mp.tpl", MP.replace("rel)", "rlx)"))
    assert fencepost("check", relaxed)[0] == 1
    assert fencepost("check", relaxed, "--model", "ra")[0] == 0
    assert fencepost("check", relaxed, "--model", "rlx")[0] == 1, "another name of rc20"
    code, out, _ = fencepost("check", "--model", "sc", write("assertion.tpl", ASSERTION))
    assert code == 1
    assert out.startswith("robust, but an assertion fails under SC")


def test_observational_robustness_is_asked_for(fencepost):
    file = write("sb.tpl", SB)
    assert fencepost("check", file)[0] == 1
    code, out, _ = fencepost("check", file, "--observational")
    assert code == 0
    assert "under RC20 the program observes only what it can observe under SC" in out
    used = write("used.tpl", SB.replace("load(rlx);", "load(rlx); verify(a);"))
    code, out, _ = fencepost("check", "--observational", used)
    assert code == 1
    assert out.startswith("NOT robust: line 8:20 of thread right uses a stale value: line 8:3 may have read x = 0")


# The load of x may see the old value a few times more, which does no harm if it only waits.
SPIN = """\
global x, y;
fn a { local r; x.store(1, rlx); r = y.load(rlx); }
fn b { local r; y.store(1, rlx); again: r = x.load(rlx); if (r != 1) goto again; }
"""


def test_busy_waits_block_or_are_kept(fencepost):
    file = write("spin.tpl", SPIN)
    code, out, _ = fencepost("check", file)
    assert code == 0
    assert "Busy waits, treated as blocking waits\n  - line 3:41, thread b: load of x until r == 1\n" in out
    code, out, _ = fencepost("check", file, "--busy-waits", "keep")
    assert code == 1
    assert "Busy waits" not in out
    assert "kept as" not in out, "nobody needs to be told what they asked for"
    code, out, _ = fencepost("check", write("marked.tpl", f"// ROBUSTNESS egr: not: rlx.\n{SPIN}"))
    assert code == 1
    assert "warning: 1 busy wait was kept as a loop (line 4), as the file announces verdicts; " in out


def test_a_file_that_announces_verdicts_is_checked_as_it_stands(fencepost):
    write("marked.tpl", f"// ROBUSTNESS egr: robust: ra, rlx.\n{SB}")
    code, out, _ = fencepost("check", "marked.tpl")
    assert code == 1
    assert "warning: the file expects: robust under rlx, line 1; the answer is not robust" in out
    _, out, _ = fencepost("check", "marked.tpl", "-q")
    assert out.endswith("comes first under SC (not what the file expects)\n")
    _, out, _ = fencepost("check", "marked.tpl", "marked.tpl", "-q")
    assert out.splitlines()[-1] == "1 programs: 1 NOT robust; 1 not as the file expects"


# While they wait, both may still read 0, as in a store buffer.
BARRIER = """\
global x, y;
fn a { local r; x.store(1); again: r = y.load(); if (r != 1) goto again; }
fn b { local r; y.store(1); again: r = x.load(); if (r != 1) goto again; }
"""


def test_a_file_that_announces_a_verdict_in_the_old_form_is_checked_as_it_stands(fencepost):
    code, out, _ = fencepost("check", "--model", "ra", write("plain.tpl", BARRIER))
    assert code == 0, "busy waits block"
    code, out, _ = fencepost("check", "--model", "ra", write("not.tpl", f"// NOTROBUST\n{BARRIER}"))
    assert code == 1
    assert "the file expects" not in out
    code, out, _ = fencepost("check", "--model", "ra", write("robust.tpl", f"// ROBUST\n{BARRIER}"))
    assert code == 1
    assert "warning: the file expects: robust under ra, line 1; the answer is not robust" in out


@pytest.mark.parametrize("reduction", [reduction.value for reduction in Reduction])
def test_no_reduction_changes_the_answer(fencepost, reduction):
    assert fencepost("check", write("sb.tpl", SB), "--no-reduction", reduction)[0] == 1
    assert fencepost("check", write("mp.tpl", MP), "--no-reduction", reduction)[0] == 0


def test_reductions_can_be_left_out_together(fencepost):
    every = [part for reduction in Reduction for part in ("--no-reduction", reduction.value)]
    assert fencepost("check", write("mp.tpl", MP), *every)[0] == 0


def test_one_worker_finds_the_same_witness_each_time(fencepost):
    file = write("sb.tpl", SB)
    reports = [json.loads(fencepost("check", file, "--jobs", "1", "--format", "json")[1]) for _ in range(3)]
    witnesses = [report["witness"] for report in reports]
    assert witnesses[0] == witnesses[1] == witnesses[2]
    assert reports[0]["statistics"]["workers"] == 1


# Formats


def test_json(fencepost):
    code, out, _ = fencepost("check", "--format", "json", write("sb.tpl", SB))
    report = json.loads(out)
    assert (code, report["verdict"], report["program"]["file"]) == (1, "not-robust", "sb.tpl")
    assert [edge["kind"] for edge in report["witness"]["cycle"]] == ["po", "fr", "po", "fr"]


def test_json_of_several_is_an_array_that_also_holds_failures(fencepost):
    write("bad.tpl", "global x;\nfn t {\n  x.store(1 rlx);\n}\n")
    code, out, err = fencepost("check", "--format", "json", write("mp.tpl", MP), "bad.tpl", "missing.tpl")
    good, bad, missing = json.loads(out)
    assert code == 3
    assert good["verdict"] == "robust"
    assert (bad["file"], bad["error"]["kind"]) == ("bad.tpl", "input")
    assert (bad["error"]["line"], bad["error"]["column"]) == (3, 13)
    assert missing["error"]["message"] == "cannot read the file: No such file or directory"
    assert missing["error"]["line"] is None
    assert err.count("error: ") == 2


def test_json_of_one_file_that_cannot_be_read_is_a_failure(fencepost):
    code, out, _ = fencepost("check", "--format", "json", write("empty.tpl", ""))
    assert (code, json.loads(out)["error"]["message"]) == (3, "the file is empty")


def test_svg(fencepost):
    code, out, _ = fencepost("check", write("sb.tpl", SB), "--format", "svg", "-o", "sb.svg")
    assert (code, out) == (1, "")
    assert ET.parse("sb.svg").getroot().tag.endswith("svg")
    assert sorted(os.listdir()) == ["sb.svg", "sb.tpl"], "no temporary file is left"


def test_a_report_replaces_the_old_one(fencepost):
    write("report.txt", "old")
    fencepost("check", write("mp.tpl", MP), "-o", "report.txt")
    with open("report.txt", encoding="utf-8") as file:
        assert file.read().startswith("robust: ")


def test_colours_only_if_asked_for(fencepost):
    file = write("sb.tpl", SB)
    assert "\x1b" not in fencepost("check", file)[1]
    assert fencepost("check", file, "--color", "always")[1].startswith("\x1b[1;31mNOT robust")
    assert "\x1b" not in fencepost("check", file, "--color", "never")[1]


# Several files


def folder():
    os.makedirs("programs/more/.hidden")
    write("programs/b.tpl", MP)
    write("programs/a.tpl", SB)
    write("programs/more/c.tpl", ASSERTION)
    write("programs/more/notes.md", "nothing to check")
    write("programs/more/.hidden/d.tpl", SB)
    return "programs"


def test_a_folder_is_all_the_programs_in_it(fencepost):
    code, out, err = fencepost("check", folder(), "-q")
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert [line.split(":")[0] for line in lines[:-1]] == [
        "programs/a.tpl",
        "programs/b.tpl",
        "programs/more/c.tpl",
    ]
    assert lines[-1] == "3 programs: 1 NOT robust, 1 robust, 1 robust but failing"


def test_whole_reports_of_several_files_end_with_a_summary(fencepost):
    _, out, _ = fencepost("check", folder())
    assert out.count("  notion   ") == 3
    assert out.endswith("\n\n3 programs: 1 NOT robust, 1 robust, 1 robust but failing\n")


def test_a_folder_in_json_is_an_array_even_of_one(fencepost):
    os.mkdir("one")
    write("one/mp.tpl", MP)
    _, out, _ = fencepost("check", "one", "--format", "json")
    assert [report["verdict"] for report in json.loads(out)] == ["robust"]


@pytest.mark.parametrize(
    ("files", "code"),
    [
        (("mp.tpl", "empty.tpl"), 3),
        (("sb.tpl", "empty.tpl", "mp.tpl"), 3),
        (("mp.tpl", "sb.tpl"), 1),
        (("mp.tpl", "mp.tpl"), 0),
    ],
)
def test_the_exit_code_is_that_of_the_worst_file(fencepost, files, code):
    for name, source in (("mp.tpl", MP), ("sb.tpl", SB), ("empty.tpl", "")):
        write(name, source)
    result, out, _ = fencepost("check", *files)
    assert result == code
    assert out.splitlines()[-1].startswith(f"{len(set(files))} programs: ")


def test_options_may_stand_anywhere(fencepost):
    write("mp.tpl", MP)
    write("sb.tpl", SB)
    code, out, _ = fencepost("check", "mp.tpl", "-q", "sb.tpl", "--model", "ra")
    assert code == 1
    assert out.splitlines()[-1] == "2 programs: 1 robust, 1 NOT robust"
