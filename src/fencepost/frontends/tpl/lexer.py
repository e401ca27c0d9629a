"""TPL text to tokens, and the marks in its comments to expectations."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from fencepost.frontends import InputError
from fencepost.program.form import Expectation, Span

ORDERS = frozenset({"rlx", "acq", "rel", "acq_rel", "seq_cst"})
KEYWORDS = ORDERS | {
    *("max_value", "global", "na", "fn", "local", "true", "false", "if", "else", "while", "goto", "oneof", "skip"),
    *("assert", "assume", "verify", "fence", "lock", "unlock", "wait", "CAS", "BCAS", "FADD", "exchange"),
}

MAX_INTEGER = 2**63 - 1  # arithmetic is on 64-bit signed integers

_TOKEN = re.compile(
    r"""[ \t]+
      | (?P<comment>//.*)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<number>[0-9][A-Za-z0-9_]*)
      | (?P<symbol>\|\||&&|==|!=|<=|>=|[-{}();:,.=<>+*/%!|&^])""",
    re.VERBOSE,
)
_NOT_TPL = {
    "/*": "comments start with // and go to the end of the line",
    "=>": "greater or equal is written >=",
    "=<": "less or equal is written <=",
    "+=": "write r = r + e;",
    "-=": "write r = r - e;",
    "<<": "write * 2 for a shift to the left",
    ">>": "write / 2 for a shift to the right",
}


class Token(NamedTuple):
    kind: str  # name, number, symbol or end
    text: str
    line: int
    column: int

    @property
    def span(self) -> Span:
        return Span(self.line, self.column)

    def __str__(self) -> str:
        return "the end of the file" if self.kind == "end" else f"'{self.text}'"


def tokenize(text: str, file: str) -> tuple[list[Token], list[Expectation]]:
    """The tokens of `text`, the last one of kind `end`, and what its ROBUSTNESS comments announce."""
    tokens: list[Token] = []
    expectations: list[Expectation] = []
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        position = 0
        while position < len(line):
            match = _TOKEN.match(line, position)
            if match is None or line[position : position + 2] in _NOT_TPL:
                _reject(line, position, file, number)
            kind = match.lastgroup
            if kind == "comment":
                if re.match(r"// ROBUSTNESS\b", match[0]):
                    expectations += _read_marks(match[0], file, number, position + 1)
                elif number == 1 and (old := _OLD_MARK.fullmatch(match[0])):
                    expectations.append(Expectation("robust", old["not"] is None, ("ra",), span=Span(1, position + 1)))
            elif kind is not None:
                if kind == "number":
                    _check_number(match[0], file, number, position + 1)
                tokens.append(Token(kind, match[0], number, position + 1))
            position = match.end()
    last = lines[-1] if lines else ""
    tokens.append(Token("end", "", max(len(lines), 1), len(last) + 1))
    return tokens, expectations


def _reject(line: str, position: int, file: str, number: int) -> NoReturn:
    pair = line[position : position + 2]
    what = pair if pair in _NOT_TPL else line[position]
    shown = f"'{what}'" if what.isprintable() else f"U+{ord(what):04X}"
    message = f"{shown} is not part of the language"
    raise InputError(message, file=file, line=number, column=position + 1, hint=_NOT_TPL.get(pair))


def _check_number(text: str, file: str, line: int, column: int) -> None:
    if not text.isdigit():
        message = f"'{text}' is not a number" if len(text) <= 40 else "this is not a number"
        raise InputError(message, file=file, line=line, column=column, hint="numbers are written in decimal")
    if len(text) > 1 and text[0] == "0":
        raise InputError("a number starts with 0", file=file, line=line, column=column, hint="leave out leading zeros")
    # One more than fits is left to the parser, which knows whether a minus stands before it.
    if len(text) > 19 or int(text) > MAX_INTEGER + 1:
        raise InputError("this number does not fit into 64 bits", file=file, line=line, column=column)


_NOTIONS = {"egr": "robust", "wegr": "observational"}
_MARKS = re.compile(r"// ROBUSTNESS\s+(?P<notion>\w+)\s*:(?P<verdicts>(?:\s*(?:robust|not)\s*:[^.:]*(?:\.|$))+)\s*$")
_VERDICT = re.compile(r"\s*(?P<verdict>robust|not)\s*:(?P<models>[^.:]*)(?:\.|$)")
_MODEL = re.compile(r"[A-Za-z][\w-]*")
_OLD_MARK = re.compile(r"// (?P<not>NOT)?ROBUST\s*")  # of files from before RC20, which are about RA


def _read_marks(comment: str, file: str, line: int, column: int) -> list[Expectation]:
    """`// ROBUSTNESS egr: robust: ra. not: rlx.`: one expectation for each list of models."""

    def fail(message: str) -> NoReturn:
        form = "the form is: // ROBUSTNESS egr: robust: ra. not: rlx.   (egr: robust, wegr: observationally robust)"
        raise InputError(message, file=file, line=line, column=column, hint=form)

    marks = _MARKS.match(comment)
    if marks is None:
        fail("this ROBUSTNESS comment cannot be read")
    if marks["notion"] not in _NOTIONS:
        fail(f"'{marks['notion']}' is not a notion of robustness: expected egr or wegr")
    result: list[Expectation] = []
    seen: set[str] = set()
    for verdict in _VERDICT.finditer(marks["verdicts"]):
        models = tuple(model.strip() for model in verdict["models"].split(","))
        for model in models:
            if not _MODEL.fullmatch(model):
                fail(f"'{model}' is not the name of a model" if model else "the name of a model is missing")
            if model in seen:
                fail(f"'{model}' is named twice")
            seen.add(model)
        notion = _NOTIONS[marks["notion"]]
        result.append(Expectation(notion, verdict["verdict"] == "robust", models, span=Span(line, column)))
    return result
