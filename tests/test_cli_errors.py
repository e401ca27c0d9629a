"""What a user reads who asked for something that cannot be done: one message, what would be right, and exit code 3."""

import os
import re
import stat

import pytest
from support.cli import start, write
from support.tpl import MP, SB

from fencepost import api
from fencepost.cli.exits import MEANING, worst
from fencepost.verdict.replay import ReplayError


def assert_one_message(code, out, err):
    assert (code, out) == (3, "")
    assert err.count("error: ") == 1
    assert "Traceback" not in err


# Programs


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "a.tpl: error: the file is empty\n"),
        (" \n\t\n", "a.tpl: error: the file is empty\n"),
        (
            "global x;\n",
            "a.tpl: error: there is no thread in this program\nhint: a thread is written fn name { ... }\n",
        ),
        (
            "global x;\nfn t {\n  x.store(1 rlx);\n}\n",
            "a.tpl:3:13: error: expected ')' at the end of this store, found 'rlx'\n"
            "      x.store(1 rlx);\n                ^\n",
        ),
        (
            "global x;\nfn t {\n  y.store(1);\n}\n",
            "a.tpl:3:3: error: there is no shared location 'y'\n      y.store(1);\n      ^\n",
        ),
        (
            "max_value 7; global x = 9; fn t { x.store(1); }",
            "a.tpl:1:25: error: 9 is not a value of this program: values are 0 to 7\n",
        ),
        ("global x;\nfn t { goto nowhere; }\n", "a.tpl:2:13: error: there is no label 'nowhere' in this function\n"),
        (b"global x;\n\xff\xfe", "a.tpl:2:1: error: byte 0xff is not UTF-8 text\n"),
        (bytes(range(256)), "a.tpl:"),
    ],
)
def test_what_is_no_program(fencepost, source, message):
    result = fencepost("check", write("a.tpl", source))
    assert_one_message(*result)
    assert result[2].startswith(message)


def test_files_that_are_not_there_or_not_known(fencepost):
    result = fencepost("check", "missing.tpl")
    assert_one_message(*result)
    assert result[2] == "missing.tpl: error: cannot read the file: No such file or directory\n"
    result = fencepost("check", write("words.xyz", "some words"))
    assert_one_message(*result)
    assert result[2].startswith(
        "words.xyz: error: cannot tell which language this is\nhint: known languages: tpl (.tpl)"
    )
    os.mkdir("folder")
    result = fencepost("check", "folder")
    assert_one_message(*result)
    assert result[2].startswith("error: no programs in the folder folder\nhint: they end in ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(fencepost):
    os.chmod(write("secret.tpl", MP), 0)
    result = fencepost("check", "secret.tpl")
    assert_one_message(*result)
    assert result[2] == "secret.tpl: error: cannot read the file: Permission denied\n"


def test_a_message_cannot_steer_the_terminal(fencepost):
    result = fencepost("check", write("a.tpl", "global \x1b[31mx;\nfn t { }\n"))
    assert_one_message(*result)
    assert "\x1b" not in result[2]


@pytest.mark.parametrize(
    ("source", "warning"),
    [
        ("global x; fn t { } fn u { x.store(1); }", "thread t does nothing"),
        ("global x; fn t { assume(0); x.store(1); }", "line 1: thread t ends before it has begun: 0 is false"),
        (
            "global x; fn t { local r; r = wait(x, 5); }",
            "line 1: thread t never gets on: x == 5 is never true",
        ),
        ("global l = 1;\nfn t { lock(l); }", "line 2: thread t never gets on: l is never 0"),
        ("max_value 7; global x; fn t { x.store(12); }", "line 1: 12 is outside the values 0 to 7 and becomes 4"),
        (
            "max_value 7; global x; fn t { local r; r = x.load(); assert(r != 8); }",
            "line 1:54: nothing is ever equal to 8: values are 0 to 7",
        ),
    ],
)
def test_what_has_a_meaning_that_is_hardly_meant(fencepost, source, warning):
    code, out, _ = fencepost("check", write("a.tpl", source))
    assert code == 0
    assert f"\nwarning: {warning}\n" in out


# Command lines


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("chek a.tpl", "error: there is no verb 'chek'\nhint: did you mean check?\n"),
        ("--colour", "error: there is no option '--colour'\n"),
        ("check", "error: the following arguments are required: FILE\nhint: fencepost check --help shows"),
        ("check a.tpl --modell ra", "error: unrecognized arguments: --modell ra\nhint: did you mean --model?\n"),
        ("check a.tpl --model", "error: argument --model: expected one argument\n"),
        ("check a.tpl --model rc2", "error: argument --model: there is no model 'rc2'; known are rc20, "),
        ("check a.tpl --model rc2", "(did you mean rc20?)"),
        ("check a.tpl --against foo", "error: argument --against: there is no model to compare with 'foo'; known are "),
        (
            "check a.tpl --format jsn",
            "there is no format 'jsn'; known are text, json, sarif, svg, html (did you mean json?)",
        ),
        ("check a.tpl --busy-waits never", "there is no treatment of busy waits 'never'; known are block, keep"),
        ("check a.tpl --no-reduction symetry", "compress (did you mean symmetry?)\n"),
        ("check a.tpl --color yes", "there is no choice 'yes'; known are auto, always, never"),
        ("check a.tpl --jobs 0", "error: argument --jobs: '0' is not a positive whole number\n"),
        ("check a.tpl --max-states -1", "'-1' is not a positive whole number\n"),
        ("check a.tpl --timeout soon", "'soon' is not a length of time, like 30 (seconds), 10m or 2h\n"),
        ("check a.tpl --memory lots", "'lots' is not an amount of memory, like 4G or 512M\n"),
        ("check a.tpl b.tpl --format svg", "error: a picture shows one program\nhint: name one file,"),
        ("models rc2", "error: there is no model 'rc2'\nhint: did you mean rc20?\n"),
        ("explain robst", "error: there is no topic, model or report 'robst'\nhint: did you mean robust?\n"),
        ("explain nothing-like-it", "\nhint: topics are robust, "),
    ],
)
def test_wrong_usage(fencepost, line, message):
    result = fencepost(*line.split())
    assert_one_message(*result)
    assert message in result[2]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nowhere/report.txt", "error: cannot write to nowhere/report.txt: No such file or directory\n"),
        (".", "error: cannot write to .: it is a directory\n"),
        ("a\0b", "error: cannot write to a\\u0000b: embedded null byte\n"),
    ],
)
def test_reports_that_cannot_be_written_are_refused_before_the_search(fencepost, monkeypatch, target, message):
    monkeypatch.setattr(api, "check", lambda *arguments, **options: pytest.fail("searched"))
    result = fencepost("check", write("mp.tpl", MP), "-o", target)
    assert_one_message(*result)
    assert result[2] == message


def test_a_report_that_could_not_be_written_after_all_is_shown(fencepost, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    code, out, err = fencepost("check", write("mp.tpl", MP), "-o", "report.txt")
    assert code == 3
    assert out.startswith("robust: ")
    assert err == "error: cannot write to report.txt: No space left on device; the report is on standard output\n"
    assert os.listdir() == ["mp.tpl"], "no temporary file is left"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_standard_output_that_is_full(tmp_path):
    with open("/dev/full", "w", encoding="utf-8") as full:
        process = start("check", write(str(tmp_path / "mp.tpl"), MP), stdout=full)
        err = process.communicate(timeout=60)[1]
    assert (process.returncode, err) == (3, "error: cannot write to standard output: No space left on device\n")


def test_a_reader_who_has_had_enough(tmp_path):
    process = start("check", write(str(tmp_path / "sb.tpl"), SB))
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 141


# Errors of fencepost itself


def test_a_witness_that_does_not_replay(fencepost, monkeypatch):
    def unconfirmed(*arguments):
        raise ReplayError("thread right has no stale-access after the schedule")

    monkeypatch.setattr("fencepost.verdict.replay.witness", unconfirmed)
    write("sb.tpl", SB)
    code, out, err = fencepost("check", "sb.tpl")
    assert (code, out) == (4, "")
    assert err.startswith(
        "sb.tpl: error: fencepost itself went wrong: ReplayError: thread right has no stale-access after the schedule\n"
        "hint: the answer is unknown, not robust; please report this, with the command line and the file and this "
        "line: fencepost "
    )
    assert re.search(r", test_cli_errors\.py:\d+$", err), "where it happened"
    assert "Traceback" not in err


def test_other_files_are_checked_after_an_internal_error(fencepost, monkeypatch):
    import json

    def unconfirmed(*arguments):
        raise ReplayError("no")

    monkeypatch.setattr("fencepost.verdict.replay.witness", unconfirmed)
    code, out, _ = fencepost("check", write("sb.tpl", SB), write("mp.tpl", MP), "--format", "json")
    failed, fine = json.loads(out)
    assert code == 4
    assert failed["error"] == {
        "kind": "internal",
        "message": "ReplayError: no",
        "line": None,
        "column": None,
        "hint": None,
    }
    assert fine["verdict"] == "robust"


def test_an_error_outside_of_any_file(fencepost, monkeypatch):
    def broken(*arguments):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr("fencepost.cli.models.describe", broken)
    code, out, err = fencepost("models")
    assert (code, out) == (4, "")
    assert err.startswith("error: fencepost itself went wrong: RuntimeError: two lines\nhint: ")


def test_the_worst_exit_code_is_the_one_that_needs_attention_most():
    assert [worst(codes) for codes in ([], [0, 0], [0, 2], [2, 1], [1, 3], [3, 4, 0])] == [0, 0, 2, 1, 3, 4]
    assert sorted(MEANING) == [0, 1, 2, 3, 4]


def test_a_device_is_written_to_and_not_replaced(fencepost):
    code, out, err = fencepost("check", write("mp.tpl", MP), "-o", os.devnull)
    assert (code, out, err) == (0, "", "")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
