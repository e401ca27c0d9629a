"""What changes cost: positive, exact numbers; a repair costs the sum of its parts.

Size: what a change adds to the program (each model's vocabulary says). Frequency: the same times how often its place is
run, which is ten times as often for each loop around it, or what a profile says. A file can name the cost of places.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from fencepost.frontends import InputError
from fencepost.program.form import Program
from fencepost.program.orders import FenceKind, Order

from .edits import Edit, Kind, kind_name

RUNS_PER_LOOP = 10


_KINDS: Mapping[str, Kind] = {kind_name(kind): kind for kind in (Order.ACQUIRE, Order.RELEASE, *FenceKind)}


@dataclass(frozen=True, slots=True)
class Costs:
    """The cost of each edit, and what to call these costs."""

    name: str
    of: tuple[Fraction, ...]
    warnings: tuple[str, ...] = ()


Base = Mapping[Kind, Fraction]


def size(edits: Sequence[Edit], base: Base) -> Costs:
    return Costs("size", tuple(base[edit.what] for edit in edits))


def frequency(edits: Sequence[Edit], base: Base) -> Costs:
    return Costs("frequency (loop depth)", tuple(base[edit.what] * RUNS_PER_LOOP**edit.depth for edit in edits))


def profile(path: str, program: Program, edits: Sequence[Edit], base: Base) -> Costs:
    """Lines `PLACE COUNT`. A place that is never run costs as one that is run once; so does one that is not named."""
    entries = _read(path, program, edits)
    used: set[int] = set()

    def count(edit: Edit) -> Fraction:
        entry = _entry(entries, program, edit)
        if entry is not None:
            used.add(entry.line)
        return max(Fraction(1), Fraction(0) if entry is None else entry.value)

    of = tuple(base[edit.what] * count(edit) for edit in edits)
    return Costs(f"frequency ({path})", of, tuple(_unused(path, program, edits, entries, used)))


def from_file(path: str, program: Program, edits: Sequence[Edit], base: Base) -> Costs:
    """Lines `PLACE [KIND] COST`; what no line is about costs its size."""
    entries = _read(path, program, edits)
    used: set[int] = set()

    def cost(edit: Edit) -> Fraction:
        entry = _entry(entries, program, edit)
        if entry is None:
            return base[edit.what]
        used.add(entry.line)
        return entry.value

    for entry in entries:
        if entry.value == 0:
            raise InputError("a cost is more than 0", file=path, line=entry.line, column=1)
    return Costs(path, tuple(map(cost, edits)), tuple(_unused(path, program, edits, entries, used)))


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line: `thread` and `place` are None if it is about all."""

    line: int
    thread: str | None
    place: str | None
    kind: Kind | None
    value: Fraction


def _read(path: str, program: Program, edits: Sequence[Edit]) -> list[_Entry]:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"cannot read the file: {reason}", file=path) from None
    entries = []
    possible = dict.fromkeys(kind_name(edit.what) for edit in edits)
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("#")[0].split()
        if words:
            entries.append(_parsed(path, number, words, {thread.name for thread in program.threads}, possible))
    return entries


_FORM = "a line is PLACE COST or PLACE KIND COST; PLACE is *, a line of the program, or THREAD:LINE or THREAD:STATE"


def _parsed(path: str, number: int, words: list[str], threads: set[str], possible: Collection[str]) -> _Entry:
    def fail(message: str) -> InputError:
        return InputError(message, file=path, line=number, column=1, hint=_FORM)

    if len(words) not in (2, 3):
        raise fail(f"expected a place and a number, found {len(words)} words")
    place, value = words[0], words[-1]
    kind = None
    if len(words) == 3:
        if words[1] not in _KINDS:
            known = f"; possible here are {', '.join(possible)}" if possible else ""
            raise fail(f"there is no kind of change {words[1]!r}{known}")
        kind = _KINDS[words[1]]
    try:
        amount = Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise fail(f"{value!r} is not a number") from None
    if amount < 0:
        raise fail(f"{value} is negative")
    thread, colon, where = place.rpartition(":")
    if colon and thread not in threads:
        raise fail(f"there is no thread {thread!r}")
    return _Entry(number, thread if colon else None, None if where == "*" else where, kind, amount)


def _entry(entries: Iterable[_Entry], program: Program, edit: Edit) -> _Entry | None:
    """The last line that is about this edit."""
    found = None
    for entry in entries:
        if _is_about(entry, program, edit):
            found = entry
    return found


def _is_about(entry: _Entry, program: Program, edit: Edit) -> bool:
    names = {edit.name} if edit.name is not None else set()
    if edit.span is not None:
        names.add(str(edit.span.line))
    return (
        entry.thread in (None, program.threads[edit.thread].name)
        and (entry.place is None or entry.place in names)
        and entry.kind in (None, edit.what)
    )


def _unused(
    path: str, program: Program, edits: Sequence[Edit], entries: Sequence[_Entry], used: set[int]
) -> Iterator[str]:
    """Lines that say nothing, and why: a mistake, most likely."""
    rest = [entry for entry in entries if entry.line not in used]
    hidden = [entry for entry in rest if any(_is_about(entry, program, edit) for edit in edits)]
    idle = [entry for entry in rest if entry not in hidden]
    if idle:
        yield f"{path}: nothing can be changed at the place of line {_lines(idle)}"
    if hidden:
        yield f"{path}: line {_lines(hidden)} is about places that later lines are about as well, and these count"


def _lines(entries: Iterable[_Entry]) -> str:
    return ", ".join(str(entry.line) for entry in entries)


Chosen = Callable[[Program, Sequence[Edit], Base], Costs]
