"""The small examples get the answers that they announce."""

from pathlib import Path

import pytest

from fencepost import api
from fencepost.models.notions import Notion
from fencepost.verdict.types import Agreement, Answer, NotRobust, WitnessKind

EXAMPLES = sorted((Path(__file__).parent.parent / "examples" / "litmus").glob("*.tpl"))
ANNOUNCED = [
    pytest.param(path, Notion(expectation.notion), model, id=f"{path.stem}-{expectation.notion}-{model}")
    for path in EXAMPLES
    for expectation in api.load(path).expectations
    for model in expectation.models
]


@pytest.mark.parametrize(("path", "notion", "model"), ANNOUNCED)
def test_examples_get_the_answer_that_they_announce(path, notion, model):
    result = api.check(path, model=model, notion=notion)
    assert result.expectation is Agreement.AGREES
    assert result.warnings == ()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_says_what_it_shows(path):
    comments = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("// ")]
    assert any(line.endswith((".", ".)")) for line in comments if not line.startswith("// ROBUSTNESS"))


def test_both_notions_and_both_models_are_announced_everywhere_but_for_the_race():
    per_file = {path.stem: 0 for path in EXAMPLES}
    for parameters in ANNOUNCED:
        per_file[parameters.values[0].stem] += 1
    assert per_file.pop("mp-race") == 0
    assert set(per_file.values()) == {4}
    assert len(per_file) >= 10


def test_the_race():
    path = next(path for path in EXAMPLES if path.stem == "mp-race")
    result = api.check(path)
    assert isinstance(result.verdict, NotRobust)
    assert result.verdict.witness.kind is WitnessKind.RACE
    assert result.races is Answer.FAIL
