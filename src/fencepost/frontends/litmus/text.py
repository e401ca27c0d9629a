"""The text of a litmus file, its comments blanked, with places for messages."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import NoReturn

from fencepost.frontends import InputError
from fencepost.program.form import Span

_MARK = re.compile(r"\(\*|\*\)|\n")


@dataclass(frozen=True)
class Text:
    """`content` has every comment replaced by blanks, so that places in it are places in the file."""

    content: str
    file: str
    line_starts: tuple[int, ...]

    @staticmethod
    def of(text: str, file: str) -> Text:
        starts = (0, *(match.end() for match in re.finditer("\n", text)))
        return Text(text, file, starts)

    def span(self, offset: int) -> Span:
        line = bisect_right(self.line_starts, offset) - 1
        return Span(line + 1, offset - self.line_starts[line] + 1)

    def fail(self, message: str, offset: int, hint: str | None = None) -> NoReturn:
        place = self.span(offset)
        raise InputError(message, file=self.file, line=place.line, column=place.column, hint=hint)

    def without_comments(self, start: int, end: int) -> Text:
        """This text with the `(* .. *)`, nested or not, between `start` and `end` blanked."""
        pieces: list[str] = []
        depth, position, opened = 0, start, start
        for mark in _MARK.finditer(self.content, start, end):
            if mark.group() == "(*":
                if depth == 0:
                    pieces.append(self.content[position : mark.start()])
                    opened = position = mark.start()
                depth += 1
            elif mark.group() == "*)" and depth > 0:
                depth -= 1
                if depth == 0:
                    pieces.append(blank(self.content[position : mark.end()]))
                    position = mark.end()
        if depth:
            self.fail("this comment is not closed", opened, hint="comments are written (* .. *) and may be nested")
        pieces.append(self.content[position:end])
        return Text(self.content[:start] + "".join(pieces) + self.content[end:], self.file, self.line_starts)

    def replaced(self, start: int, end: int, pattern: re.Pattern[str]) -> Text:
        """This text with what matches `pattern` between `start` and `end` blanked."""
        middle = pattern.sub(lambda match: blank(match.group()), self.content[start:end])
        return Text(self.content[:start] + middle + self.content[end:], self.file, self.line_starts)


def blank(text: str) -> str:
    """Blanks of the same shape."""
    return re.sub(r"[^\n]", " ", text)
