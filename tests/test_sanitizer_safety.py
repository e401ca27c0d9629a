"""Programs that do what is hard for a tool inside them: they run as without it, or there is a message."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from support.compilers import build, campaign, needs_runtime

from fencepost.sanitizer.results import Kind

PROGRAM = Path(__file__).parent / "programs" / "troubles.cpp"

pytestmark = needs_runtime


@pytest.fixture(scope="module", params=["gcc", "clang"])
def troubles(request, tmp_path_factory):
    from support.compilers import required

    required(request.param)
    target = tmp_path_factory.mktemp("programs") / "troubles"
    build(PROGRAM, target, "-O1", "-std=c++17", compiler=request.param, language="c++")
    return target


@pytest.mark.parametrize("schedule", ["native", "default"])
@pytest.mark.parametrize(
    "what",
    ["signal_handler", "detached", "thread_locals", "many_threads", "at_once", "forks", "message", "pairs", "symbols"],
)
def test_runs_as_without_the_tool(troubles, what, schedule):
    runs = 2 if what in ("many_threads", "at_once") else 8
    result = campaign(troubles, what, schedule=schedule, runs=runs)
    assert [finding.headline for finding in result.findings] == []
    assert result.totals.endings == {"ok": runs}


@pytest.mark.parametrize("schedule", ["native", "default"])
def test_atomics_of_different_sizes_at_one_place_synchronise_and_are_told(troubles, schedule):
    result = campaign(troubles, "sizes", schedule=schedule, runs=8)
    assert {finding.kind for finding in result.findings} == {Kind.TROUBLE}
    assert "different sizes overlap" in result.findings[0].headline
    assert result.totals.endings == {"ok": 8}


@pytest.mark.parametrize("schedule", ["native", "default"])
def test_exit_in_a_thread_keeps_its_code(troubles, schedule):
    result = campaign(troubles, "exit_in_thread", schedule=schedule, runs=5)
    assert [finding.headline for finding in result.findings] == ["the program ended with exit code 7"]
    assert result.totals.endings == {"failed": 5}


@pytest.mark.parametrize("what", ["copies", "ends_at_once", "ends_quickly", "child_ends_at_once"])
def test_a_race_is_told_however_it_comes_about_and_the_process_ends(troubles, what, tmp_path):
    log = tmp_path / "log"
    settings = {**os.environ, "FENCEPOST_OPTIONS": f"schedule=random:seed=1:log_path={log}"}
    done = subprocess.run([troubles, what], env=settings, check=False)
    records = [json.loads(line) for line in log.read_text().splitlines()]
    assert done.returncode == 66
    assert "race" in {record["type"] for record in records}
    ends = [record for record in records if record["type"] == "end"]
    assert len(ends) == (2 if what == "child_ends_at_once" else 1)


def test_no_memory_for_the_tool_is_a_message(troubles):
    limited = f"ulimit -v 200000; exec {troubles} many_locations"
    done = subprocess.run(["sh", "-c", limited], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "fencepost" in done.stderr
    assert "memory" in done.stderr


def test_a_log_that_cannot_be_written_is_a_message(troubles):
    settings = {**os.environ, "FENCEPOST_OPTIONS": "log_path=/nowhere/at/all"}
    done = subprocess.run([troubles, "message"], capture_output=True, text=True, env=settings, check=False)
    assert done.returncode != 0
    assert "/nowhere/at/all" in done.stderr
