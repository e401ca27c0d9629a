"""A place in a list of tokens, and how to complain about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from fencepost.frontends import InputError

from .lexer import KEYWORDS, Token

MAX_NESTING = 100  # of blocks and expressions together; later stages walk expressions recursively as well


class Cursor:
    """The next token, and the checks that every rule of the grammar needs."""

    def __init__(self, tokens: list[Token], file: str) -> None:
        self._tokens = tokens
        self._position = 0
        self._depth = 0
        self.file = file

    @property
    def next(self) -> Token:
        return self._tokens[self._position]

    @property
    def after_next(self) -> Token:
        return self._tokens[min(self._position + 1, len(self._tokens) - 1)]

    def take(self) -> Token:
        """The next token, which is then behind."""
        token = self.next
        if token.kind != "end":
            self._position += 1
        return token

    def at(self, *texts: str) -> bool:
        """Is the next token one of these symbols or words?"""
        return self.next.kind != "end" and self.next.text in texts

    def skip(self, text: str) -> bool:
        """Take the next token if it is `text`."""
        if self.at(text):
            self.take()
            return True
        return False

    def fail(self, message: str, token: Token | None = None, hint: str | None = None) -> NoReturn:
        place = self.next if token is None else token
        raise InputError(message, file=self.file, line=place.line, column=place.column, hint=hint)

    def expect(self, text: str, context: str) -> Token:
        """Take `text`; `context` says where it is due, as in "after the condition"."""
        if not self.at(text):
            self.fail(f"expected '{text}' {context}, found {self.next}")
        return self.take()

    def end_statement(self, what: str) -> None:
        """Take the semicolon that ends `what`; a missing one is reported where it should stand."""
        if not self.at(";"):
            last = self._tokens[self._position - 1]
            place = last._replace(column=last.column + len(last.text))
            self.fail(f"expected ';' after {what}, found {self.next}", place)
        self.take()

    def name(self, what: str) -> Token:
        """Take a name that may be declared; `what` says for what."""
        token = self.next
        if token.kind != "name":
            self.fail(f"expected {what}, found {token}")
        if token.text in KEYWORDS:
            self.fail(f"expected {what}, found the keyword '{token.text}'")
        return self.take()

    @contextmanager
    def nested(self) -> Iterator[None]:
        """One level deeper. The limit keeps deep input from exhausting the stack, here and later."""
        if self._depth == MAX_NESTING:
            self.fail(f"nested too deeply: more than {MAX_NESTING} levels")
        self._depth += 1
        yield
        self._depth -= 1
