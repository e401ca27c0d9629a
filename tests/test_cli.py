"""The command line, as a user calls it: answers, exit codes, messages."""

import json
import xml.etree.ElementTree as ET

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
MP = """\
global data, flag;
fn writer {
  data.store(1, rlx);
  flag.store(1, rel);
}
fn reader { local a, b;
  wait(flag, 1, acq);
  b = data.load(rlx);
  assert(b == 1);
}
"""


@pytest.fixture
def fencepost(capsys, tmp_path, monkeypatch):
    """Calls fencepost in an empty folder; returns exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def test_not_robust(fencepost):
    code, out, err = fencepost("check", write("sb.tpl", SB))
    assert code == 1
    assert out.startswith("NOT robust: thread right may read x = 0 (the initial value) at line 8, although x = 1")
    assert "line 4 (left) reads y = 0, before line 7 (right) writes y = 1" in out
    assert "put fence(seq_cst) before this load" in out
    assert err == ""


def test_robust(fencepost):
    code, out, _ = fencepost("check", write("mp.tpl", MP))
    assert code == 0
    assert out.splitlines()[1] == "  robust, and no assertion fails: safe under RC20"


def test_unknown(fencepost):
    code, out, _ = fencepost("check", write("sb.tpl", SB), "--max-states", "2")
    assert code == 2
    assert out.startswith("unknown: the limit of 2 states was reached")


def test_json(fencepost):
    code, out, _ = fencepost("check", "--format", "json", write("sb.tpl", SB))
    report = json.loads(out)
    assert (code, report["verdict"], report["program"]["file"]) == (1, "not-robust", "sb.tpl")


def test_svg(fencepost):
    code, out, _ = fencepost("check", write("sb.tpl", SB), "--format", "svg", "-o", "sb.svg")
    assert (code, out) == (1, "")
    assert ET.parse("sb.svg").getroot().tag.endswith("svg")


def test_bad_input(fencepost):
    code, out, err = fencepost("check", write("bad.tpl", "global x;\nfn t {\n  x.store(1 rlx);\n}\n"))
    assert (code, out) == (3, "")
    assert err.startswith("bad.tpl:3:13: error: ")
    assert "      x.store(1 rlx);\n                ^\n" in err
