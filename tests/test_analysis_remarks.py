"""Remarks on what is hardly meant as it is written: none where there is nothing to say."""

from pathlib import Path

import pytest
from support.tpl import ASSERTION, DEADLOCK, MP, RACE, SB, SLOW

from fencepost.frontends import load, loads
from fencepost.program.analysis.remarks import remarks

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").rglob("*.tpl"))


@pytest.mark.parametrize("source", [SB, MP, RACE, ASSERTION, DEADLOCK, SLOW])
def test_nothing_to_say(source):
    assert list(remarks(loads(source, "a.tpl"))) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_nothing_to_say_about_the_examples(path):
    assert list(remarks(load(path))) == []


@pytest.mark.parametrize(
    "statement",
    [
        "wait(x, 1, acq);",  # which the other thread writes
        "r = x.load(); wait(x, r, acq);",  # any value
        "BCAS(x, 1, 2, acq, rlx);",
        "x.store(-1);",  # the largest value, by a common idiom
        "r = 300 % 7; x.store(300 / 2);",  # becomes a value on the way
        "r = x.load(); assume(r == 3);",
    ],
)
def test_what_is_fine(statement):
    source = f"max_value 200; global x;\nfn a {{ local r; {statement} }}\nfn b {{ x.store(1); }}\n"
    assert list(remarks(loads(source, "a.tpl"))) == []


def test_each_is_said_with_its_place():
    source = "max_value 7; global x;\nfn a { local r;\n  r = x.load();\n  if (r == 8) { x.store(9); }\n}\nfn b { }\n"
    assert list(remarks(loads(source, "a.tpl"))) == [
        "line 4: nothing is ever equal to 8: values are 0 to 7",
        "line 4: 9 is outside the values 0 to 7 and becomes 1",
        "thread b does nothing",
    ]
