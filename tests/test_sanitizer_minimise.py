"""Shorter schedules that are tried when a finding's schedule is shrunk."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost.sanitizer.minimise import Schedule, ScheduleError, candidates, merged, read, write


def test_neighbours_of_a_thread_are_merged() -> None:
    assert merged([(0, 3), (1, 1), (1, 4), (0, 2)]) == ((0, 3), (1, 5), (0, 2))


def test_what_a_thread_does_in_two_goes_is_tried_in_one_later_and_sooner() -> None:
    schedule = Schedule(((0, 4), (1, 1), (2, 5), (1, 6)), (2,))
    tried = list(candidates(schedule))
    assert Schedule(((0, 4), (2, 5), (1, 7)), (2,)) in tried
    assert Schedule(((0, 4), (1, 7), (2, 5)), (2,)) in tried
    assert all(candidate.choices == (2,) for candidate in tried)


def test_every_candidate_saves_switches_or_steps() -> None:
    schedule = Schedule(((0, 4), (1, 1), (2, 5), (1, 6), (0, 3), (2, 2)))
    tried = list(candidates(schedule))
    assert tried
    assert all(candidate.cost < schedule.cost for candidate in tried)


def test_schedules_in_files(tmp_path: Path) -> None:
    path = str(tmp_path / "schedule")
    schedule = Schedule(((0, 4), (1, 1), (0, 2)), (1, 0))
    write(path, schedule, remark="a remark")
    assert read(path) == schedule
    for text in ("", "fencepost-schedule 1\n0 four\n", "something else\n"):
        Path(path).write_text(text)
        with pytest.raises(ScheduleError):
            read(path)
