"""fencepost fence on the command line: answers, exit codes, messages."""

import json

import pytest

from fencepost.cli.main import main

SB = """\
global x, y;
fn left { local a;
  x.store(1, rlx);
  a = y.load(rlx);
}
fn right { local a;
  y.store(1, rlx);
  a = x.load(rlx);
}
"""
RACE = "na d; fn a { d.nastore(1); } fn b { local r; r = d.naload(); }"


@pytest.fixture
def fencepost(capsys, tmp_path, monkeypatch):
    """Calls fencepost in a folder with some programs; returns exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sb.tpl").write_text(SB)
    (tmp_path / "race.tpl").write_text(RACE)

    def call(*arguments):
        code = main(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_report(fencepost):
    code, out, err = fencepost("fence", "sb.tpl", "--count")
    assert (code, err) == (0, "")
    assert out.startswith("repaired: 2 changes, cost 10, and no cheaper repair exists\n")
    assert "line 4, thread left: put fence(seq_cst) before this (cost 5):  a = y.load(rlx);" in out
    assert "cheapest repairs: 1\n" in out
    assert "+  fence(seq_cst);\n" in out
    assert "without this (line 4, thread left" in out


def test_patched_program_is_robust(fencepost):
    code, _, _ = fencepost("fence", "sb.tpl", "-o", "fixed.tpl", "-q")
    assert code == 0
    assert fencepost("check", "fixed.tpl")[0] == 0
    assert fencepost("check", "sb.tpl")[0] == 1
    code, out, _ = fencepost("fence", "fixed.tpl")
    assert code == 0
    assert out.startswith("robust already: fixed needs no change under RC20\n")


def test_diff_alone(fencepost):
    code, out, err = fencepost("fence", "sb.tpl", "--diff")
    assert (code, err) == (0, "")
    assert out.startswith("--- sb.tpl\n+++ sb.tpl\n@@ -1,9 +1,11 @@\n")


def test_json(fencepost):
    code, out, _ = fencepost("fence", "sb.tpl", "--format", "json")
    report = json.loads(out)
    assert code == 0
    assert (report["outcome"], report["cost"], report["costs"]) == ("repaired", 10, "size")
    assert [change["kinds"] for change in report["changes"]] == [["fence seq_cst"]] * 2
    assert report["changes"][0]["span"] == {"line": 4, "column": 3}
    assert report["changes"][0]["without"]["kind"] == "stale-access"
    assert report["text"].count("fence(seq_cst);") == 2


def test_unrepairable(fencepost):
    code, out, _ = fencepost("fence", "race.tpl")
    assert code == 1
    assert out.startswith("cannot be repaired: acquire and release orders, and acquire, release and SC fences cannot")
    assert "race on d" in out
    code, out, err = fencepost("fence", "race.tpl", "--diff")
    assert (code, out) == (1, "")
    assert err.startswith("cannot be repaired")


def test_limits_are_unknown(fencepost):
    code, out, _ = fencepost("fence", "sb.tpl", "--max-states", "1")
    assert code == 2
    assert out.startswith("unknown: the limit of 1 states was reached")


def test_models_without_repairs(fencepost):
    code, out, _ = fencepost("fence", "sb.tpl", "--model", "sc")
    assert code == 2
    assert "nothing is known about repairs under sc" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.tpl"], "nowhere.tpl: error: cannot read the file: No such file or directory"),
        (["sb.tpl", "--profile", "counts"], "error: --profile says how often places are run"),
        (["sb.tpl", "--cost", "prices"], "prices: error: cannot read the file: No such file or directory"),
        (["sb.tpl", "--model", "rc21"], "error: argument --model: there is no model 'rc21'"),
        (["sb.tpl", "-o", "no/where.tpl"], "error: cannot write to no/where.tpl"),
    ],
)
def test_bad_usage(fencepost, arguments, message):
    code, out, err = fencepost("fence", *arguments)
    assert (code, out) == (3, "")
    assert err.startswith(message)
