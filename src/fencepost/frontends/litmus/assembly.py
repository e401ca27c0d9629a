"""The code of a test for a processor: one column for each thread, one instruction or label in each cell.

P0          | P1          ;
MOV W0,#1   | L0:         ;
STR W0,[X1] | LDR W0,[X1] ;
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .code import ThreadCode
from .cursor import Cursor
from .machine import Line, Machine
from .sections import Sections
from .text import Text

_SPACE = re.compile(r"\s*")
_LABEL = re.compile(r"\s*([A-Za-z_.][A-Za-z0-9_.]*)\s*:")
_MNEMONIC = re.compile(r"\s*([A-Za-z][A-Za-z0-9_.]*[-+]?)")
_THREAD = re.compile(r"\s*P?([0-9]+)\s*")

Cell = tuple[int, int]


def columns(sections: Sections) -> list[list[Cell]]:
    """The cells of each thread, in order."""
    text, (start, end) = sections.text, sections.code
    if text.content[start:end].lstrip().startswith(";"):  # after the closing brace of the initial state
        start = text.content.index(";", start) + 1
    rows = list(_rows(text, start, end))
    if not rows:
        text.fail("expected the threads: 'P0 | P1 ;'", end)
    threads: list[list[Cell]] = []
    for first, last in rows[0]:
        found = _THREAD.fullmatch(text.content, first, last)
        if found is None or int(found.group(1)) != len(threads):
            text.fail(f"expected thread P{len(threads)}", _visible(text, first))
        threads.append([])
    for row in rows[1:]:
        if len(row) > len(threads):
            text.fail(f"this row has more cells than there are threads ({len(threads)})", _visible(text, row[0][0]))
        for thread, cell in zip(threads, row, strict=False):
            thread.append(cell)
    return threads


def _rows(text: Text, start: int, end: int) -> Iterator[list[Cell]]:
    while text.content[start:end].strip():
        stop = text.content.find(";", start, end)
        if stop < 0:
            text.fail("expected ';' at the end of the row", _visible(text, start))
        cells: list[Cell] = []
        while (bar := text.content.find("|", start, stop)) >= 0:
            cells.append((start, bar))
            start = bar + 1
        yield [*cells, (start, stop)]
        start = stop + 1


def _visible(text: Text, offset: int) -> int:
    space = _SPACE.match(text.content, offset)
    return offset if space is None else space.end()


def assemble(machine: Machine, text: Text, cells: list[Cell], code: ThreadCode) -> None:
    """Adds what `cells` say to `code`."""
    for start, end in cells:
        while (label := _LABEL.match(text.content, start, end)) is not None:
            code.at(label.start(1))
            code.define(label.group(1))
            start = label.end()
        if text.content[start:end].strip():
            _instruction(machine, text, start, end, code)


def _nearest(name: str, machine: Machine) -> list[str]:
    from difflib import get_close_matches  # costs something to import, and is only needed when something is wrong

    known = {mnemonic.lower(): mnemonic for mnemonic in machine.known()}
    return [known[found] for found in get_close_matches(name.lower(), known, n=6, cutoff=0.0)]


def _instruction(machine: Machine, text: Text, start: int, end: int, code: ThreadCode) -> None:
    place = _visible(text, start)
    code.at(place)
    found = _MNEMONIC.match(text.content, start, end)
    if found is None:
        text.fail("expected an instruction", place)
    name = found.group(1)
    handler = machine.find(name.upper())
    if handler is None:
        text.fail(
            f"unsupported instruction '{' '.join(text.content[place:end].split())}'",
            place,
            hint=f"the nearest that are known for {machine.isa.value}: {', '.join(_nearest(name, machine))}",
        )
    line = Line(machine, code, name, Cursor(text, found.end(), end))
    handler(line)
    if not line.operands.at_end:
        line.operands.expected("the end of the instruction")
