"""The sanitizer finds a violation in some schedule of a program iff the exact checker says that it is not robust."""

from __future__ import annotations

from collections import Counter

import pytest
from support import sanitizer_agreement as agreement
from support.compilers import needs_runtime, required

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
