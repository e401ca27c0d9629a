"""The sanitizer finds a violation in some schedule of a program iff the exact checker says that it is not robust."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from support import sanitizer_agreement as agreement
from support.compilers import needs_runtime, required
from support.fork_server import ForkServer, build
from support.to_c import expressible, to_c

from fencepost.frontends.tpl.parser import parse
from fencepost.program.form import Program

pytestmark = needs_runtime


@pytest.mark.parametrize(
    ("compiler", "seeds", "options"),
    [
        ("gcc", range(0, 300), agreement.OPTIONS),
        ("clang", range(300, 500), agreement.OPTIONS),
        ("gcc", range(0, 60), agreement.WITH_NON_ATOMICS),
    ],
)
def test_random_programs(compiler: str, seeds: range, options: agreement.Options) -> None:
    required(compiler)
    counts: Counter[str] = Counter()
    found = list(agreement.all_differences(seeds, compiler, counts, options, batch=100))
    assert found == []
    assert counts["robust"] > len(seeds) / 5  # the test is about both
    assert counts["not robust"] > len(seeds) / 5


def schedules(program: Program, folder: Path) -> tuple[int, bool]:
    """How many schedules are run, and whether something is found in the last of them."""
    source = folder / "program.c"
    source.write_text(to_c([expressible(program)]))
    binary = build(source, folder / "program", "gcc", *agreement.FLAGS)
    with ForkServer([binary]) as server:
        server.set("PROGRAM", 0)
        answer = server.explore("deadlocks=0")
    found = answer["violations"] != "0"
    assert found or answer["complete"] == "1"
    return int(answer["runs"]), found
