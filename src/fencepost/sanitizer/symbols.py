"""From places in code (module and offset) to functions and source lines, by whatever the machine has for it.

Each module's places are asked for once, all together, when the first is needed.
"""

from __future__ import annotations

import linecache
import os
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .records import Place


@dataclass(frozen=True, slots=True)
class Frame:
    """A function at a source line. `file` is empty, and `line` 0, where there is no debug information."""

    function: str
    file: str = ""
    line: int = 0
    column: int = 0

    @property
    def is_known(self) -> bool:
        return bool(self.file) and self.line > 0


# Frames that say how the standard library, or this runtime, is made, not what the program does.
_LIBRARY = re.compile(
    r"/include/c\+\+/|/lib/gcc/|/lib/clang/|/bits/std_|/sanitizer/include/fencepost\.h$|/runtime/include/fencepost\.h$"
    r"|/csu/|/nptl/|/sysdeps/"
)
_LIBRARY_FUNCTION = re.compile(
    r"^(?:std::|__gnu_cxx::|void std::|__libc_start|_start$|start_thread$|clone|lib(?:stdc\+\+|c|pthread)[.-]"
    r"|fencepost::(?:rt|intercept|sched)::)"
)


def is_library(frame: Frame) -> bool:
    return bool(_LIBRARY.search(frame.file)) or (not frame.file and bool(_LIBRARY_FUNCTION.match(frame.function)))


def find_symboliser() -> list[str] | None:
    """The command, or None: $FENCEPOST_SYMBOLIZER, llvm-symbolizer (the newest), addr2line."""
    chosen = os.environ.get("FENCEPOST_SYMBOLIZER")
    versions = [f"llvm-symbolizer-{version}" for version in range(30, 12, -1)]
    for name in [chosen] if chosen else ["llvm-symbolizer", *versions, "addr2line"]:
        path = shutil.which(name)
        if path:
            return [path]
    return None


def source_line(frame: Frame) -> str:
    """What stands there, without the blanks around it; nothing if the file cannot be read."""
    return linecache.getline(frame.file, frame.line).strip() if frame.is_known else ""


class Symboliser:
    """Answers with the frames of a place, the innermost inlined one first."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self._command = list(command) if command is not None else find_symboliser()
        self._known: dict[Place, tuple[Frame, ...]] = {}
        self.trouble: str | None = (
            None
            if self._command
            else "there is no symboliser: install llvm or binutils (addr2line) to see source lines"
        )

    def frames(self, place: Place) -> tuple[Frame, ...]:
        """At least one frame; without debug information it names the module and the offset."""
        if place not in self._known:
            self.prepare([place])
        return self._known.get(place) or (self._unknown(place),)

    def stack(self, places: Sequence[Place]) -> tuple[Frame, ...]:
        """A stack as a person wants it: all inlined frames, without those of the standard library around them.

        If nothing else is left, the stack is shown as it is.
        """
        self.prepare(places)
        frames = [frame for place in places for frame in self.frames(place)]
        return tuple(frame for frame in frames if not is_library(frame)) or tuple(frames)

    def prepare(self, places: Iterable[Place]) -> None:
        """Asks for all that is not known yet, one process per module."""
        wanted: dict[str, set[int]] = defaultdict(set)
        for place in places:
            if place.module and place not in self._known:
                wanted[place.module].add(place.offset)
        for path, offsets in wanted.items():
            ordered = sorted(offsets)
            answers = self._ask(path, ordered)
            for offset, frames in zip(ordered, answers, strict=True):
                self._known[Place(path, offset)] = frames

    def _unknown(self, place: Place) -> Frame:
        path = place.module
        return Frame(f"{os.path.basename(path) or 'unknown code'}+{place.offset:#x}")

    def _ask(self, path: str, offsets: Sequence[int]) -> list[tuple[Frame, ...]]:
        nothing: list[tuple[Frame, ...]] = [() for _ in offsets]
        if not self._command or not os.path.isfile(path):
            return nothing
        llvm = "llvm" in os.path.basename(self._command[0])
        options = ["--inlines", "--demangle", "--functions=linkage", f"--obj={path}"] if llvm else ["-Cfia", "-e", path]
        try:
            answer = subprocess.run(
                [*self._command, *options],
                input="".join(f"{offset:#x}\n" for offset in offsets),
                capture_output=True,
                text=True,
                errors="replace",
                timeout=120,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            self.trouble = f"{self._command[0]} failed: {error}"
            return nothing
        parsed = _parse_llvm(answer.stdout) if llvm else _parse_addr2line(answer.stdout)
        if len(parsed) != len(offsets):
            self.trouble = f"{self._command[0]} gave an answer that makes no sense for {path}"
            return nothing
        return parsed


def _parse_llvm(text: str) -> list[tuple[Frame, ...]]:
    """Per address: pairs of lines (function, file:line:column), then an empty line."""
    blocks = [block.splitlines() for block in text.split("\n\n") if block.strip()]
    return [_pairs(lines) for lines in blocks]


def _parse_addr2line(text: str) -> list[tuple[Frame, ...]]:
    """Per address: the address, then pairs of lines (function, file:line)."""
    blocks: list[list[str]] = []
    for line in text.splitlines():
        if re.fullmatch(r"0x[0-9a-f]+", line):
            blocks.append([])
        elif blocks:
            blocks[-1].append(line)
    return [_pairs(lines) for lines in blocks]


def _pairs(lines: Sequence[str]) -> tuple[Frame, ...]:
    frames = [_frame(function, place) for function, place in zip(lines[::2], lines[1::2], strict=False)]
    return tuple(frame for frame in frames if frame.function != "??" or frame.is_known)


def _frame(function: str, place: str) -> Frame:
    place = re.sub(r" \(discriminator \d+\)$", "", place)
    match = re.fullmatch(r"(.*?):(\d+|\?)(?::(\d+))?", place)
    if not match or match[1] in ("??", "") or match[2] in ("?", "0"):
        return Frame(function)
    return Frame(function, os.path.normpath(match[1]), int(match[2]), int(match[3] or 0))
