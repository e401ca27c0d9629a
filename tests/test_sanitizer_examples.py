"""The programs of examples/sanitizer show what they are said to, with both compilers, at -O0 and -O2, as C and as C++.

Set FENCEPOST_ALL_EXAMPLES=1 for all of that with each program (some minutes); else half of them in one way as C++.
"""

from __future__ import annotations

import os
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.compilers import build, campaign, needs_runtime, required

from fencepost.sanitizer.results import Kind

EXAMPLES = Path(__file__).parent.parent / "examples" / "sanitizer"
CASES = tomllib.loads((EXAMPLES / "expected.toml").read_text())["case"]
ALL = os.environ.get("FENCEPOST_ALL_EXAMPLES") == "1"
WAYS = [(compiler, level) for compiler in ("gcc", "clang") for level in ("-O0", "-O2")]

_SAID = {Kind.VIOLATION: "violations", Kind.RACE: "races", Kind.DEADLOCK: "deadlocks"}
_ROUND = 40  # runs at a time, until all is found that should be
_MOST_ROUNDS = 10


def name(case: dict) -> str:
    return " ".join([case["program"], *case["defines"]])


def ways(index: int) -> list[tuple[str, str, str]]:
    """Compiler, level, language."""
    other = WAYS if ALL else WAYS[index // 2 % 4 : index // 2 % 4 + 1 - index % 2]
    return [(*way, "c") for way in WAYS] + [(*way, "c++") for way in other]


@needs_runtime
@pytest.mark.parametrize("index", range(len(CASES)), ids=lambda index: name(CASES[index]))
def test_example(tmp_path, index):
    case = CASES[index]
    expected = {kind for kind, word in _SAID.items() if case.get(word)}
    for compiler in {way[0] for way in WAYS}:
        required(compiler)

    def found_by(way: tuple[str, str, str]) -> dict[Kind, str]:
        compiler, level, language = way
        program = tmp_path / "".join(way)
        defines = [f"-D{define}" for define in case["defines"]]
        build(EXAMPLES / case["program"], program, level, *defines, compiler=compiler, language=language)
        found: dict[Kind, str] = {}
        for number in range(_MOST_ROUNDS):
            result = campaign(program, runs=_ROUND, seed=1 + number * _ROUND, options={"max_steps": "20000"})
            found.update({finding.kind: finding.headline for finding in result.findings})
            if set(found) >= expected and (expected or number == 1):
                break
        return found

    with ThreadPoolExecutor(2) as pool:
        for way, found in zip(ways(index), pool.map(found_by, ways(index)), strict=True):
            assert set(found) == expected, (way, found)


def test_every_program_has_expectations():
    programs = {path.name for path in EXAMPLES.glob("*.c")}
    assert programs == {case["program"] for case in CASES}


@needs_runtime
@pytest.mark.parametrize("program", ["barrier.c", "ticketlock.c"])
def test_loops_that_only_wait_are_recognised_when_asked_for(tmp_path, program):
    binary = tmp_path / "program"
    build(EXAMPLES / program, binary, "-O1", "-DWAITS=0")
    as_they_are = campaign(binary, runs=60)
    assert {finding.kind for finding in as_they_are.findings} == {Kind.VIOLATION}
    tried = campaign(binary, runs=60, options={"benign_waits": "1"})
    assert {finding.kind for finding in tried.findings} == {Kind.BENIGN_WAIT}
    assert not tried.found


@needs_runtime
def test_a_violation_that_is_no_wait_stays_one(tmp_path):
    binary = tmp_path / "program"
    build(EXAMPLES / "sb.c", binary, "-O1")
    tried = campaign(binary, runs=60, options={"benign_waits": "1"})
    assert {finding.kind for finding in tried.findings if finding.kind is not Kind.FAILURE} == {Kind.VIOLATION}
