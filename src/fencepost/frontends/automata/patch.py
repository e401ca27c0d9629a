"""Fences put into automata text, as a person would: a state of their own before all that leaves a state.

Thesis of Derevenetc, 6.5, "inserting a fence": what leaves q leaves a fresh state instead, and an mfence leads there
from q. All else in the text, comments and layout included, stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from fencepost.frontends.patching import PatchedText, SourcePlace
from fencepost.program.form import Span
from fencepost.program.orders import FenceKind, Order

from .parser import Automaton, Transition, read

_SUFFIX = "_fenced"


class AutomataPatcher:
    """The places of a text that is an automata program, which are its states, and fences put there."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines(keepends=True)
        self._leaving: list[list[Transition]] = []
        self._fresh: list[str] = []
        places = []
        for number, automaton in enumerate(read(text, "").threads):
            leaving: dict[str, list[Transition]] = {}
            for transition in automaton.transitions:
                leaving.setdefault(transition.source, []).append(transition)
            for state, transitions in leaving.items():
                places.append(SourcePlace(number, transitions[0].command.word.span, state))
                self._leaving.append(transitions)
                self._fresh.append(_fresh(state, automaton))
        self.places: tuple[SourcePlace, ...] = tuple(places)

    def patched(
        self, orders: Mapping[Span, frozenset[Order]], fences: Mapping[int, tuple[FenceKind, ...]]
    ) -> PatchedText:
        if orders:
            raise ValueError("accesses of automata have no orders")
        edits: dict[int, list[tuple[int, int, str]]] = {}  # by line: from and to which column, and what comes there
        heads: dict[tuple[int, int], int] = {}  # where a fence is put before a transition, and its place
        for place in fences:
            first = self._leaving[place][0].word
            heads[first.line, first.column] = place
            for transition in self._leaving[place]:
                word = transition.source_word
                start = word.column - 1
                edits.setdefault(word.line, []).append((start, start + len(word.text), self._fresh[place]))
        result: list[str] = []
        found: dict[Span, tuple[int, FenceKind]] = {}
        done = 0  # lines written
        for number, line in enumerate(self._lines, start=1):
            text, inserted = line, [column for at, column in heads if at == number]
            changes = [*edits.get(number, []), *((column - 1, column - 1, "") for column in inserted)]
            own_line = len(inserted) == 1 and not line[: inserted[0] - 1].strip()
            for start, end, new in sorted(changes, reverse=True):
                if end > start:
                    text = text[:start] + new + text[end:]
            if own_line:
                place = heads[number, inserted[0]]
                fence, column = self._fence(place, line, inserted[0] - 1)
                result.append(fence)
                done += 1
                found[Span(done, column)] = place, FenceKind.MFENCE
            elif inserted:
                text = self._crowded(number, line, sorted(changes), heads, found, done + 1)
            result.append(text)
            done += 1
        return PatchedText("".join(result), found)

    def _fence(self, place: int, line: str, start: int) -> tuple[str, int]:
        """A line with the fence, laid out as the line of the transition before which it comes; its column."""
        transition = self._leaving[place][0]
        ending = line[len(line.rstrip("\r\n")) :] or "\n"
        pattern = rf"(\s*transition\s+)({re.escape(transition.source)})(\s+)(\S+)(\s*)"
        match = re.match(pattern, line)
        if match is None:  # the transition goes on in the next line
            before, gaps, width = line[:start] + "transition ", (" ", " "), 0
        else:
            before, gaps, width = match[1], (match[3], match[5] or " "), len(match[4]) + len(match[5])
        words = f"{before}{transition.source}{gaps[0]}{self._fresh[place]}"
        gap = max(1, width - len(self._fresh[place])) if len(gaps[1]) > 1 else 1
        words += " " * gap
        return f"{words}mfence{ending}", len(words) + 1

    def _crowded(
        self,
        number: int,
        line: str,
        changes: list[tuple[int, int, str]],
        heads: Mapping[tuple[int, int], int],
        found: dict[Span, tuple[int, FenceKind]],
        done: int,
    ) -> str:
        """A line on which other things stand: the fences go between them."""
        text, at = "", 0
        for start, end, new in changes:
            text += line[at:start]
            at = end
            if end > start:
                text += new
                continue
            place = heads[number, start + 1]
            text += f"transition {self._leaving[place][0].source} {self._fresh[place]} "
            found[Span(done, len(text) + 1)] = place, FenceKind.MFENCE
            text += "mfence "
        return text + line[at:]


def _fresh(state: str, automaton: Automaton) -> str:
    """A name for the state after the fence."""
    used = {*automaton.initial, automaton.final}
    used |= {name for transition in automaton.transitions for name in (transition.source, transition.target)}
    name = state + _SUFFIX
    while name in used:
        name += "'"
    return name
