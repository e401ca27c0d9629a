"""Expressions of TPL: integers and the locals of one thread, with C's operators and precedence."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NoReturn

from fencepost.program.expr import PRECEDENCE, Binary, Const, Expr, Reg, Unary
from fencepost.program.form import Location

from .cursor import MAX_NESTING, Cursor
from .lexer import KEYWORDS, MAX_INTEGER, Token


class Expressions:
    """Reads expressions at `cursor` over `registers`; what `locations` hold needs a load first."""

    def __init__(self, cursor: Cursor, registers: Collection[str], locations: Mapping[str, Location]) -> None:
        self._cursor = cursor
        self._registers = registers
        self._locations = locations

    def read(self) -> Expr:
        start = self._cursor.next
        expr = self._binary(0)
        if _is_deeper(expr, MAX_NESTING):
            self._cursor.fail(f"this expression is nested too deeply: more than {MAX_NESTING} levels", start)
        return expr

    def _binary(self, level: int) -> Expr:
        """Operators that bind at least as tightly as `level`; all of them group to the left."""
        left = self._unary()
        while True:
            token = self._cursor.next
            mine = PRECEDENCE.get(token.text)
            if mine is None or mine < level:
                return left
            self._cursor.take()
            with self._cursor.nested():
                left = Binary(token.text, left, self._binary(mine + 1))

    def _unary(self) -> Expr:
        if not self._cursor.at("!", "-"):
            return self._primary()
        operator = self._cursor.take()
        number = self._cursor.next
        if operator.text == "-" and number.kind == "number":
            self._cursor.take()
            return Const(-int(number.text))
        with self._cursor.nested():
            arg = self._unary()
        if operator.text == "-" and isinstance(arg, Const) and arg.value != -MAX_INTEGER - 1:
            return Const(-arg.value)
        return Unary(operator.text, arg)

    def _primary(self) -> Expr:
        token = self._cursor.next
        if token.kind == "number":
            if int(token.text) > MAX_INTEGER:
                self._cursor.fail("this number does not fit into 64 bits")
            self._cursor.take()
            return Const(int(token.text))
        if self._cursor.skip("("):
            with self._cursor.nested():
                inner = self._binary(0)
            self._cursor.expect(")", f"to close the '(' at {token.line}:{token.column}")
            return inner
        if token.kind != "name":
            self._cursor.fail(f"expected an expression, found {token}")
        if token.text in ("true", "false"):
            self._cursor.take()
            return Const(int(token.text == "true"))
        if token.text not in self._registers:
            self._unknown(token)
        self._cursor.take()
        return Reg(token.text)

    def _unknown(self, token: Token) -> NoReturn:
        name = token.text
        if name in self._locations:
            load = "load" if self._locations[name].atomic else "naload"
            hint = f"load it into a local first, as in r = {name}.{load}();"
            self._cursor.fail(f"'{name}' is shared: an expression may only use locals", hint=hint)
        if name in KEYWORDS:
            self._cursor.fail(f"expected an expression, found the keyword '{name}'")
        self._cursor.fail(f"there is no local '{name}'", hint=suggestion(name, self._registers))


def suggestion(name: str, known: Collection[str]) -> str | None:
    """A hint that names what may have been meant."""
    from difflib import get_close_matches  # only needed when something is wrong

    close = get_close_matches(name, known, 1)
    return f"did you mean '{close[0]}'?" if close else None


def _is_deeper(expr: Expr, limit: int) -> bool:
    """Is `expr` nested more than `limit` levels deep? Long chains of operators are, to the left."""
    level: list[Expr] = [expr]
    for _ in range(limit):
        level = [part for node in level for part in _operands(node)]
        if not level:
            return False
    return True


def _operands(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Unary(_, arg):
            return (arg,)
        case Binary(_, left, right):
            return (left, right)
    return ()
