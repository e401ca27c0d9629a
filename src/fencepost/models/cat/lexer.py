"""Words of `.cat` files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fencepost.program.source import InputError


@dataclass(frozen=True, slots=True)
class Place:
    file: str
    line: int
    column: int

    def error(self, message: str, hint: str | None = None) -> InputError:
        return InputError(message, file=self.file, line=self.line, column=self.column, hint=hint)


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is "name", "string", "tag" or "end of file"; of keywords and signs it is the text itself."""

    kind: str
    text: str
    place: Place

    def __str__(self) -> str:
        if self.kind == "end of file":
            return "the end of the file"
        return f'"{self.text}"' if self.kind == "string" else f"'{self.text}'"


KEYWORDS = frozenset(
    (
        *("let", "rec", "and", "when", "in", "fun", "procedure", "call", "begin", "end", "if", "then", "else", "try"),
        *("acyclic", "irreflexive", "empty", "as", "flag", "undefined_unless", "assert", "show", "unshow", "include"),
        *("with", "from", "match", "forall", "do", "enum", "debug", "yield", "subset", "instructions", "default"),
    )
)

_WORD = re.compile(
    r"(?P<blank>\s+|(?://|\#)[^\n]*)"
    r"|(?P<comment>\(\*)"
    r"|(?P<name>_?[A-Za-z][A-Za-z0-9_.-]*'?)"
    r'|(?P<string>"[^"\n]*")'
    r"|'(?P<tag>_?[A-Za-z][A-Za-z0-9_.-]*)"
    r"|(?P<sign>\|\||&&|\+\+|->|-1|[()\[\]{}_0|&*~+^\\?=;,])"
)
_IN_COMMENT = re.compile(r"\(\*|\*\)")


def tokens(text: str, file: str) -> Iterator[Token]:
    """The words of a text, and an "end of file". Raises InputError."""
    position, line, start = 0, 1, 0  # `start` of the line

    def place() -> Place:
        return Place(file, line, position - start + 1)

    while position < len(text):
        found = _WORD.match(text, position)
        if found is None:
            raise place().error(f"{text[position]!r} is no sign of the cat language")
        kind = str(found.lastgroup)
        end = found.end()
        if kind == "comment":
            end = _after_comment(text, position, place())
        elif kind == "sign" or (kind == "name" and found.group() in KEYWORDS):
            yield Token(found.group(), found.group(), place())
        elif kind != "blank":
            yield Token(kind, found.group(kind).strip('"'), place())
        breaks = text.count("\n", position, end)
        if breaks:
            line += breaks
            start = text.rindex("\n", position, end) + 1
        position = end
    yield Token("end of file", "", place())


def _after_comment(text: str, position: int, place: Place) -> int:
    """Comments nest."""
    depth = 0
    for found in _IN_COMMENT.finditer(text, position):
        depth += 1 if found.group() == "(*" else -1
        if not depth:
            return found.end()
    raise place.error("this comment does not end", hint="every (* needs a *)")
