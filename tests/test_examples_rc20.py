"""The programs of Margalit and Lahav's evaluation (POPL 2021, Fig. 6 and 7), in our own versions: their answers, and
that none is smaller than the published one."""

import json
from pathlib import Path

import pytest
from support.sizes import size_of

from fencepost import api
from fencepost.engines.options import SearchOptions
from fencepost.models.notions import Notion
from fencepost.verdict.types import Agreement, Answer, NotRobust, Robust

EXAMPLES = sorted((Path(__file__).parent.parent / "examples" / "rc20").glob("*.tpl"))
PUBLISHED = Path(__file__).parent.parent.parent / "shared" / "peers" / "rocker.json"

# Columns R and O of Fig. 6; all of Fig. 7 is robust.
NOT_ROBUST = {"peterson", "seqlock_fence", "seqlock_fence-rw", "seqlock_rdmw", "seqlock_rdmw-rw"}
NOT_OBSERVATIONALLY_ROBUST = {"peterson"}

LARGE = {"rcu-offline"}  # ten seconds and more: `bench/run rc20 programs` decides it

both_notions = pytest.mark.parametrize("notion", [Notion.ROBUST, Notion.OBSERVATIONAL], ids=lambda notion: notion.value)
every_example = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


@every_example
@both_notions
def test_every_program_is_marked_with_the_published_verdict(path, notion):
    wrong = NOT_ROBUST if notion is Notion.ROBUST else NOT_OBSERVATIONALLY_ROBUST
    marks = [e.robust for e in api.load(path).expectations if e.notion == notion.value and "rlx" in e.models]
    assert marks == [path.stem not in wrong]


@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.stem not in LARGE], ids=lambda path: path.stem)
@both_notions
def test_every_program_gets_the_verdict_that_it_is_marked_with(path, notion):
    result = api.check(path, notion=notion, options=SearchOptions(jobs=1, memory=4 << 30))
    assert result.expectation is Agreement.AGREES
    if isinstance(result.verdict, Robust):
        assert result.assertions is Answer.HOLD
        assert result.races is Answer.HOLD
        assert result.deadlock is None
    else:
        assert isinstance(result.verdict, NotRobust)


@every_example
def test_every_program_says_what_it_shows(path):
    comments = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("// ")]
    assert sum(not line.startswith("// ROBUSTNESS") for line in comments) >= 2


@pytest.mark.skipif(not PUBLISHED.is_file(), reason="the sizes of the published programs are not here")
def test_no_program_is_smaller_than_the_published_one():
    published = {entry["program"]: entry for entry in json.loads(PUBLISHED.read_text(encoding="utf-8"))["programs"]}
    assert {path.stem for path in EXAMPLES} == set(published)
    for path in EXAMPLES:
        ours, theirs = size_of(path), published[path.stem]
        for what, number in {"threads": theirs["threads"], **theirs["size"]}.items():
            assert ours[what] >= number, f"{path.stem}: {what}"
