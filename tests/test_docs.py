"""What the documentation shows is what happens: commands and their output, Python and its output, programs in TPL."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from fencepost.cli.main import VERBS, main
from fencepost.frontends import loads
from fencepost.models.registry import MODELS

ROOT = Path(__file__).parent.parent
TEXTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language):
    """Every fenced block of a language: what is in it, and what comes after it."""
    return list(_blocks(language))


def _blocks(language):
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, match.start()) + 1
            yield pytest.param(match[1], text[match.end() :], id=f"{path.name}:{line}")


def commands(block):
    """(command, the output shown)"""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def comparable(text):
    """Without what differs from run to run."""
    text = re.sub(r"\d+\.\d\d s, [\d.,]+ MiB, \d+ workers?", "(what it took)", text)
    return [line.rstrip() for line in text.splitlines()]


def assert_shows(expected, shown):
    """`...` on a line of its own stands for any lines."""
    lines, chunks = comparable(shown), [[]]
    for line in comparable(expected):
        if line == "...":
            chunks.append([])
        else:
            chunks[-1].append(line)
    position = 0
    for number, chunk in enumerate(chunks):
        places = [at for at in range(position, len(lines) + 1) if lines[at : at + len(chunk)] == chunk]
        assert places, "\n".join(["not shown:", *chunk, "but:", *lines[position:]])
        assert number or places[0] == 0, "something comes before"
        position = places[0] + len(chunk)
    assert position == len(lines) or not chunks[-1], "\n".join(["something comes after:", *lines[position:]])


@pytest.mark.parametrize(("block", "rest"), blocks("console"))
def test_commands_show_what_the_documentation_says(block, rest, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    for command, output in commands(block):
        program, verb, *arguments = shlex.split(command)
        assert program in ("./run", "fencepost")
        one = ["--jobs", "1"] if verb == "check" else []
        main([verb, *arguments, *one])
        shown = capsys.readouterr()
        assert_shows(output, shown.out + shown.err)


@pytest.mark.parametrize(("block", "rest"), blocks("python"))
def test_python_does_what_the_documentation_says(block, rest):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(block, "documentation", "exec"), {})
    printed = re.match(r"\n\nprints\n\n```\n(.*?)```", rest, re.DOTALL)
    assert output.getvalue() == (printed[1] if printed else "")


@pytest.mark.parametrize(("block", "rest"), blocks("tpl"))
def test_programs_in_the_documentation_are_programs(block, rest):
    loads(block, "documentation.tpl")


@pytest.mark.parametrize(("block", "rest"), blocks("automata"))
def test_automata_in_the_documentation_are_programs(block, rest):
    loads(block, "documentation.txt", "automata")


def test_there_is_something_to_test():
    assert all(blocks(language) for language in ("console", "python", "tpl", "automata"))


def test_the_comparison_can_fail():
    assert_shows("a\n...\nc\n", "a\nb\nc\n")
    for expected, shown in (("a\n", "a\nb\n"), ("b\n", "a\nb\n"), ("a\n...\nc\n", "a\nb\n"), ("a\n", "b\n")):
        with pytest.raises(AssertionError):
            assert_shows(expected, shown)


@pytest.mark.parametrize("model", MODELS)
def test_readme_says_what_is_decided_for_every_model(model):
    assert f"\n| `{model}` |" in (ROOT / "README.md").read_text(encoding="utf-8"), f"README.md: a row for {model}"


def test_readme_names_only_verbs_that_exist():
    named = set(re.findall(r"`fencepost ([a-z+]+)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert named <= set(VERBS)


@pytest.mark.parametrize("path", [*TEXTS, *ROOT.glob("*.md")], ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target
