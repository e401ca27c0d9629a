"""Lock-free libraries that nobody here wrote run to their end under the sanitizer (docs/sanitizer-libraries.md)."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compilers import build, campaign, needs_runtime, packaged

from fencepost.sanitizer.results import Kind

LIBRARIES = Path(__file__).parent.parent / "examples" / "sanitizer" / "libraries"
PACKAGES = {
    "boost_queue": ("boost/lockfree/queue.hpp", "libboost-dev"),
    "boost_spsc": ("boost/lockfree/spsc_queue.hpp", "libboost-dev"),
    "boost_stack": ("boost/lockfree/stack.hpp", "libboost-dev"),
    "concurrentqueue": ("concurrentqueue/concurrentqueue.h", "libconcurrentqueue-dev"),
    "readerwriterqueue": ("readerwriterqueue/readerwriterqueue.h", "libreaderwriterqueue-dev"),
    "atomic_queue": ("atomic_queue/atomic_queue.h", "libatomic-queue-dev"),
    "xenium_chase_lev": ("xenium/chase_work_stealing_deque.hpp", "libxenium-dev"),
    "xenium_michael_scott": ("xenium/michael_scott_queue.hpp", "libxenium-dev"),
    "xenium_vyukov": ("xenium/vyukov_bounded_queue.hpp", "libxenium-dev"),
}


@needs_runtime
@pytest.mark.parametrize("name", PACKAGES)
def test_library_runs_to_its_end(tmp_path, name):
    packaged(*PACKAGES[name])
    program = tmp_path / name
    build(LIBRARIES / f"{name}.cpp", program, "-std=c++17", "-O1", "-latomic", language="c++")
    result = campaign(program, runs=60)
    assert result.totals.endings == {"ok": 60}
    told = {finding.kind for finding in result.findings}
    races = {Kind.RACE} if name in ("boost_queue", "boost_stack") else set()  # of links of the free list
    assert told == {Kind.VIOLATION} | races
    for finding in result.findings:
        assert finding.access is not None
        assert finding.access.frame is not None
        assert finding.access.frame.is_known


def test_every_program_is_tested():
    assert {path.stem for path in LIBRARIES.glob("*.cpp")} == set(PACKAGES)
