"""Controlled scheduling as a user meets it: seeds, records, replays, deadlocks, crashes, all schedules."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.compilers import needs_runtime
from support.fork_server import Answer, ForkServer, build

pytestmark = needs_runtime

SOURCE = Path(__file__).parent / "sanitizer" / "schedules.c"


@pytest.fixture(scope="module")
def binary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(SOURCE, tmp_path_factory.mktemp("schedules") / "schedules", "gcc", "-std=gnu11", "-O1")


@pytest.fixture
def server(binary: Path, tmp_path: Path) -> Iterator[ForkServer]:
    with ForkServer([binary], f"log_path={tmp_path / 'log'}") as made:
        yield made


def alone(binary: Path, case: str, options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process of its own."""
    settings = {**os.environ, "CASE": case, "FENCEPOST_OPTIONS": options, **environment}
    return subprocess.run([binary], env=settings, capture_output=True, text=True, check=False)


def records(log: Path, kind: str) -> list[dict[str, Any]]:
    return [record for line in log.read_text().splitlines() if (record := json.loads(line))["type"] == kind]


def first_with(server: ForkServer, wanted: str, schedule: str = "random") -> Answer:
    for seed in range(200):
        answer = server.run(f"seed={seed} schedule={schedule}")
        if answer["status"] == wanted:
            return answer
    raise AssertionError(f"no run ended with {wanted}")


@pytest.mark.parametrize("schedule", ["random", "pct", "pos", "mix"])
def test_a_seed_means_a_schedule_in_every_process(binary: Path, tmp_path: Path, schedule: str) -> None:
    texts = set()
    for seed in range(4):
        recorded = []
        for attempt in range(3):
            path = tmp_path / f"{seed}-{attempt}"
            done = alone(binary, "sb", f"schedule={schedule}:seed={seed}:record={path}")
            recorded.append((done.returncode, done.stderr, path.read_text()))
        assert recorded[0] == recorded[1] == recorded[2]
        texts.add(recorded[0][2])
    assert len(texts) > 1


def test_a_recorded_violation_is_replayed(binary: Path, tmp_path: Path) -> None:
    for seed in range(20):
        path = tmp_path / f"{seed}"
        first = alone(binary, "sb", f"schedule=random:seed={seed}:record={path}")
        again = alone(binary, "sb", f"replay={path}")
        assert (again.returncode, again.stderr) == (first.returncode, first.stderr)
        assert path.read_text().splitlines()[-1].startswith("end ok ")


def test_another_run_than_the_recorded_one_is_refused(binary: Path, tmp_path: Path) -> None:
    path = tmp_path / "schedule"
    alone(binary, "changes", f"schedule=random:seed=1:record={path}")
    done = alone(binary, "changes", f"replay={path}", CHANGED="1")
    assert done.returncode == 3
    assert "recorded" in done.stderr
    lenient = alone(binary, "changes", f"replay={path}:lenient=1", CHANGED="1")
    assert lenient.returncode == 0
    missing = alone(binary, "changes", f"replay={tmp_path / 'none'}")
    assert missing.returncode == 3
    assert "the schedule to replay cannot be read" in missing.stderr


def test_a_deadlock_is_reported_with_who_waits_where(server: ForkServer, tmp_path: Path) -> None:
    server.set("CASE", "deadlock")
    answer = first_with(server, "deadlock")
    assert answer["exit"] == "66"
    (found,) = records(tmp_path / "log", "deadlock")
    assert sorted(thread["waits_for"] for thread in found["threads"]) == [
        "waits for a mutex",
        "waits for a mutex",
        "waits for a thread to end",
    ]
    assert all(thread["stack"] for thread in found["threads"])


def test_a_crash_is_told_with_its_seed(server: ForkServer, binary: Path) -> None:
    server.set("CASE", "crash")
    answer = first_with(server, "crashed")
    assert answer["signal"] == "6"
    options = f"schedule=random:seed={answer['seed']}:steps={answer['k']}"
    assert alone(binary, "crash", options).returncode == -6


def test_threads_that_spin_for_ever_reach_the_bound(server: ForkServer) -> None:
    server.set("CASE", "spins")
    for schedule in ("random", "pct", "pos"):
        answer = server.run(f"seed=1 schedule={schedule} max_steps=2000")
        assert (answer["status"], answer["steps"]) == ("bound", "2000")


def test_a_run_that_takes_too_long_is_ended(server: ForkServer) -> None:
    server.set("CASE", "spins")
    assert server.run("schedule=native timeout=100")["status"] == "timeout"


def test_blocking_that_cannot_be_seen_is_told(server: ForkServer, tmp_path: Path) -> None:
    server.set("CASE", "pipe")
    assert server.run("seed=0 schedule=random timeout=5000")["status"] == "timeout"
    (told,) = records(tmp_path / "log", "error")
    assert "blocked in the kernel" in told["message"]
    assert server.run("seed=1 schedule=native timeout=4000")["status"] == "ok"


def test_all_schedules(server: ForkServer) -> None:
    server.set("CASE", "mp")
    answer = server.explore()
    assert (answer["complete"], answer["violations"]) == ("1", "0")
    assert int(answer["runs"]) <= 4  # in which order y is written and read, and then x
    server.set("CASE", "sb")
    assert server.explore()["violations"] != "0"
    server.set("CASE", "deadlock")
    assert server.explore()["status"] == "deadlock"


def test_all_schedules_without_a_launcher(binary: Path) -> None:
    robust = alone(binary, "mp", "schedule=exhaustive")
    assert robust.returncode == 0
    assert "all others are like one of them: nothing was found" in robust.stderr
    assert alone(binary, "sb", "schedule=exhaustive").returncode == 66
    bounded = alone(binary, "crash", "schedule=exhaustive:runs=1")
    assert (bounded.returncode, "which are not all" in bounded.stderr) == (2, True)


def test_what_the_server_does_not_understand(server: ForkServer) -> None:
    for line in ("run speed=7", "run seed=seven", "walk seed=7"):
        assert server.ask(line).startswith("error ")
    server.set("CASE", "mp")
    assert server.run("seed=1")["status"] == "ok"


def test_an_unknown_schedule_is_told(binary: Path) -> None:
    done = alone(binary, "mp", "schedule=chaos")
    assert done.returncode == 3
    assert "there is no schedule 'chaos'" in done.stderr
