"""Tokens of a part of the text, one after the other: what all parsers of litmus files read from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from fencepost.program.form import Span

from .text import Text

_TOKEN = re.compile(
    r"""
    (?P<number> 0[xX][0-9A-Fa-f]+ | [0-9]+ )
  | (?P<name> [%$]?[A-Za-z_][A-Za-z0-9_.]* )
  | (?P<symbol> /\\ | \\/ | => | == | != | <> | <<= | >>= | << | >> | <= | >= | && | \|\| | \+\+ | --
              | \+= | -= | \*= | /= | %= | &= | \|= | \^= | -> | [^\sA-Za-z0-9_] )
    """,
    re.VERBOSE,
)
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Token:
    kind: str  # number, name, symbol or end
    text: str
    offset: int


class Cursor:
    """The tokens of `text` between `start` and `end`."""

    def __init__(self, text: Text, start: int, end: int) -> None:
        self.text = text
        self._end = end
        self._position = start
        self.next = self._scan()

    def _scan(self) -> Token:
        space = _SPACE.match(self.text.content, self._position, self._end)
        start = self._position if space is None else space.end()
        if start >= self._end:
            return Token("end", "", start)
        found = _TOKEN.match(self.text.content, start, self._end)
        if found is None or found.lastgroup is None:
            self.text.fail("unexpected character", start)
        self._position = found.end()
        return Token(found.lastgroup, found.group(), start)

    @property
    def at_end(self) -> bool:
        return self.next.kind == "end"

    def take(self) -> Token:
        token = self.next
        self.next = self._scan()
        return token

    def mark(self) -> tuple[int, Token]:
        """A place to `reset` to."""
        return self._position, self.next

    def reset(self, mark: tuple[int, Token]) -> None:
        self._position, self.next = mark

    def at(self, *texts: str) -> bool:
        return self.next.text in texts and self.next.kind != "end"

    def accept(self, *texts: str) -> Token | None:
        return self.take() if self.at(*texts) else None

    def expect(self, text: str, what: str | None = None) -> Token:
        token = self.accept(text)
        return token if token is not None else self.expected(what or f"'{text}'")

    def name(self, what: str) -> Token:
        return self.take() if self.next.kind == "name" else self.expected(what)

    def integer(self, what: str = "a number") -> int:
        """A number in decimal or hexadecimal, with or without a sign."""
        sign = self.accept("-", "+")
        if self.next.kind != "number":
            self.expected(what)
        value = int_of(self.take().text)
        return -value if sign is not None and sign.text == "-" else value

    def expected(self, what: str) -> NoReturn:
        found = "the end" if self.at_end else f"'{self.next.text}'"
        self.fail(f"expected {what}, found {found}")

    def fail(self, message: str, token: Token | None = None, hint: str | None = None) -> NoReturn:
        self.text.fail(message, (token or self.next).offset, hint)

    def span(self, token: Token | None = None) -> Span:
        return self.text.span((token or self.next).offset)


def int_of(digits: str) -> int:
    return int(digits, 16) if digits[:2] in ("0x", "0X") else int(digits)
