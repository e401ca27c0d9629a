"""The parts of a litmus file: heading, initial state, code, and what is asked.

    ARCH name
    "a line about it", and Key=value lines
    { initial state }
     P0        | P1        ;
     code      | code      ;
    locations [x; 0:R1;]
    filter (proposition)
    exists (proposition)

Key=value lines, text in quotes, and what `<< .. >>` encloses after the question are remarks for other tools. So are
the `regions:` and `scopes:` lines of C tests: they speak of memory spaces that no model here distinguishes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .text import Text

_HEADING = re.compile(r"\s*([A-Za-z0-9_]+)[ \t]+(\S[^\n]*)")
_OPENING = re.compile(r'"[^"\n]*"|\{')
_BRACES = re.compile(r"[{}]")
_C_THREAD = re.compile(r"^[ \t]*(?:static[ \t]+)?(?:void[ \t]+)?P[0-9]+[ \t\n]*\(", re.MULTILINE)
_C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_QUESTION = re.compile(r"^[ \t]*(?=(?:~\s*exists|exists|forall|locations|filter)\b)", re.MULTILINE)
_REMARK = re.compile(r"<<.*?>>", re.DOTALL)
_SPACES = re.compile(r"^[ \t]*(?:regions|scopes)[ \t]*:[^\n]*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sections:
    """Where the parts are: each a start and an end in `text`, whose comments are blanked."""

    text: Text
    architecture: str
    name: str
    initial: tuple[int, int]
    code: tuple[int, int]
    question: tuple[int, int]


def split(text: str, file: str) -> Sections:
    source = Text.of(text, file)
    heading = _HEADING.match(text)
    if heading is None:
        source.fail("expected an architecture and the name of the test, as in 'AArch64 MP'", 0)
    source = _without_comments(source, heading)
    opening = _opening(source, heading.end())
    closing = _closing(source, opening)
    question = _QUESTION.search(source.content, closing + 1)
    end = len(text) if question is None else question.end()
    return Sections(
        text=_without_remarks(source, closing + 1, end),
        architecture=heading.group(1),
        name=heading.group(2).split()[0],
        initial=(opening + 1, closing),
        code=(closing + 1, end),
        question=(end, len(text)),
    )


def _without_comments(source: Text, heading: re.Match[str]) -> Text:
    """`source` without comments: `(* .. *)`, but in the threads of C, where that means something else, those of C."""
    end = len(source.content)
    thread = _C_THREAD.search(source.content, heading.end()) if heading.group(1).upper() == "C" else None
    if thread is None:
        return source.without_comments(heading.end(), end)
    question = _QUESTION.search(source.content, thread.start())
    after = end if question is None else question.end()
    source = source.without_comments(heading.end(), thread.start())
    source = source.replaced(thread.start(), after, _C_COMMENT)
    return source.without_comments(after, end)


def _opening(source: Text, start: int) -> int:
    for found in _OPENING.finditer(source.content, start):
        if found.group() == "{":
            return found.start()
    source.fail("expected the initial state, between { and }", len(source.content.rstrip()))


def _closing(source: Text, opening: int) -> int:
    depth = 0
    for brace in _BRACES.finditer(source.content, opening):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return brace.start()
    source.fail("this brace is not closed", opening)


def _without_remarks(source: Text, code: int, question: int) -> Text:
    source = source.replaced(code, question, _SPACES)
    return source.replaced(question, len(source.content), _REMARK)
