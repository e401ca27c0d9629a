"""TPL text to a `Program`: the declarations, and the functions one by one."""

from __future__ import annotations

from pathlib import PurePath

from fencepost.frontends import InputError
from fencepost.program.assembler import Assembler
from fencepost.program.form import Location, Program, Span, Thread

from .cursor import Cursor
from .expressions import suggestion
from .lexer import MAX_INTEGER, Token, tokenize
from .statements import Statements

DEFAULT_MAX_VALUE = 255
_LARGEST_MAX_VALUE = 2**31 - 1


def parse(text: str, filename: str) -> Program:
    """The program in `text`; `filename` names the program and appears in messages."""
    tokens, expectations = tokenize(text, filename)
    cursor = Cursor(tokens, filename)
    declarations = _Declarations(cursor)
    declarations.read()
    threads: list[Thread] = []
    while cursor.next.kind != "end":
        threads.append(_thread(cursor, declarations, threads))
    if not threads:
        raise InputError(
            "there is no thread in this program", file=filename, hint="a thread is written fn name { ... }"
        )
    return Program(
        name=PurePath(filename).stem,
        locations=tuple(declarations.locations.values()),
        threads=tuple(threads),
        max_value=declarations.max_value,
        expectations=tuple(expectations),
        source=text,
        language="tpl",
    )


class _Declarations:
    """Everything before the first function."""

    def __init__(self, cursor: Cursor) -> None:
        self.max_value = DEFAULT_MAX_VALUE
        self.locations: dict[str, Location] = {}
        self._cursor = cursor
        self._has_max_value = False
        self._initial_values: list[Token] = []
        self._tracked: list[Token] = []

    def read(self) -> None:
        while self._cursor.next.kind != "end" and not self._cursor.at("fn"):
            keyword = self._cursor.take()
            match keyword.text:
                case "max_value":
                    self._read_max_value(keyword)
                case "global":
                    self._read_locations("global", atomic=True)
                case "na":
                    self._read_locations("na", atomic=False)
                case "track":
                    self._read_track()
                case _:
                    expected = "expected max_value, global, na, track or fn"
                    self._cursor.fail(f"{expected}, found {keyword}", keyword)
        for token in self._initial_values:
            _check_range(self._cursor, token, self.max_value)
        for token in self._tracked:
            if token.text not in self.locations:
                hint = suggestion(token.text, self.locations)
                self._cursor.fail(f"there is no shared location '{token.text}' to track", token, hint)

    def _read_max_value(self, keyword: Token) -> None:
        if self._has_max_value:
            self._cursor.fail("max_value is stated twice", keyword)
        self._has_max_value = True
        token = _number(self._cursor, "the largest value after max_value")
        self.max_value = int(token.text)
        if self.max_value < 0:
            self._cursor.fail("max_value is at least 0", token)
        if self.max_value > _LARGEST_MAX_VALUE:
            self._cursor.fail(f"max_value is at most {_LARGEST_MAX_VALUE}", token)
        self._cursor.end_statement("max_value")

    def _read_locations(self, keyword: str, *, atomic: bool) -> None:
        for name, value in _names(self._cursor, keyword, "a shared location"):
            if name.text in self.locations:
                self._cursor.fail(f"the shared location '{name.text}' is declared twice", name)
            if value is not None:
                self._initial_values.append(value)
            self.locations[name.text] = Location(name.text, (_value(value),), atomic)

    def _read_track(self) -> None:
        """`track x: all;` or `track x: 0, 1;`: a hint for another tool, checked for names only."""
        self._tracked.append(self._cursor.name("a shared location after track"))
        self._cursor.expect(":", "after the location to track")
        if not self._cursor.skip("all"):
            _number(self._cursor, "all or a value to track")
            while self._cursor.skip(","):
                _number(self._cursor, "a value to track")
        self._cursor.end_statement("track")


def _thread(cursor: Cursor, declarations: _Declarations, others: list[Thread]) -> Thread:
    if not cursor.at("fn"):
        late = cursor.at("max_value", "global", "na", "track")
        message = "declarations stand before the first function" if late else f"expected fn, found {cursor.next}"
        cursor.fail(message, hint="is there a '}' too many?" if cursor.at("}") else None)
    start = cursor.take()
    name = cursor.name("the name of the function")
    if any(thread.name == name.text for thread in others):
        cursor.fail(f"the function '{name.text}' is defined twice", name)
    any_number = cursor.skip("*")
    opening = cursor.expect("{", "after the name of the function")
    registers: dict[str, int] = {}
    while cursor.skip("local"):
        _read_locals(cursor, declarations, registers)
    assembler = Assembler(max_value=declarations.max_value)
    Statements(cursor, assembler, tuple(registers), declarations.locations).body(opening)
    values = tuple(registers.values())
    return Thread(
        name=name.text,
        registers=(*registers, *assembler.hidden),
        code=assembler.finish(),
        initial=values if any(values) else (),
        span=Span(start.line, start.column),
        any_number=any_number,
    )


def _read_locals(cursor: Cursor, declarations: _Declarations, registers: dict[str, int]) -> None:
    for name, value in _names(cursor, "local", "a local"):
        if name.text in declarations.locations:
            cursor.fail(f"the local '{name.text}' has the name of a shared location", name)
        if name.text in registers:
            cursor.fail(f"the local '{name.text}' is declared twice", name)
        if value is not None:
            _check_range(cursor, value, declarations.max_value)
        registers[name.text] = _value(value)


def _names(cursor: Cursor, keyword: str, what: str) -> list[tuple[Token, Token | None]]:
    """`a, b = 5;` after `keyword`: names with the tokens of their initial values."""
    result: list[tuple[Token, Token | None]] = []
    while not result or cursor.skip(","):
        name = cursor.name(what)
        result.append((name, _number(cursor, "an initial value") if cursor.skip("=") else None))
    cursor.end_statement(f"this {keyword}")
    return result


def _number(cursor: Cursor, what: str) -> Token:
    """A constant: an integer, perhaps with a minus, or true or false. The token's text is the whole number."""
    token = cursor.take()
    if token.text in ("true", "false"):
        return token._replace(text=str(int(token.text == "true")))
    minus = token.text == "-"
    number = cursor.take() if minus else token
    if number.kind != "number":
        cursor.fail(f"expected {what}, found {number}", number)
    if int(number.text) > MAX_INTEGER:
        cursor.fail("this number does not fit into 64 bits", number)
    return token._replace(text=f"-{number.text}" if minus else number.text)


def _value(number: Token | None) -> int:
    return 0 if number is None else int(number.text)


def _check_range(cursor: Cursor, number: Token, max_value: int) -> None:
    if not 0 <= int(number.text) <= max_value:
        cursor.fail(f"{number.text} is not a value of this program: values are 0 to {max_value}", number)
