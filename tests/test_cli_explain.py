"""fencepost models, explain and help: the words that teach."""

import json
import re

import pytest
from support.cli import write
from support.tpl import RACE, SB

from fencepost import __version__
from fencepost.cli.main import VERBS
from fencepost.cli.topics import TOPICS
from fencepost.engines.options import Reduction
from fencepost.models.registry import MODELS
from fencepost.program.orders import Order
from fencepost.reports import FORMATS


@pytest.mark.parametrize("line", ["", "--help", "-h", "help"])
def test_help_lists_every_verb(fencepost, line):
    code, out, err = fencepost(*line.split())
    assert (code, err) == (0, "")
    for verb, (_, summary) in VERBS.items():
        assert f"  {verb} " in out
        assert summary in out


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(fencepost, verb):
    code, out, err = fencepost(verb, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: fencepost {verb} ")
    assert fencepost("help", verb) == (code, out, err)


@pytest.mark.parametrize("verb", ["check", "explain"])
def test_help_teaches_by_examples(fencepost, verb):
    _, out, _ = fencepost(verb, "--help")
    assert f"examples:\n  fencepost {verb}" in out


def test_version(fencepost):
    assert fencepost("--version") == (0, f"fencepost {__version__}\n", "")


# models


def test_models_says_for_each_what_is_decided(fencepost):
    code, out, _ = fencepost("models")
    assert code == 0
    flat = " ".join(out.split())
    for model in MODELS.values():
        assert f"\n{model.name} " in f"\n{out}"
        assert model.title in out
        assert f"Decides {' '.join(model.decides.split())}." in flat


def test_models_in_json(fencepost):
    _, out, _ = fencepost("models", "--format", "json")
    models = json.loads(out)["models"]
    assert [model["name"] for model in models] == list(MODELS)
    assert models[0]["aliases"] == ["rlx", "c11"]


def test_one_model_by_any_of_its_names(fencepost):
    assert fencepost("models", "rlx") == fencepost("models", "rc20") == fencepost("explain", "c11")


# explain


def test_explain_lists_what_it_knows(fencepost):
    code, out, _ = fencepost("explain")
    assert code == 0
    assert ", ".join(TOPICS) in out
    assert ", ".join(MODELS) in out


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_is_explained(fencepost, topic):
    code, out, _ = fencepost("explain", topic)
    assert code == 0
    assert out == TOPICS[topic]
    assert max(map(len, out.splitlines())) <= 110


def test_nothing_is_missing_from_the_lists():
    assert [line.split()[0] for line in TOPICS["reductions"].splitlines()[1:]] == [r.value for r in Reduction]
    assert [line.split()[0] for line in TOPICS["orders"].splitlines()] == [order.value for order in Order]
    assert [line.split()[0] for line in TOPICS["exit-codes"].splitlines()[:-1]] == ["0", "1", "2", "3", "4"]


def without_time(text):
    return re.sub(r'[\d.]+ s,|"seconds": [\d.]+', "", text)


@pytest.mark.parametrize("source", [SB, RACE])
@pytest.mark.parametrize("name", FORMATS)
def test_a_saved_report_is_shown_as_it_was(fencepost, source, name):
    write("a.tpl", source)
    fencepost("check", "a.tpl", "--format", "json", "-o", "report.json", "--jobs", "1")
    again = fencepost("explain", "report.json", "--format", name)[1]
    first = fencepost("check", "a.tpl", "--format", name, "--jobs", "1")[1]
    assert without_time(again) == without_time(first)


def test_a_saved_report_of_several_files(fencepost):
    write("a.tpl", SB)
    write("b.tpl", RACE)
    fencepost("check", "a.tpl", "b.tpl", "missing.tpl", "--format", "json", "-o", "report.json")
    code, out, err = fencepost("explain", "report.json")
    assert (code, err) == (0, "")
    assert out.count("NOT robust: ") == 2
    code, _, err = fencepost("explain", "report.json", "--format", "svg")
    assert code == 3
    assert err.startswith("error: a picture shows one program\n")


def report(change):
    """A report in JSON, with a change made."""
    from fencepost import api
    from fencepost.frontends import loads
    from fencepost.reports.json import data

    document = data(api.check(loads(SB, "sb.tpl")))
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("schema"), "report.schema: expected an integer"),
        (lambda d: d.update(schema=99), "report.schema: this version of fencepost reads 1"),
        (lambda d: d.update(verdict="maybe"), "report.verdict: expected robust, unknown, or not-robust with a witness"),
        (lambda d: d.update(witness=None), "report.verdict: expected robust, unknown, or not-robust with a witness"),
        (lambda d: d["witness"].update(kind="odd"), "report.witness.kind: expected one of stale-access, "),
        (lambda d: d["witness"]["trace"][1].update(thread="0"), "report.witness.trace[1].thread: expected an integer"),
        (
            lambda d: d["witness"]["trace"][1].update(thread=7),
            "report.witness: a thread that the program does not have",
        ),
        (lambda d: d["witness"]["cycle"].append({"source": 99, "target": 1, "kind": "po"}), "an edge between events"),
        (lambda d: d["witness"].update(events={}), "report.witness.events: expected an array"),
        (lambda d: d.update(warnings=[3]), "report.warnings[0]: expected a string"),
        (lambda d: d["program"].update(source="nonsense"), "report.program.source: sb:1:1: error: "),
        (lambda d: d["program"].update(language="pascal"), "there is no input language 'pascal'"),
    ],
)
def test_what_is_no_report(fencepost, change, message):
    code, out, err = fencepost("explain", write("report.json", report(change)))
    assert (code, out) == (3, "")
    assert err.startswith("error: report.json is not a report of fencepost: ")
    assert message in err
    assert "hint: it comes from fencepost check --format json" in err


@pytest.mark.parametrize("text", ["", "{", "3", '"text"', "[" * 10000, b"\xff\xfe"])
def test_what_is_not_even_json(fencepost, text):
    code, out, err = fencepost("explain", write("report.json", text))
    assert (code, out) == (3, "")
    assert err.startswith("error: ")
    assert "Traceback" not in err
