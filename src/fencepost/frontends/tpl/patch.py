"""Changes to a TPL text such as a person would make: an order replaced, a fence on a line of its own.

Everything else, comments and layout included, stays as it is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping

from fencepost.frontends.patching import PatchedText, SourcePlace
from fencepost.program.form import Span
from fencepost.program.orders import FenceKind, Order

from .lexer import ORDERS, Token, tokenize

_INDENT = "    "


class TplPatcher:
    """The places of a text that is a TPL program, and changes to it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens, _ = tokenize(text, "")
        self._lines = _Lines(text)
        self._at = {token.span: number for number, token in enumerate(self._tokens)}
        self.places: tuple[SourcePlace, ...] = tuple(_Scan(self._tokens).places())

    def patched(
        self, orders: Mapping[Span, frozenset[Order]], fences: Mapping[int, tuple[FenceKind, ...]]
    ) -> PatchedText:
        edits = [edit for span, wanted in orders.items() for edit in self._strengthened(self._at[span], wanted)]
        insertions = {self._insertion_point(place): (place, kinds) for place, kinds in fences.items() if kinds}
        pieces: list[str] = []
        written = 0
        fence_offsets: dict[int, tuple[int, FenceKind]] = {}

        def write(piece: str) -> None:
            nonlocal written
            pieces.append(piece)
            written += len(piece)

        done = 0
        changes = sorted([(start, end, text) for start, end, text in edits] + [(at, at, None) for at in insertions])
        for start, end, text in changes:
            write(self._text[done:start])
            done = end
            if text is not None:
                write(text)
                continue
            place, kinds = insertions[start]
            before, after = self._surroundings(place)
            for kind in kinds:
                write(before)
                fence_offsets[written] = (place, kind)
                write(f"fence({kind.value});{after}")
        write(self._text[done:])
        text = "".join(pieces)
        lines = _Lines(text)
        return PatchedText(text, {lines.span(offset): fence for offset, fence in fence_offsets.items()})

    # Fences

    def _starts_line(self, span: Span) -> bool:
        return len(self._lines.indentation(span.line)) == span.column - 1

    def _insertion_point(self, place: int) -> int:
        span = self.places[place].span
        return self._lines.offset(Span(span.line, 1) if self._starts_line(span) else span)

    def _surroundings(self, place: int) -> tuple[str, str]:
        """What stands before and after a fence there: a line of its own, if the place starts one."""
        span = self.places[place].span
        if not self._starts_line(span):
            return "", " "
        line = self._lines.texts[span.line - 1]
        ending = line[len(line.rstrip("\r\n")) :] or "\n"
        number = self._at[span]
        label = self._tokens[number + 1].text == ":" and number > 0
        deeper = self._tokens[number].text == "}" or (label and self._tokens[number - 1].text in ("{", ";", "}"))
        indent = self._lines.indentation(span.line)
        if deeper:
            previous = self._tokens[number - 1]
            usual = self._lines.indentation(previous.line) if previous.text == ";" else indent + _INDENT
            indent = max(indent, usual, key=len)
        return indent, ending

    # Orders

    def _strengthened(self, start: int, wanted: frozenset[Order]) -> Iterator[tuple[int, int, str]]:
        """The changes that make the access that starts with the token `start` acquire, release or both."""
        tokens = self._tokens
        opening = next(n for n in range(start, len(tokens)) if tokens[n].text == "(")
        closing = _matching(tokens, opening)
        word = tokens[opening - 1].text
        end = self._lines.offset(tokens[closing].span)
        if word == "lock":  # lock(l) is BCAS(l, 0, 1, acq, rlx)
            begin = self._lines.offset(tokens[opening - 1].span)
            yield begin, end, f"BCAS({tokens[opening + 1].text}, 0, 1, acq, rel"
            return
        present = [n for n in range(opening + 1, closing) if tokens[n].text in ORDERS]
        names = [tokens[n].text for n in present]
        match word:
            case "load" | "wait":
                new = ["acq"]
            case "store":
                new = ["rel"]
            case "unlock":  # unlock(l) is l.store(0, rel)
                new = []
            case _:
                read, write = [*names, "rlx", "rlx"][:2]
                new = ["acq" if Order.ACQUIRE in wanted else read, "rel" if Order.RELEASE in wanted else write]
        for number, old, name in zip(present, names, new, strict=False):
            if old != name:
                offset = self._lines.offset(tokens[number].span)
                yield offset, offset + len(old), name
        more = new[len(present) :]
        while more and more[-1] == "rlx":  # orders that are not named are relaxed
            more.pop()
        if more:
            empty = closing == opening + 1
            yield end, end, ("" if empty else ", ") + ", ".join(more)


def _matching(tokens: list[Token], opening: int) -> int:
    depth = 0
    for number in range(opening, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[number].text, 0)
        if depth == 0:
            return number
    raise ValueError("a parenthesis is never closed")


class _Lines:
    """The lines of a text, and how offsets and spans correspond."""

    def __init__(self, text: str) -> None:
        self.texts = text.splitlines(keepends=True)
        self._starts = [0]
        for line in self.texts:
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, span: Span) -> int:
        return self._starts[span.line - 1] + span.column - 1

    def span(self, offset: int) -> Span:
        line = bisect_right(self._starts, offset)
        return Span(line, offset - self._starts[line - 1] + 1)

    def indentation(self, line: int) -> str:
        text = self.texts[line - 1]
        return text[: len(text) - len(text.lstrip(" \t"))]


class _Scan:
    """Where statements start, and blocks end, in the functions of a program that is known to be well-formed."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._places: list[SourcePlace] = []
        self._thread = -1

    def places(self) -> list[SourcePlace]:
        while self._tokens[self._next].kind != "end":
            if self._take().text == "fn":
                self._thread += 1
                self._skip_to("{")
                self._block()
        return self._places

    def _text(self, ahead: int = 0) -> str:
        number = self._next + ahead
        return self._tokens[number].text if number < len(self._tokens) else ""

    def _take(self) -> Token:
        self._next += 1
        return self._tokens[self._next - 1]

    def _skip_to(self, *texts: str) -> None:
        while self._text() not in texts:
            self._next += 1

    def _place(self) -> None:
        token = self._tokens[self._next]
        self._places.append(SourcePlace(self._thread, token.span))

    def _block(self) -> None:
        self._take()  # the brace
        while self._text() == "local":
            self._skip_to(";")
            self._take()
        while self._text() != "}":
            self._statement()
        self._place()
        self._take()

    def _statement(self) -> None:
        if self._text(1) == ":" and self._tokens[self._next].kind == "name":
            self._place()
            self._next += 2
            return
        match self._text():
            case "{":
                self._block()
            case ";":
                self._take()
            case "if":
                self._place()
                self._if()
            case "while":
                self._place()
                self._skip_to("{")
                self._block()
            case "oneof":
                self._place()
                self._take()
                parenthesized = self._text() == "("
                self._next += parenthesized
                while self._text() == "{":
                    self._block()
                self._next += parenthesized
            case _:
                self._place()
                self._simple()

    def _simple(self) -> None:
        self._skip_to(";")
        self._take()

    def _if(self) -> None:
        self._skip_to("{", "goto")
        while True:
            if self._text() == "{":
                self._block()
            else:
                self._simple()
            if self._text() != "else":
                return
            self._take()
            if self._text() == "if":
                self._skip_to("{", "goto")
