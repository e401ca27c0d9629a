"""The JSON report: its fields are those that docs/json.md describes, and its values those of the result."""

import json
import re
from pathlib import Path

import pytest
from support import results

from fencepost import __version__
from fencepost.reports.json import data, failure, render

DOCUMENT = Path(__file__).parent.parent / "docs" / "json.md"

# The type names of the documentation, and the sections that describe objects.
PLAIN = {"string": str, "boolean": bool, "integer": int, "number": (int, float)}


def documented():
    """section -> field -> type, from the tables. Sections that describe no object of a result have none."""
    sections, current = {}, None
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            current = sections.setdefault(line[3:].strip().lower(), {})
        elif row := re.match(r"\| `(\w+)` \| (.+?) \| (.+) \|$", line):
            current[row[1]] = re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", row[2])
    return {section: fields for section, fields in sections.items() if fields}


def check(value, kind, path, seen):
    """`value` has the documented type, objects exactly the documented fields."""
    if kind.endswith(" or null"):
        if value is None:
            return
        kind = kind.removesuffix(" or null")
    if kind.startswith("array of "):
        assert isinstance(value, list), path
        for index, item in enumerate(value):
            check(item, kind.removeprefix("array of "), f"{path}[{index}]", seen)
    elif kind in PLAIN:
        assert isinstance(value, PLAIN[kind]), (path, value)
        assert isinstance(value, bool) == (kind == "boolean"), path
    else:
        fields = documented()[kind]
        assert set(value) == set(fields), path
        seen.add(kind)
        for name, item in value.items():
            check(item, fields[name], f"{path}.{name}", seen)


def test_every_result_has_the_documented_fields_and_types():
    seen = set()
    for name, make in results.EVERY.items():
        check(json.loads(render(make())), "the result", name, seen)
    check(failure("a.tpl", "input", "no"), "failure", "failure", seen)
    assert seen == set(documented()), "every documented object appears in some report"


@pytest.mark.parametrize("name", results.EVERY)
def test_fields_come_in_the_documented_order(name):
    assert list(data(results.EVERY[name]())) == list(documented()["the result"])


@pytest.mark.parametrize(
    ("name", "verdict", "assertions", "races"),
    [
        ("robust", "robust", "hold", "none"),
        ("sb", "not-robust", "hold", "none"),
        ("race", "not-robust", "unknown", "found"),
        ("assertion", "robust", "fail", "none"),
        ("unknown", "unknown", "unknown", "unknown"),
    ],
)
def test_answers(name, verdict, assertions, races):
    report = data(results.EVERY[name]())
    assert (report["verdict"], report["assertions"], report["races"]) == (verdict, assertions, races)


def test_store_buffering_in_full():
    report = data(results.sb())
    assert (report["schema"], report["fencepost"]) == (1, __version__)
    assert report["program"] == {
        "name": "sb.tpl",
        "file": None,
        "language": "tpl",
        "threads": ["left", "right"],
        "templates": [],
        "copies": [],
        "locations": [{"name": "x", "size": 1, "atomic": True}, {"name": "y", "size": 1, "atomic": True}],
        "assertions": 0,
        "source": results.SB_SOURCE,
    }
    assert report["statistics"]["states"] == 1234
    witness = report["witness"]
    assert witness["kind"] == "stale-access"
    assert [(step["thread"], step["span"]["line"], step["source"]) for step in witness["trace"]] == [
        (0, 3, "x.store(1, rlx);"),
        (0, 4, "a = y.load(rlx);"),
        (1, 7, "y.store(1, rlx);"),
        (1, 8, "a = x.load(rlx);"),
    ]
    assert witness["events"][-1] == {
        "number": 5,
        "thread": 1,
        "kind": "R",
        "location": "x",
        "slot": 0,
        "order": "rlx",
        "read": 0,
        "written": None,
        "span": {"line": 8, "column": 3},
    }
    assert [edge["kind"] for edge in witness["cycle"]] == ["fr", "po", "fr", "po"]
    assert witness["schedule"][0] == {"thread": 0, "instructions": 2, "choices": [], "delays": False}
    assert report["assertion_witness"] is None
    assert report["deadlock"] is None


def test_reasons_say_what_the_verdict_rests_on():
    assert data(results.robust())["reason"] == "all reachable states"
    assert data(results.sb())["reason"] == data(results.sb())["witness"]["headline"]
    assert data(results.unknown())["reason"].startswith("the time limit of 10 s")


def test_an_unknown_answer_has_no_witness():
    report = data(results.unknown())
    assert report["witness"] is None
    assert report["races"] == "unknown"


def test_hostile_names_survive_as_ascii():
    hostile = results.program('a"<\x1b[31m\u202e\ud800', "", ("x",), {"t\n\x00": ()})
    text = render(results.result(hostile, results.Unknown("because of \U0001f600")))
    assert text.isascii()
    assert json.loads(text)["program"]["threads"] == ["t\n\x00"]
