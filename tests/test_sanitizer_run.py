"""fencepost run: what it finds, what it says of it, and that what it says can be repeated."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.compilers import build, needs_runtime

from fencepost.cli.main import main

PROGRAMS = Path(__file__).parent / "programs"

pytestmark = needs_runtime


@pytest.fixture(scope="module")
def troubles(tmp_path_factory):
    target = tmp_path_factory.mktemp("programs") / "troubles"
    build(PROGRAMS / "troubles.cpp", target, "-O1", "-std=c++17", language="c++")
    return str(target)


def as_json(fencepost, *arguments):
    code, out, err = fencepost("run", "--format", "json", *arguments)
    assert err == ""
    return code, json.loads(out)


def kinds(result):
    return {finding["kind"] for finding in result["findings"]}


def test_a_violation_is_told_with_all_that_is_needed_to_act(fencepost, troubles):
    code, out, err = fencepost("run", "--runs", 60, troubles, "store_buffering")
    assert (code, err) == (1, "")
    assert out.startswith("NOT robust: 2 robustness violations in 60 runs of troubles\n")
    text = " ".join(out.split())
    assert re.search(
        r"the acquire load at \S*troubles.cpp:26 \(operator\(\)\) may read the old value 0, although the relaxed store "
        r"at \S*troubles.cpp:21 \(operator\(\)\), which wrote 1, comes first under SC",
        text,
    )
    assert "(void)x.load(std::memory_order_acquire);" in out
    assert "x.store(1, std::memory_order_relaxed);" in out
    assert "why the one comes before the other under SC" in out
    assert re.search(
        r"troubles.cpp:25 \(operator\(\)\), thread 2, overwrites what the thread of \S*troubles.cpp:21", text
    )
    assert "what would forbid it" in out
    assert "put an SC fence, atomic_thread_fence(memory_order_seq_cst), after" in text
    assert re.search(r"and one between \S*troubles.cpp:25 \(operator\(\)\) and \S*troubles.cpp:26", text)
    assert "PCT shows a bug with a probability of at least" in text


def test_what_is_found_can_be_repeated_in_another_process(fencepost, troubles):
    _, out, _ = fencepost("run", "--runs", 40, troubles, "store_buffering")
    commands = re.findall(r"^ +(fencepost run .*)$", out, re.MULTILINE)
    headlines = [
        finding["headline"] for finding in as_json(fencepost, "--runs", 40, troubles, "store_buffering")[1]["findings"]
    ]
    assert len(commands) == len(headlines) == 2
    for command, headline in zip(commands, headlines, strict=True):
        words = shlex.split(command)[2:]
        _, again = as_json(fencepost, *words)
        assert again["runs"]["made"] == 1
        assert headline in [finding["headline"] for finding in again["findings"]]


@pytest.mark.parametrize("schedule", ["native", "random", "pct", "pos", "default"])
def test_every_schedule_finds_a_race(fencepost, troubles, schedule):
    code, result = as_json(fencepost, "--schedule", schedule, "--runs", 10, troubles, "race")
    assert code == 1
    assert kinds(result) == {"race"}
    assert result["schedule"] == schedule
    finding = result["findings"][0]
    places = {(event["stack"][0]["line"], event["what"]) for event in (finding["access"], finding["missed"])}
    assert places == {(33, "write"), (34, "write")}


def test_nothing_is_found_in_a_program_that_is_right(fencepost, troubles):
    code, out, err = fencepost("run", "--runs", 30, "-q", troubles, "message")
    assert (code, err) == (0, "")
    assert out == "nothing found in 30 runs of troubles (other schedules and inputs may show more)\n"


def test_several_jobs_make_the_same_runs(fencepost, troubles):
    options = ("--schedule", "random", "--runs", 40)
    _, alone = as_json(fencepost, *options, troubles, "store_buffering")
    _, together = as_json(fencepost, *options, "--jobs", 3, troubles, "store_buffering")
    assert together["runs"]["made"] == 40

    def counts(result):
        return sorted((finding["headline"], finding["runs"]) for finding in result["findings"])

    assert counts(alone) == counts(together)


def test_until_violation_stops_there(fencepost, troubles):
    code, result = as_json(fencepost, "--until-violation", "--runs", 1000, troubles, "store_buffering")
    assert code == 1
    assert result["runs"]["made"] < 1000
    assert sum(finding["runs"] for finding in result["findings"]) == 1


def test_deadlock(fencepost, troubles):
    code, result = as_json(fencepost, "--runs", 60, troubles, "deadlock")
    assert code == 1
    assert kinds(result) == {"deadlock"}
    options = result["findings"][0]["setup"]["options"]
    assert kinds(as_json(fencepost, *options, troubles, "deadlock")[1]) == {"deadlock"}


def test_crash_is_told_with_what_the_program_wrote_and_repeated(fencepost, troubles):
    code, result = as_json(fencepost, "--runs", 60, troubles, "crash")
    assert code == 1
    assert kinds(result) == {"crash"}
    finding = result["findings"][0]
    assert finding["headline"] == "the program crashed: signal 11 (SIGSEGV)"
    assert "about to crash" in finding["output"]
    assert kinds(as_json(fencepost, *finding["setup"]["options"], troubles, "crash")[1]) == {"crash"}


def test_exit_codes_of_the_program(fencepost, troubles):
    code, result = as_json(fencepost, "--runs", 3, troubles, "message", "5")
    assert code == 1
    assert [finding["headline"] for finding in result["findings"]] == ["the program ended with exit code 5"]


def test_a_run_without_end_is_ended_and_says_nothing(fencepost, troubles):
    began = time.monotonic()
    code, result = as_json(fencepost, "--schedule", "native", "--runs", 2, "--timeout", "0.3", troubles, "hang")
    assert time.monotonic() - began < 30
    assert code == 2
    assert [finding["headline"] for finding in result["findings"]] == ["a run did not end within its time"]
    assert result["runs"]["endings"] == {"timeout": 2}


def test_races_can_be_left_out(fencepost, troubles, monkeypatch):
    assert as_json(fencepost, "--no-races", "--runs", 10, troubles, "race")[0] == 0
    monkeypatch.setenv("FENCEPOST_OPTIONS", "races=0")
    assert as_json(fencepost, "--runs", 10, troubles, "race")[0] == 0


def test_suppressions(fencepost, troubles, tmp_path):
    rules = tmp_path / "known"
    rules.write_text("# known\nviolation:*store_buffering*\nrace:troubles.cpp\n")
    code, result = as_json(fencepost, "--suppressions", rules, "--runs", 10, troubles, "race")
    assert (code, result["findings"], result["suppressed"]) == (0, [], 1)
    rules.write_text("race:elsewhere.c\n")
    assert as_json(fencepost, "--suppressions", rules, "--runs", 10, troubles, "race")[0] == 1


@pytest.mark.parametrize(
    ("line", "problem"),
    [("race", "expected kind:pattern"), ("rice:push", "there is no kind 'rice'"), ("race:", "expected kind:pattern")],
)
def test_suppressions_that_say_nothing(fencepost, troubles, tmp_path, line, problem):
    rules = tmp_path / "known"
    rules.write_text(f"\n{line}\n")
    code, out, err = fencepost("run", "--suppressions", rules, troubles, "race")
    assert (code, out) == (3, "")
    assert f"{rules}:2: {problem}" in err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["no-such-program"], "there is no program no-such-program"),
        (["./no-such-program"], "there is no program ./no-such-program"),
        (["--runs", "0", "true"], "'0' is not a positive whole number"),
        (["--schedule", "pcd", "true"], "there is no schedule 'pcd'"),
        (["--replay", "nothing", "true"], "there is no schedule nothing"),
        (["true"], "without running under the sanitizer"),
        (["false"], "without running under the sanitizer"),
        ([], "the following arguments are required: PROGRAM"),
    ],
)
def test_usage(fencepost, arguments, problem):
    code, out, err = fencepost("run", *arguments)
    assert (code, out) == (3, "")
    assert problem in err
    assert "hint: " in err or "no-such" in problem or "nothing" in problem


def test_options_of_the_runtime_that_there_are_not(fencepost, troubles, monkeypatch):
    monkeypatch.setenv("FENCEPOST_OPTIONS", "racess=0")
    code, out, err = fencepost("run", troubles, "race")
    assert (code, out) == (3, "")
    assert "error: FENCEPOST_OPTIONS: there is no option 'racess=0'" in err


def test_minimised_schedules_are_saved_and_can_be_replayed(fencepost, troubles, tmp_path):
    _, result = as_json(fencepost, "--runs", 20, "--minimise", "--schedules", tmp_path, troubles, "store_buffering")
    assert result["findings"]
    for finding in result["findings"]:
        before, after = finding["switches"]
        assert after <= before
        assert after <= 6  # main, the two threads, and main again in between
        _, again = as_json(fencepost, "--replay", finding["schedule_file"], troubles, "store_buffering")
        assert finding["headline"] in [other["headline"] for other in again["findings"]]


def test_saved_logs_are_explained(fencepost, troubles, tmp_path):
    log = tmp_path / "a.log"
    fencepost("run", "--runs", 10, "--log", log, troubles, "race")
    code, out, err = fencepost("explain", log)
    assert (code, err) == (0, "")
    assert "data race: the plain write at" in out
    assert "troubles.cpp:33" in out


def test_log_of_a_program_that_runs_by_itself(fencepost, troubles, tmp_path):
    log = tmp_path / "b.log"
    settings = {**os.environ, "FENCEPOST_OPTIONS": f"log_path={log}:exitcode=5"}
    assert subprocess.run([troubles, "race"], env=settings, check=False).returncode == 5
    code, result = fencepost("explain", log, "--format", "json")[:2]
    assert code == 0
    assert kinds(json.loads(result)) == {"race"}


def test_log_that_ends_in_the_middle(fencepost, troubles, tmp_path):
    log = tmp_path / "c.log"
    fencepost("run", "--runs", 5, "--log", log, troubles, "race")
    log.write_text(log.read_text()[:-20])
    code, out, _ = fencepost("explain", log)
    assert code == 0
    assert "the log ends in the middle of a record" in out


def test_log_with_a_line_that_is_none(fencepost, troubles, tmp_path):
    log = tmp_path / "d.log"
    fencepost("run", "--runs", 2, "--log", log, troubles, "race")
    lines = log.read_text().splitlines()
    log.write_text("\n".join([lines[0], '{"type": "surprise"}', *lines[1:]]) + "\n")
    code, out, err = fencepost("explain", log)
    assert (code, out) == (3, "")
    assert "line 2: no record has the type 'surprise'" in err


def test_without_the_launcher_findings_go_to_stderr(troubles):
    done = subprocess.run([troubles, "race"], capture_output=True, text=True, check=False)
    assert done.returncode == 66
    assert "race" in done.stderr


def test_halt_on_error_and_exit_code(troubles):
    settings = {**os.environ, "FENCEPOST_OPTIONS": "halt_on_error=1:exitcode=9"}
    done = subprocess.run([troubles, "race", "3"], capture_output=True, env=settings, check=False)
    assert done.returncode == 9


def test_what_the_program_writes_is_shown_when_asked_for(capfd, troubles):
    assert main(["run", "--runs", "1", "--show-output", troubles, "nothing"]) == 1
    assert "there is no test of that name\n" in capfd.readouterr().out
    assert main(["run", "--runs", "1", "-q", troubles, "nothing"]) == 1
    assert capfd.readouterr().out == "1 kind of failed run in 1 run of troubles\n"


def test_interrupted_runs_keep_what_was_found(troubles):
    command = [sys.executable, "-m", "fencepost", "run", "--runs", "1000000", "--format", "json", troubles, "race"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    result = json.loads(out)
    assert process.returncode == 1
    assert result["interrupted"]
    assert kinds(result) == {"race"}
    assert 0 < result["runs"]["made"] < 1000000


def test_a_report_is_written_whole(fencepost, troubles, tmp_path):
    target = tmp_path / "report.json"
    code, out, err = fencepost("run", "--runs", 5, "--format", "json", "-o", target, troubles, "race")
    assert (code, out, err) == (1, "", "")
    assert kinds(json.loads(target.read_text())) == {"race"}


def test_sarif(fencepost, troubles):
    code, out, _ = fencepost("run", "--runs", 20, "--format", "sarif", troubles, "store_buffering")
    assert code == 1
    (run,) = json.loads(out)["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert run["results"]
    for finding in run["results"]:
        assert finding["ruleId"] == "FP2001" == rules[finding["ruleIndex"]]
        place = finding["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"].endswith("troubles.cpp")
        assert place["region"]["startLine"] in (22, 26)
        assert "may read the old value 0" in finding["message"]["text"]
        assert "To see it again: fencepost run" in finding["message"]["text"]
        assert {len(stack["frames"]) > 0 for stack in finding["stacks"]} == {True}


def test_html_is_one_page_with_everything_escaped(fencepost, troubles):
    code, out, _ = fencepost("run", "--runs", 20, "--format", "html", troubles, "race", "<script>")
    assert code == 1
    assert out.startswith("<!DOCTYPE html>")
    assert "data race" in out
    assert "&lt;script&gt;" in out
    assert "race <script>" not in out


def test_all_schedules_of_a_small_program(fencepost, troubles):
    code, out, _ = fencepost("run", "--schedule", "exhaustive", troubles, "store_buffering")
    assert code == 1
    first = " ".join(out.split("\n\n", 1)[0].split())
    told = re.match(
        r"NOT robust: 2 robustness violations in troubles: all (\d+) schedules were run, up to the order", first
    )
    assert told is not None
    # The command of a finding runs as many as it takes.
    commands = re.findall(r"^ +(fencepost run .*)$", out, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        words = shlex.split(command)[2:]
        assert "exhaustive" in words
        _, again = as_json(fencepost, *words)
        assert again["runs"]["made"] <= int(told[1])
        assert "violation" in kinds(again)


def test_all_schedules_without_a_finding_are_an_answer_and_fewer_are_none(fencepost, troubles):
    code, result = as_json(fencepost, "--schedule", "exhaustive", troubles, "message")
    assert (code, result["runs"]["all_schedules"], result["findings"]) == (0, True, [])
    code, result = as_json(fencepost, "--schedule", "exhaustive", "--runs", 1, troubles, "store_buffering")
    assert result["runs"]["all_schedules"] is False
    code, out, _ = fencepost("run", "--schedule", "exhaustive", "--runs", 1, "-q", troubles, "message")
    assert (code, out) == (2, "unknown: nothing found in 1 run of troubles, which are not all schedules\n")


def test_all_schedules_are_neither_minimised_nor_run_in_parallel(fencepost, troubles):
    for options in (["--minimise"], ["--jobs", 2]):
        code, _, err = fencepost("run", "--schedule", "exhaustive", *options, troubles, "message")
        assert code == 3
        assert "--schedule exhaustive" in err
