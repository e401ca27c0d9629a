"""Which frames of a stack a person is shown."""

from __future__ import annotations

import pytest

from fencepost.sanitizer.symbols import Frame, is_library


@pytest.mark.parametrize(
    "frame",
    [
        Frame("fencepost::intercept::(anonymous namespace)::run_thread(void*)"),
        Frame("start_thread"),
        Frame("std::thread::_State::~_State()"),
        Frame("load", "/usr/include/c++/12/bits/atomic_base.h", 505),
    ],
)
def test_what_only_carries_the_program_is_left_out(frame: Frame) -> None:
    assert is_library(frame)


@pytest.mark.parametrize("frame", [Frame("reader", "queue.c", 12), Frame("push"), Frame("fencepost_queue::push(int)")])
def test_the_program_itself_is_shown(frame: Frame) -> None:
    assert not is_library(frame)
