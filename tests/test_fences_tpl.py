"""Repairs of TPL texts: what a person would write, and exactly the repaired program when read again."""

from dataclasses import replace
from pathlib import Path

import pytest

import fencepost
from fencepost.fences.editor import FormEditor, editor_of, strengthened
from fencepost.fences.edits import Changes
from fencepost.fences.rc20 import candidates
from fencepost.fences.types import Repaired, Unrepairable
from fencepost.frontends import load, loads
from fencepost.program.form import Fence, Jump
from fencepost.program.orders import FenceKind, Order
from fencepost.reports.repairs import diff
from fencepost.verdict.types import Robust

EXAMPLES = sorted(Path(__file__).parent.parent.glob("examples/**/*.tpl"))

MP = """\
global data, flag;   // a message
fn writer {
    data.store(1);
    // now it is there
    flag.store(1, rlx);   // tell
}
fn reader { local r;
    wait(flag, 1);
    r = data.load();
}
"""


def repaired(text, **options):
    result = fencepost.fence(loads(text, "test.tpl"), **options)
    assert isinstance(result.outcome, Repaired)
    return result


def test_orders_are_changed_in_place():
    result = repaired(MP)
    assert result.outcome.text == MP.replace("flag.store(1, rlx)", "flag.store(1, rel)").replace(
        "wait(flag, 1)", "wait(flag, 1, acq)"
    )
    assert [part.cost for part in result.outcome.changes] == [1, 1]
    assert [part.edits[0].span.line for part in result.outcome.changes] == [5, 8]
    assert all("although data = 1" in part.without.headline for part in result.outcome.changes)


def test_fences_stand_on_lines_of_their_own():
    text = """\
global x, y;
fn one {
\tlocal r;
\tx.store(1);   // mine
\tr = y.load(); // yours
}
fn other { local r; y.store(1); r = x.load(); }
"""
    result = repaired(text)
    expected = text.replace("\tr = y", "\tfence(seq_cst);\n\tr = y").replace(
        " r = x.load", " fence(seq_cst); r = x.load"
    )
    assert result.outcome.text == expected
    assert diff(result).splitlines()[3:] == [
        " fn one {",
        " \tlocal r;",
        " \tx.store(1);   // mine",
        "+\tfence(seq_cst);",
        " \tr = y.load(); // yours",
        " }",
        "-fn other { local r; y.store(1); r = x.load(); }",
        "+fn other { local r; y.store(1); fence(seq_cst); r = x.load(); }",
    ]


def test_windows_line_ends_are_kept():
    text = "global x, y;\r\nfn a {\r\n local r;\r\n x.store(1);\r\n r = y.load();\r\n}\r\nfn b {\r\n local r;\r\n"
    text += " y.store(1);\r\n r = x.load();\r\n}\r\n"
    changed = repaired(text).outcome.text
    assert changed == text.replace(" r = y", " fence(seq_cst);\r\n r = y").replace(
        " r = x", " fence(seq_cst);\r\n r = x"
    )


ACCESSES = {
    "r = x.load();": {Order.ACQUIRE: "r = x.load(acq);"},
    "r = x.load(rlx);": {Order.ACQUIRE: "r = x.load(acq);"},
    "x.store(r + (1));": {Order.RELEASE: "x.store(r + (1), rel);"},
    "x.store(1, rlx);": {Order.RELEASE: "x.store(1, rel);"},
    "wait(x, 1, 2);": {Order.ACQUIRE: "wait(x, 1, 2, acq);"},
    "r = wait(x, 1, rlx);": {Order.ACQUIRE: "r = wait(x, 1, acq);"},
    "FADD(x, 1);": {Order.ACQUIRE: "FADD(x, 1, acq);", Order.RELEASE: "FADD(x, 1, rlx, rel);"},
    "r = FADD(x, 1, rlx);": {Order.ACQUIRE: "r = FADD(x, 1, acq);", Order.RELEASE: "r = FADD(x, 1, rlx, rel);"},
    "exchange(x, 1, acq, rlx);": {Order.RELEASE: "exchange(x, 1, acq, rel);"},
    "r = CAS(x, 0, 1, rlx, rel);": {Order.ACQUIRE: "r = CAS(x, 0, 1, acq, rel);"},
    "BCAS(x, 0, 1);": {Order.ACQUIRE: "BCAS(x, 0, 1, acq);", Order.RELEASE: "BCAS(x, 0, 1, rlx, rel);"},
    "lock(x);": {Order.RELEASE: "BCAS(x, 0, 1, acq, rel);"},
}


@pytest.mark.parametrize("statement", ACCESSES)
def test_every_access_can_be_made_stronger(statement):
    text = f"global x;\nfn f {{ local r;\n    again: {statement}  // a comment\n}}\n"
    program = loads(text, "test.tpl")
    editor = editor_of(program)
    found = {}
    for edit in candidates(editor):
        patched = editor.apply(Changes({(edit.thread, edit.pc): frozenset({edit.what})}, {}))
        found[edit.what] = patched.text.splitlines()[2].removeprefix("    again: ").removesuffix("  // a comment")
        expected = strengthened(program.threads[0].code[edit.pc], frozenset({edit.what}))
        assert patched.program.threads[0].code[edit.pc] == expected
    assert found == ACCESSES[statement]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_patched_texts_read_as_the_patched_program(path):
    """A fence everywhere, every access stronger: without the fences it is the program with stronger accesses."""
    program = load(path)
    if program.language != "tpl":
        pytest.skip("another language")
    editor = editor_of(program)
    edits = list(candidates(editor))
    orders = {}
    for edit in edits:
        if isinstance(edit.what, Order):
            where = edit.thread, edit.pc
            orders[where] = orders.get(where, frozenset()) | {edit.what}
    fences = {(edit.thread, edit.place): (FenceKind.RELEASE,) for edit in edits if edit.is_fence}
    edited = editor.apply(Changes(orders, fences))
    assert len(edited.fences) == len(fences)
    stronger = FormEditor(program).apply(Changes(orders, {})).program
    for t, (wanted, thread) in enumerate(zip(stronger.threads, edited.program.threads, strict=True)):
        kept = [i for pc, i in enumerate(thread.code) if (t, pc) not in edited.fences and not isinstance(i, Jump)]
        flow = [replace(i, target=0) if hasattr(i, "target") else i for i in kept]
        expected = [i for i in wanted.code if not isinstance(i, Jump)]
        assert [type(i) for i in flow] == [type(i) for i in expected]
        accesses = [i for i in kept if hasattr(i, "ref")]
        assert accesses == [i for i in expected if hasattr(i, "ref")]
    assert all(isinstance(edited.program.threads[t].code[pc], Fence) for t, pc in edited.fences)


def weakened(path):
    """The text with every order relaxed, no fences and no announced verdicts."""
    text = Path(path).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines(keepends=True) if "ROBUSTNESS" not in line and "fence(" not in line]
    return "".join(lines).replace("acq", "rlx").replace(", rel)", ", rlx)")


@pytest.mark.parametrize("name", ["singleton", "wait-free-ring"])
def test_examples_are_repaired(name):
    path = next(path for path in EXAMPLES if path.stem == name)
    program = loads(weakened(path), f"{name}.tpl")
    assert not isinstance(fencepost.check(program).verdict, Robust)
    result = fencepost.fence(program)
    assert isinstance(result.outcome, Repaired)
    again = loads(result.outcome.text, f"{name}.tpl")
    assert again == result.outcome.program
    assert isinstance(fencepost.check(again).verdict, Robust)
    for part in result.outcome.changes:
        assert part.without is not None


def test_robust_programs_need_nothing():
    text = "global x; fn a { x.store(1); } fn b { local r; r = x.load(); }"
    outcome = repaired(text).outcome
    assert (outcome.changes, outcome.cost, outcome.text) == ((), 0, text)


def test_observational_repairs_can_be_cheaper():
    """A stale value that nothing uses need not be forbidden."""
    assert repaired(MP, notion=fencepost.Notion.OBSERVATIONAL).outcome.cost == 0


def test_ra_needs_sc_fences():
    text = "global x, y; fn a { local r; x.store(1); r = y.load(); } fn b { local r; y.store(1); r = x.load(); }"
    outcome = repaired(text, model="ra").outcome
    assert {edit.what for part in outcome.changes for edit in part.edits} == {FenceKind.SEQ_CST}


def test_races_stay():
    result = fencepost.fence(loads("na d; fn a { d.nastore(1); } fn b { local r; r = d.naload(); }", "race.tpl"))
    assert isinstance(result.outcome, Unrepairable)
    assert "race" in result.outcome.witness.headline


LOOP = """\
global x, y;
fn a { local r;
    x.store(1);
    while (r < 3) {
        r = y.load();
    }
}
fn b { local r;
    y.store(1);
    r = x.load();
}
"""


def test_frequency_keeps_fences_out_of_loops():
    result = repaired(LOOP, cost="frequency", busy_waits="keep")
    assert "    fence(seq_cst);\n    while" in result.outcome.text
    assert result.outcome.cost == 10


def test_costs_from_a_file(tmp_path):
    prices = tmp_path / "prices.txt"
    prices.write_text("# everything in line 4 is dear\n4 100\na:5 fence(seq_cst) 1/2\nb:10 3\n")
    result = repaired(LOOP, cost=str(prices), busy_waits="keep")
    assert result.outcome.cost == 3 + 1 / 2
    assert "        fence(seq_cst);\n        r = y.load" in result.outcome.text


def test_profiles(tmp_path):
    counts = tmp_path / "counts.txt"
    counts.write_text("4 1000\n5 2\n10 1\n")
    result = repaired(LOOP, cost="frequency", profile=str(counts), busy_waits="keep")
    assert "        fence(seq_cst);\n        r = y.load" in result.outcome.text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("4", "expected a place and a number"),
        ("4 fance 1", "there is no kind of change 'fance'"),
        ("4 x", "'x' is not a number"),
        ("4 -1", "-1 is negative"),
        ("4 0", "a cost is more than 0"),
        ("nobody:4 1", "there is no thread 'nobody'"),
    ],
)
def test_bad_cost_files(tmp_path, content, message):
    prices = tmp_path / "prices.txt"
    prices.write_text(content)
    with pytest.raises(fencepost.InputError, match=message) as caught:
        fencepost.fence(loads(LOOP, "loop.tpl"), cost=str(prices))
    assert caught.value.line == 1


def test_builder_programs_have_no_text():
    program = replace(loads(MP, "mp.tpl"), source=None)
    outcome = fencepost.fence(program).outcome
    assert isinstance(outcome, Repaired)
    assert outcome.text is None
    assert outcome.cost == 2


def test_places_in_busy_waits():
    """The loop only waits: its load is strengthened where it stands, and the loop still only waits."""
    text = MP.replace("wait(flag, 1);", "while (r == 0) {\n        r = flag.load();\n    }")
    result = repaired(text)
    assert "r = flag.load(acq);" in result.outcome.text
    assert result.outcome.cost == 2
    assert len(result.busy_waits) == 1
