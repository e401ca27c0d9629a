"""bench/rc20.py measures what it says, on the smallest program."""

import re
import subprocess
import sys
from pathlib import Path

from fencepost import Reduction

BENCH = Path(__file__).parent.parent / "bench" / "rc20.py"


def bench(*arguments):
    return subprocess.run([sys.executable, str(BENCH), *arguments], capture_output=True, text=True, check=False)


def test_programs_are_decided_for_both_notions_and_compared(tmp_path):
    figures = {"total_s": 1000.0, "hash_factor": 30.0}
    published = tmp_path / "figures.json"
    entry = f'{{"program": "lock_exchange", "rc20_robust": {figures}, "rc20_observational": {figures}}}'
    published.write_text(f'{{"programs": [{entry}]}}'.replace("'", '"'), encoding="utf-8")
    finished = bench("programs", "--only", "lock_exchange", "--published", str(published))
    assert finished.returncode == 0, finished.stderr
    rows = re.findall(
        r"^\| lock_exchange \| (\w+) \| robust \| ([\d,]+) \|.*\| 1000.00 \|", finished.stdout, re.MULTILINE
    )
    assert [notion for notion, _ in rows] == ["robust", "observational"]
    assert "undecided: 0; other than marked: 0." in finished.stdout
    assert "Slower than it: none." in finished.stdout


def test_without_figures_of_the_published_tool_the_rest_is_measured(tmp_path):
    finished = bench("programs", "--only", "lock_exchange", "--published", str(tmp_path / "no.json"))
    assert finished.returncode == 0, finished.stderr
    assert "undecided: 0; other than marked: 0." in finished.stdout
    assert "published tool:" not in finished.stdout


def test_a_part_that_is_not_there_is_named():
    finished = bench("nothing")
    assert finished.returncode == 2
    assert "no part is called nothing" in finished.stderr


def test_what_does_not_depend_on_reductions_is_counted():
    finished = bench("agreement", "--only", "lock_exchange")
    assert finished.returncode == 0, finished.stderr
    variants = len(rc20_reductions()) + 2  # all off, and two workers
    assert f"{2 * variants} the same, 0 out of budget, 0 other." in finished.stdout


def rc20_reductions():
    return [reduction for reduction in Reduction if reduction is not Reduction.PAIRS]
