"""Models in .cat files on the command line: wherever a model is named."""

import json
import os

import pytest
from support.cli import write
from support.tpl import SB

TSO = """"My TSO"
acyclic po-loc | rf | co | fr as coherence
empty rmw & (fre; coe) as atomicity
acyclic po \\ (W * R) | fencerel(MFENCE) | rfe | co | fr as order
"""
LITMUS = """X86 SB
{ x=0; y=0; }
 P0         | P1         ;
 MOV [x],$1 | MOV [y],$1 ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""


def test_litmus(fencepost):
    code, out, err = fencepost("litmus", write("sb.litmus", LITMUS), "--model", write("mine.cat", TSO))
    assert out.splitlines()[0] == "SB under mine.cat: Sometimes (1 of 4 executions); exists holds"
    assert (code, err) == (0, "")


def test_check_in_both_places(fencepost):
    test, mine = write("sb.litmus", LITMUS), write("mine.cat", TSO)
    code, out, _ = fencepost("check", test, "--model", mine)
    assert out.startswith("NOT robust: ")
    assert "which SC forbids" in out
    assert "mine.cat does not keep the write of x at line 4:2 before the read of y at line 5:2" in out
    assert code == 1
    code, out, _ = fencepost("check", test, "--model", "tso", "--against", mine, "-q")
    assert (code, out) == (0, "robust: under TSO the program has only executions of mine.cat (all 4 executions)\n")
    code, out, _ = fencepost("check", test, "--model", mine, "--against", "tso", "-q")
    assert (code, out) == (0, "robust: under mine.cat the program has only executions of TSO (all 4 executions)\n")


def test_the_report_can_be_saved_and_read(fencepost):
    mine = write("mine.cat", TSO)
    _, out, _ = fencepost("check", write("sb.litmus", LITMUS), "--model", mine, "--format", "json")
    assert json.loads(out)["model"] == "mine.cat"
    os.remove(mine)
    code, again, err = fencepost("explain", write("report.json", out))
    assert again.startswith("NOT robust: ")
    assert (code, err) == (0, "")


def test_compare(fencepost):
    code, out, err = fencepost("compare", write("sb.litmus", LITMUS), "--models", f"sc,tso,{write('mine.cat', TSO)}")
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.startswith("  ")}
    assert rows["TSO"] == ["4", "4", "Sometimes", "1", "-", "0"]
    assert rows["mine.cat"] == ["4", "4", "Sometimes", "1", "0", "-"]
    assert (code, err) == (0, "")


def test_a_c11_program_is_compiled_for_the_model_s_architecture(fencepost):
    mine = write("mine.cat", "X86 " + TSO)
    code, out, _ = fencepost("compare", write("sb.tpl", SB), "--models", f"tso,{mine}", "--format", "json")
    first, second = json.loads(out)["models"]
    assert (first["compiled_to"], second["compiled_to"]) == ("x86", "x86")
    assert first["executions"] == second["executions"]
    assert code == 0


@pytest.mark.parametrize("option", ["--model", "--against", "--models"])
def test_errors_in_the_file_come_first_with_their_place(fencepost, option):
    verb = "compare" if option == "--models" else "check"
    code, out, err = fencepost(verb, "no-such-program.tpl", option, write("bad.cat", '"bad"\nacyclic po | nothing\n'))
    assert (code, out) == (3, "")
    assert err == "bad.cat:2:14: error: nothing is not defined\n    acyclic po | nothing\n                 ^\n"
    code, _, err = fencepost(verb, "no-such-program.tpl", option, "missing.cat")
    assert (code, err) == (3, "missing.cat: error: cannot read the file: No such file or directory\n")


def test_kept_results_are_asked_again_when_the_model_has_changed(fencepost):
    test, mine = write("sb.litmus", LITMUS), write("mine.cat", TSO)
    line = ("litmus", test, "--model", mine, "--lines", "kept.jsonl")
    assert "Sometimes" in fencepost(*line)[1]
    assert "known from" in fencepost(*line)[1]
    write("mine.cat", TSO.replace("po \\ (W * R)", "po"))
    os.utime(mine, ns=(1, 1))
    assert fencepost(*line)[1].startswith("SB under mine.cat: Never")


def test_two_files_of_the_same_name_are_told_apart(fencepost):
    os.mkdir("old")
    os.mkdir("new")
    test = write("sb.litmus", LITMUS)
    strong, weak = write("new/mine.cat", "sc\nacyclic po | rf | co | fr as sc\n"), write("old/mine.cat", TSO)
    code, out, _ = fencepost("check", test, "--model", weak, "--against", strong)
    assert "An execution that old/mine.cat allows and new/mine.cat forbids" in out
    assert code == 1
    _, out, _ = fencepost("compare", test, "--models", f"sc,{strong},{weak}")
    assert "not new/mine.cat  not old/mine.cat" in out


def test_models_says_what_was_read(fencepost):
    code, out, _ = fencepost("models", write("mine.cat", TSO))
    assert code == 0
    assert out.splitlines()[0] == "mine.cat  My TSO"
    assert "axioms: coherence, atomicity, order" in out
    write("other.cat", 'include "cos.cat"\n')
    write("cos.cat", "let fr = rf^-1; co\n")
    _, out, _ = fencepost("models", write("mine.cat", TSO + 'include "other.cat"\n'))
    said = " ".join(out.split())
    assert "order; files: mine.cat, other.cat; not read, as fencepost's own stand for them: cos.cat" in said


def test_files_that_a_model_includes_are_found_in_named_folders(fencepost, monkeypatch):
    os.mkdir("library")
    write("library/mine-too.cat", "let order = po | rf | co | fr\n")
    mine = write("mine.cat", 'include "mine-too.cat"\nacyclic order as order\n')
    code, _, err = fencepost("models", mine)
    assert code == 3
    assert "mine.cat:1:1: error: there is no file mine-too.cat" in err
    monkeypatch.setenv("FENCEPOST_CAT_PATH", f"elsewhere{os.pathsep}library")
    assert fencepost("models", mine)[0] == 0


def test_a_changed_file_is_read_again(fencepost):
    mine = write("mine.cat", TSO)
    assert "coherence" in fencepost("models", mine)[1]
    write("mine.cat", "acyclic po | rf as another\n")
    os.utime(mine, ns=(1, 1))
    assert "axioms: another" in fencepost("models", mine)[1]


def test_a_changed_file_that_a_model_includes_is_read_again(fencepost):
    write("part.cat", "let order = po | rf\n")
    mine = write("mine.cat", 'include "part.cat"\nlet rec r = order | r; r\nacyclic r as order\n')
    test = write("lb.litmus", LITMUS)
    line = ("litmus", test, "--model", mine, "--lines", "kept.jsonl", "-q")
    assert "(1 of 4 executions)" in fencepost(*line)[1]
    write("part.cat", "let order = po | rf | co | fr\n")
    os.utime("part.cat", ns=(1, 1))
    assert "Never (3 executions)" in fencepost(*line)[1]


def test_what_a_model_flags_is_said(fencepost):
    mine = write("mine.cat", TSO + "flag ~empty rfe & (W * R) as reads-from-another\nflag empty co as no-writes\n")
    code, out, _ = fencepost("litmus", write("sb.litmus", LITMUS), "--model", mine)
    assert "  4   noted by the model: reads-from-another\n" in out
    assert "no-writes" not in out
    assert code == 0
    _, out, _ = fencepost("litmus", "sb.litmus", "--model", mine, "--format", "json")
    assert json.loads(out)["notes"] == {"reads-from-another": 4}


def test_from_read_is_told_as_such_however_it_is_written(fencepost):
    strict = write("strict.cat", "let back = rf^-1; co\nacyclic po | rf | co | back as order\n")
    loose = write("loose.cat", "acyclic po-loc | rf | co | fr as coherence\n")
    line = ("check", write("sb.litmus", LITMUS), "--model", loose, "--against", strict)
    code, out, _ = fencepost(*line)
    assert code == 1
    assert out.count("reads y = 0, before line 4:15 (P1) writes y = 1") == 1
    for format in ("svg", "html", "sarif", "json"):
        assert fencepost(*line, "--format", format)[0] == 1


def test_a_model_of_c11_says_nothing_of_processors(fencepost):
    line = ("litmus", write("sb.litmus", LITMUS), "--model", write("mine.cat", "C mine\nacyclic po | rf\n"))
    code, out, _ = fencepost(*line)
    assert code == 2
    assert "it is for the instructions of c11, not x86" in out
