"""Fences in automata text, however it is laid out; and what is no program never ends in a stack trace."""

from __future__ import annotations

from random import Random

import pytest

from fencepost import api
from fencepost.fences.types import Repaired
from fencepost.frontends import InputError, loads
from fencepost.program.form import Program
from fencepost.verdict.types import Robust

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


def repaired(text: str) -> str:
    outcome = api.fence(loads(text, "p.txt", "automata")).outcome
    assert isinstance(outcome, Repaired)
    assert outcome.text is not None
    assert len(outcome.changes) == 2
    assert isinstance(api.check(loads(outcome.text, "p.txt", "automata")).verdict, Robust)
    return outcome.text


def test_a_line_of_its_own() -> None:
    assert repaired(SB) == SB.replace(
        "transition q1 q2 read", "transition q1 q1_fenced mfence\ntransition q1_fenced q2 read"
    )


def test_all_that_leaves_the_state() -> None:
    text = SB.replace("read r 1\n", "read r 1\ntransition q0 q0 noop\n  transition q1 q3\tread s 1  \n")
    assert repaired(text).splitlines()[3:7] == [
        "transition q1 q1_fenced mfence",
        "transition q1_fenced q2 read r 1",
        "transition q0 q0 noop",
        "  transition q1_fenced q3\tread s 1  ",
    ]


def test_columns_are_kept_where_there_is_room() -> None:
    text = SB.replace("transition q1 q2 read", "transition   q1   q2          read")
    assert "transition   q1   q1_fenced   mfence\ntransition   q1_fenced   q2          read r 1\n" in repaired(text)


def test_names_that_are_taken() -> None:
    text = SB.replace("q2 read", "q1_fenced read")
    assert "transition q1 q1_fenced' mfence\ntransition q1_fenced' q1_fenced read r 1\n" in repaired(text)


@pytest.mark.parametrize(
    "text",
    [
        SB.replace("\n", "\r\n"),
        SB.replace("\n", " "),
        SB.replace(" ", "\n").replace("transition", "  transition"),
        SB.replace("transition q1 q2 read r", "transition\n\tq1\n\tq2 read\n r"),
        SB.replace("end", "\n\nend").rstrip("\n"),
        SB.replace("q1", "transition?").replace("q0", "+").replace("t2", "\N{GREEK SMALL LETTER TAU}"),
        SB.replace("t1", "initial").replace("q2", "end").replace("q0", "final"),
    ],
    ids=["crlf", "one line", "a word a line", "broken lines", "blank lines", "odd names", "words of the language"],
)
def test_any_layout(text: str) -> None:
    assert repaired(text).count("mfence") == 2


def test_comments_and_everything_else_stay() -> None:
    text = "# first\n" + SB.replace("thread t2", "   # in between: transition q1 q2\nthread t2") + "# last"
    lines = repaired(text).splitlines()
    assert [line for line in text.splitlines() if line not in lines] == [
        "transition q1 q2 read r 1",
        "transition q1 q2 read r 0",
    ]


@pytest.mark.parametrize("seed", range(20))
def test_what_is_no_program_is_said_to_be_none(seed: int) -> None:
    """Words left out, repeated, swapped."""
    random = Random(seed)
    for _ in range(50):
        words = SB.replace("\n", " \n ").split(" ")
        for _ in range(random.randint(1, 3)):
            at, other = random.randrange(len(words)), random.randrange(len(words))
            match random.randrange(3):
                case 0:
                    del words[at]
                case 1:
                    words.insert(at, words[other])
                case _:
                    words[at], words[min(other, len(words) - 1)] = words[min(other, len(words) - 1)], words[at]
        text = " ".join(words)
        program, place = read(text)
        assert (program is None) == (place is not None)
        if program is not None:
            api.check(program)


def read(text: str) -> tuple[Program | None, int | None]:
    """The program, or the line where it is none."""
    try:
        return loads(text, "p.txt", "automata"), None
    except InputError as error:
        return None, error.line
