"""Any text is a model or an error with a place: never a crash, never without an end."""

from __future__ import annotations

import random
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fencepost.models.cat.lexer import KEYWORDS
from fencepost.models.cat.load import load
from fencepost.program.form import Isa
from fencepost.program.source import InputError

WORDS = (
    *sorted(KEYWORDS),
    *("po", "rf", "co", "fr", "R", "W", "M", "id", "rmw", "fencerel", "domain", "f", "x", "PTE", "B", "_x", "a.b-c'"),
    *(
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "_",
        "0",
        "|",
        "||",
        "&",
        "&&",
        "*",
        "~",
        "+",
        "++",
        "^",
        "-1",
        "\\",
        "?",
        "=",
        ";",
    ),
    *(",", "->", '"vmsa"', '"cos.cat"', "'once", "(*", "*)", "//", "\n", "not", "$", "é"),
)
LIBRARY = [path.read_text(encoding="utf-8") for path in (files("fencepost.models.cat") / "library").iterdir()]


def read(folder: Path, text: str) -> None:
    path = folder / "model.cat"
    path.write_text(text, encoding="utf-8")
    error = None
    try:
        model = load(path)
        for isa in Isa:
            model.rules(isa)
    except InputError as caught:
        error = caught
    if error is not None:
        assert (error.line is None) == (error.column is None)
        assert error.line is None or error.file != str(path) or 1 <= error.line <= text.count("\n") + 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.sampled_from(WORDS), max_size=30))
def test_any_words(folder: Path, words: list[str]) -> None:
    read(folder, " ".join(words))
    read(folder, f"let x = {' '.join(words)} acyclic x")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=80))
def test_any_characters(folder: Path, text: str) -> None:
    read(folder, text.encode("utf-8", "replace").decode())


@pytest.mark.parametrize("seed", range(60))
def test_texts_with_a_few_words_changed(folder: Path, seed: int) -> None:
    source = random.Random(seed)
    words = source.choice(LIBRARY).split(" ")
    for _ in range(source.randrange(1, 4)):
        place = source.randrange(len(words))
        words[place : place + source.randrange(2)] = [source.choice(WORDS)]
    read(folder, " ".join(words) + "\nacyclic po | rf")
