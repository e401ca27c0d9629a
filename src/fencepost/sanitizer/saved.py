"""A log that the runtime has written, told as the result of runs."""

from __future__ import annotations

from collections import Counter

from .findings import Findings
from .records import End, LogError, Reader, Record, Start
from .results import RunResult, Setup, Totals
from .server import RunOutcome
from .suppressions import Suppressions
from .symbols import Symboliser


def is_log(text: str) -> bool:
    """Whether it begins as a log does."""
    try:
        Reader().read(text.partition("\n")[0])
    except LogError:
        return False
    return True


def load(text: str) -> RunResult:
    """LogError names the line that is wrong. The last line may be cut off: the program may have crashed."""
    reader = Reader()
    lines = text.splitlines()
    runs: dict[int | None, list[Record]] = {}
    cut_off = False
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = reader.read(line)
        except LogError as error:
            if number == len(lines):
                cut_off = True
                break
            raise LogError(f"line {number}: {error}") from None
        if record is not None:
            runs.setdefault(record.run, []).append(record)
    return _told(runs, cut_off=cut_off)


def _told(runs: dict[int | None, list[Record]], *, cut_off: bool) -> RunResult:
    findings = Findings()
    endings: Counter[str] = Counter()
    program = "the program"
    arguments: tuple[str, ...] = ()
    seconds, steps = 0.0, 0
    for records in runs.values():
        start = next((record for record in records if isinstance(record, Start)), None)
        end = next((record for record in records if isinstance(record, End)), None)
        if start is not None:
            program, arguments = start.program, start.argv[1:]
        setup = Setup(start.schedule, start.seed or 0, start.depth, start.steps) if start else Setup("native", 0)
        ending = "ok" if end is not None else "unknown"
        endings[ending] += 1
        seconds += end.counts.get("seconds", 0.0) if end else 0.0
        steps += int(end.counts.get("steps", 0)) if end else 0
        findings.add(RunOutcome(setup, ending, end.status if end else None, 0, 0, tuple(records), ""))
    symboliser = Symboliser()
    told, suppressed = findings.told(symboliser, Suppressions())
    remarks = [symboliser.trouble] if symboliser.trouble and told else []
    if cut_off:
        remarks.append("the log ends in the middle of a record")
    totals = Totals(len(runs), seconds, steps, dict(endings))
    return RunResult(program, arguments, "of the log", None, told, totals, suppressed, remarks=tuple(remarks))
