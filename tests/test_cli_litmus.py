"""fencepost litmus and fencepost compare, as users meet them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from support.cli import COMMAND, start, write

import fencepost
from fencepost.cli.main import main
from fencepost.frontends import loads

SB = """X86 SB
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
FENCED = SB.replace("SB", "SB+mfences", 1).replace(
    " MOV EAX,[y] | MOV EAX,[x] ;", " MFENCE      | MFENCE      ;\n MOV EAX,[y] | MOV EAX,[x] ;"
)
MP = """AArch64 MP
{ 0:X1=x; 0:X2=y; 1:X1=x; 1:X2=y; }
 P0          | P1          ;
 MOV W0,#1   | LDR W3,[X2] ;
 STR W0,[X1] | LDR W4,[X1] ;
 STR W0,[X2] |             ;
exists (1:X3=1 /\\ 1:X4=0)
"""
SPIN = """X86 spin
{ }
 P0          | P1          ;
 MOV [x],$1  | L:          ;
             | MOV EAX,[x] ;
             | CMP EAX,$1  ;
             | JNE L       ;
forall (1:EAX=1)
"""


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def without_times(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.endswith(" s"))


def test_final_states_with_counts_and_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    write("sb.litmus", SB)
    code, out, _ = run(capsys, "litmus", "sb.litmus")
    assert code == 0
    assert (
        without_times(out)
        == """\
SB under TSO: Sometimes (1 of 4 executions); exists holds
  exists 0:EAX=0 /\\ 1:EAX=0

  1 * 0:EAX=0; 1:EAX=0;
  1   0:EAX=0; 1:EAX=1;
  1   0:EAX=1; 1:EAX=0;
  1   0:EAX=1; 1:EAX=1;
    * the condition's proposition holds
"""
    )


@pytest.mark.parametrize(
    ("model", "answer", "code"), [("sc", "Never", 1), ("x86", "Sometimes", 0), ("pso", "Sometimes", 0)]
)
def test_the_exit_code_says_whether_the_condition_holds(
    model: str, answer: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    write("sb.litmus", SB)
    found, out, _ = run(capsys, "litmus", "sb.litmus", "--model", model, "-q")
    assert found == code
    assert f": {answer} (" in out


def test_an_execution_for_every_state(capsys: pytest.CaptureFixture[str]) -> None:
    write("mp.litmus", MP)
    _, out, _ = run(capsys, "litmus", "mp.litmus", "--graphs")
    assert out.count("An execution that ends with") == 4
    assert "reads y = 1, from line 6 (P0)" in out
    assert "reads x = 0, the initial value" in out


def test_a_bound_that_matters_is_in_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    write("spin.litmus", SPIN)
    code, out, _ = run(capsys, "litmus", "spin.litmus", "--unroll", "3", "-q")
    assert code == 2
    assert "not certain" in out
    assert "3 times" in out


def test_data_of_a_test(capsys: pytest.CaptureFixture[str]) -> None:
    write("sb.litmus", SB)
    _, out, _ = run(capsys, "litmus", "sb.litmus", "--format", "json", "--graphs")
    data = json.loads(out)
    assert (data["model"], data["occurrence"], data["satisfied"], data["executions"]) == ("tso", "Sometimes", True, 4)
    assert data["complete"] is True
    (state,) = [state for state in data["states"] if state["holds"]]
    assert [value["value"] for value in state["values"]] == [0, 0]
    assert {edge["kind"] for edge in state["execution"]["edges"]} >= {"po", "rf", "fr"}


def test_a_folder_has_a_line_for_each_file_and_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.litmus", SB)
    write("b.litmus", FENCED)
    write("c.litmus", MP)
    code, out, _ = run(capsys, "litmus", ".")
    assert code == 1
    assert [line.split(":")[0] for line in out.splitlines()] == [
        "SB under TSO",
        "SB+mfences under TSO",
        "MP under ARMV8",
        "3 programs",
    ]
    assert out.splitlines()[-1] == "3 programs: 2 Sometimes, 1 Never"


def test_lines_let_a_run_be_taken_up_again(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.litmus", SB)
    write("b.litmus", FENCED)
    run(capsys, "litmus", "a.litmus", "--lines", "out.jsonl")
    code, out, _ = run(capsys, "litmus", "a.litmus", "b.litmus", "--lines", "out.jsonl")
    assert code == 1
    assert "SB under TSO" not in out
    assert out.endswith("2 programs: 1 Sometimes, 1 Never (1 known from out.jsonl)\n")
    records = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [(record["file"], record["answer"]) for record in records] == [
        ("a.litmus", "Sometimes"),
        ("b.litmus", "Never"),
    ]


def test_what_has_changed_or_is_asked_differently_is_asked_again(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.litmus", SB)
    run(capsys, "litmus", "a.litmus", "--lines", "out.jsonl")
    for arguments in (["--model", "sc"], ["--unroll", "5"]):
        _, out, _ = run(capsys, "litmus", "a.litmus", "--lines", "out.jsonl", *arguments)
        assert "under" in out
    write("a.litmus", FENCED)
    _, out, _ = run(capsys, "litmus", "a.litmus", "--lines", "out.jsonl")
    assert "SB+mfences under TSO: Never" in out


def test_a_line_that_was_not_finished_is_written_again(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.litmus", SB)
    write("b.litmus", FENCED)
    run(capsys, "litmus", "a.litmus", "b.litmus", "--lines", "out.jsonl")
    text = Path("out.jsonl").read_text()
    Path("out.jsonl").write_text(text[:-20])
    _, out, _ = run(capsys, "litmus", "a.litmus", "b.litmus", "--lines", "out.jsonl")
    assert "(1 known from out.jsonl)" in out
    again = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [record["answer"] for record in again] == ["Sometimes", "Never"]


def test_a_file_of_something_else_is_not_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.litmus", SB)
    write("notes.txt", "my notes\n")
    code, _, err = run(capsys, "litmus", "a.litmus", "--lines", "notes.txt")
    assert code == 3
    assert "notes.txt:1: this is no line of such results" in err
    assert Path("notes.txt").read_text() == "my notes\n"


def test_a_file_that_is_no_test_does_not_stop_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.litmus", SB)
    write("b.litmus", SB.replace("MOV EAX,[y]", "FROB EAX,[y]"))
    code, out, err = run(capsys, "litmus", ".")
    assert code == 3
    assert "b.litmus:5:2: error:" in err
    assert "FROB" in err
    assert "2 programs: 1 Sometimes, 1 no answer" in out


def test_ctrl_c_keeps_what_is_known() -> None:
    """An endless program: the line of the first file is there, the second one ends with what was found."""
    write("a.litmus", SB)
    threads = " | ".join(f"P{n}" for n in range(6))
    rows = "".join(" | ".join(f"MOV [x{(n + k) % 3}],${k + 1}" for n in range(6)) + " ;\n" for k in range(4))
    write("b.litmus", f"X86 many\n{{ }}\n {threads} ;\n{rows}exists (x0=1)\n")
    process = start("litmus", "a.litmus", "b.litmus", "--lines", "out.jsonl")
    deadline = time.monotonic() + 60
    while not (os.path.exists("out.jsonl") and Path("out.jsonl").read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "interrupted" in out
    assert "Traceback" not in err
    assert len(Path("out.jsonl").read_text().splitlines()) == 1


def test_a_time_limit_gives_no_certain_answer(capsys: pytest.CaptureFixture[str]) -> None:
    threads = " | ".join(f"P{n}" for n in range(6))
    rows = "".join(" | ".join(f"MOV [x{(n + k) % 3}],${k + 1}" for n in range(6)) + " ;\n" for k in range(4))
    write("b.litmus", f"X86 many\n{{ }}\n {threads} ;\n{rows}exists (x0=9)\n")
    code, out, _ = run(capsys, "litmus", "b.litmus", "--timeout", "0.2", "-q")
    assert code == 2
    assert "the time limit of 0.2 s was reached" in out


def test_one_table_for_several_models(capsys: pytest.CaptureFixture[str]) -> None:
    write("sb.litmus", SB)
    code, out, _ = run(capsys, "compare", "sb.litmus", "--models", "sc,x86,pso")
    assert code == 0
    assert (
        without_times(out)
        == """\
SB (sb.litmus)
  exists 0:EAX=0 /\\ 1:EAX=0

  model  executions  states  condition  not SC  not TSO  not PSO
  SC              3       3      Never       -        0        0
  TSO             4       4  Sometimes       1        -        0
  PSO             4       4  Sometimes       1        0        -
"""
    )


def test_a_table_over_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.litmus", SB)
    write("b.litmus", FENCED)
    _, out, _ = run(capsys, "compare", ".", "--models", "sc,tso")
    assert [line.split() for line in out.splitlines()] == [
        ["SC", "TSO"],
        ["3", "4", "(+1)", "./a.litmus"],
        ["3", "3", "./b.litmus"],
        ["2", "programs:", "2", "complete"],
    ]


def test_models_are_named_as_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    write("sb.litmus", SB)
    code, _, err = run(capsys, "compare", "sb.litmus", "--models", "sc,x68")
    assert code == 3
    assert "did you mean x86?" in err
    code, _, err = run(capsys, "litmus", "sb.litmus", "--model", "tsoo")
    assert code == 3
    assert "did you mean tso?" in err


def test_data_of_a_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    write("mp.litmus", MP)
    _, out, _ = run(capsys, "compare", "mp.litmus", "--models", "sc,armv8", "--format", "json")
    rows = json.loads(out)["models"]
    assert [(row["model"], row["executions"]) for row in rows] == [("sc", 3), ("armv8", 4)]
    assert rows[1]["against"] == [{"model": "sc", "violations": 1, "robust": False}]
    assert rows[0]["against"] == [{"model": "armv8", "violations": 0, "robust": True}]


def test_the_same_in_python() -> None:
    write("sb.litmus", SB)
    result = fencepost.litmus("sb.litmus")
    assert (result.model, result.executions, result.is_satisfied) == ("tso", 4, True)
    rows = fencepost.compare("sb.litmus", models=["sc", "x86"]).rows
    assert [row.robust_against("sc") for row in rows] == [None, False]
    with pytest.raises(ValueError, match="there is no model 'tsoo'"):
        fencepost.litmus("sb.litmus", model="tsoo")


def test_help_teaches() -> None:
    for verb in ("litmus", "compare"):
        shown = subprocess.run([*COMMAND, verb, "--help"], capture_output=True, text=True, check=True).stdout
        assert "examples:" in shown
        assert "exit codes:" in shown


def test_a_page_of_several_tests_and_of_what_is_none(fencepost):
    files = (write("sb.litmus", SB), write("bad.litmus", "X86 bad\n{}\n P0 ;\n FROB ;\n"))
    code, out, err = fencepost("litmus", *files, "--format", "html", "-o", "page.html")
    assert (code, out) == (3, "")
    assert "FROB" in err
    with open("page.html", encoding="utf-8") as file:
        page = file.read()
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<svg") == 4
    assert "no answer" in page
    code, _, err = fencepost("litmus", files[0], "--format", "html", "--lines", "kept.jsonl")
    assert code == 3
    assert err.startswith("error: --lines keeps results as data")


def test_a_picture_of_every_final_state(fencepost):
    file = write("sb.litmus", SB)
    code, out, _ = fencepost("litmus", file, "--format", "svg")
    picture = ET.fromstring(out)
    assert code == 0
    assert len(picture.findall("{http://www.w3.org/2000/svg}svg")) == 4
    ids = [element.get("id") for element in picture.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    said = [text.text for text in picture.findall("{http://www.w3.org/2000/svg}text")]
    assert len(said) == 5
    assert sum("(1 of 4)" in text for text in said) == 4
    assert fencepost("litmus", file, file, "--format", "svg")[0] == 3


def test_results_are_pictures_in_jupyter():
    program = loads(SB, "sb.litmus")
    assert ET.fromstring(fencepost.litmus(program, graphs=True)._repr_svg_()) is not None
    assert len(ET.fromstring(fencepost.litmus(program)._repr_svg_()).findall("{http://www.w3.org/2000/svg}svg")) == 0
    assert ET.fromstring(fencepost.check(program)._repr_svg_()) is not None


def test_check_keeps_its_results_too(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.litmus", SB)
    write("b.litmus", FENCED)
    first = run(capsys, "check", ".", "--lines", "out.jsonl", "--format", "json", "--jobs", "1")
    assert len(Path("out.jsonl").read_text().splitlines()) == 2
    again = run(capsys, "check", ".", "--lines", "out.jsonl", "--format", "json", "--jobs", "1")
    assert again == first  # the times, too: nothing was searched again
    _, out, _ = run(capsys, "check", ".", "--lines", "out.jsonl", "-q", "--model", "pso")
    assert out.endswith("2 programs: 1 NOT robust, 1 robust\n")
    assert len(Path("out.jsonl").read_text().splitlines()) == 4


def described(heading: str) -> set[str]:
    """The fields in a table of docs/json-litmus.md."""
    text = (Path(__file__).parent.parent / "docs" / "json-litmus.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return {line.split("`")[1] for line in section.splitlines() if line.startswith("| `")}


def test_every_field_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    write("sb.litmus", SB)
    _, out, _ = run(capsys, "litmus", "sb.litmus", "--format", "json", "--graphs")
    test = json.loads(out)
    assert set(test) == described("litmus")
    assert set(test["states"][0]) == described("final state")
    _, out, _ = run(capsys, "compare", "sb.litmus", "--format", "json")
    table = json.loads(out)
    assert set(table) == described("compare")
    assert set(table["models"][0]) == described("row")
    run(capsys, "litmus", "sb.litmus", "--lines", "out.jsonl")
    record = json.loads(Path("out.jsonl").read_text())
    assert set(record) == described("litmus") | described("lines")


def test_addresses_are_shown_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "p.litmus",
        "AArch64 P\n{ 0:X3=z; z=y; y=5; }\n P0 ;\n LDR X2,[X3] ;\n LDR X4,[X2] ;\nexists (0:X2=y /\\ 0:X4=5)\n",
    )
    _, out, _ = run(capsys, "litmus", "p.litmus")
    assert "exists 0:X2=y /\\ 0:X4=5\n" in out
    assert "1 * 0:X2=y; 0:X4=5;\n" in out


def test_a_filter_may_speak_of_what_the_condition_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    rows = " MOV [x],$1 | MOV EAX,[x] ;\n MOV [x],$2 | MOV EBX,[x] ;\n"
    write("f.litmus", f"X86 F\n{{ }}\n P0 | P1 ;\n{rows}filter (1:EAX=1)\nforall (1:EBX=1 \\/ 1:EBX=2)\n")
    code, out, err = run(capsys, "litmus", "f.litmus", "-q")
    assert out == "F under TSO: Always (2 that pass the filter, of 6 executions); forall holds\n"
    assert (code, err) == (0, "")
