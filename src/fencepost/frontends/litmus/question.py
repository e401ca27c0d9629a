"""What a litmus test asks: `locations [..]`, `filter ..`, and `exists`, `~exists` or `forall` with a proposition.

`=>` binds loosest, then `\\/`, then `/\\`, then `not` (also `~`).
"""

from __future__ import annotations

from typing import Protocol

from fencepost.program.condition import (
    And,
    Equal,
    Final,
    Implies,
    InMemory,
    InRegister,
    Not,
    Observable,
    Or,
    Proposition,
    Quantifier,
    Truth,
)

from .cursor import Cursor, Token
from .initial import accept_thread, read_constant
from .layout import Layout


class Names(Protocol):
    """What the code has made of the names of registers and locations."""

    def register(self, thread: int, token: Token) -> InRegister: ...

    def has_type(self, register: InRegister) -> bool: ...

    def location(self, token: Token, slot: int | None) -> InMemory: ...


def read_question(cursor: Cursor, layout: Layout, names: Names) -> Final:
    return _Reader(cursor, layout, names).read()


class _Reader:
    def __init__(self, cursor: Cursor, layout: Layout, names: Names) -> None:
        self._cursor = cursor
        self._layout = layout
        self._names = names

    def read(self) -> Final:
        cursor = self._cursor
        listed: list[Observable] = []
        condition: Proposition = Truth(True)
        while cursor.at("locations", "filter"):
            if cursor.take().text == "locations":
                listed += self._locations()
            else:
                condition = self._proposition()
                cursor.accept(";")
        if cursor.at_end and (listed or condition != Truth(True)):
            return Final(Quantifier.FORALL, Truth(True), tuple(listed), condition)
        quantifier = self._quantifier()
        proposition = self._proposition()
        cursor.accept(";")
        if not cursor.at_end:
            cursor.expected("the end of the file after the condition")
        return Final(quantifier, proposition, tuple(listed), condition)

    def _quantifier(self) -> Quantifier:
        cursor = self._cursor
        if cursor.accept("forall"):
            return Quantifier.FORALL
        if cursor.accept("~"):
            cursor.expect("exists")
            return Quantifier.NOT_EXISTS
        cursor.expect("exists", "a condition: exists, ~exists or forall")
        return Quantifier.EXISTS

    def _locations(self) -> list[Observable]:
        cursor = self._cursor
        listed: list[Observable] = []
        cursor.expect("[")
        while not cursor.accept("]"):
            listed.append(self._observable())
            if not cursor.at("]"):
                cursor.expect(";", "';' or ']'")
        return listed

    def _proposition(self) -> Proposition:
        premise = self._disjunction()
        return Implies(premise, self._proposition()) if self._cursor.accept("=>") else premise

    def _disjunction(self) -> Proposition:
        args = [self._conjunction()]
        while self._cursor.accept("\\/", "||"):
            args.append(self._conjunction())
        return Or(tuple(args)) if len(args) > 1 else args[0]

    def _conjunction(self) -> Proposition:
        args = [self._negation()]
        while self._cursor.accept("/\\", "&&"):
            args.append(self._negation())
        return And(tuple(args)) if len(args) > 1 else args[0]

    def _negation(self) -> Proposition:
        cursor = self._cursor
        if cursor.accept("not", "~", "!"):
            return Not(self._negation())
        if cursor.accept("("):
            inner = self._proposition()
            cursor.expect(")")
            return inner
        if cursor.at("true", "false"):
            return Truth(cursor.take().text == "true")
        return self._atom()

    def _atom(self) -> Proposition:
        cursor = self._cursor
        left = self._observable()
        negated = cursor.accept("!=", "<>") is not None
        if not negated and not cursor.accept("=", "=="):
            cursor.expected("'=' or '!='")
        equal = self._equal(left, self._right())
        return Not(equal) if negated else equal

    def _equal(self, left: Observable, right: Observable | int) -> Proposition:
        """A register without a type is an int if it may be one: -1 is also what a 32-bit load of -1 has left in it."""
        whole = Equal(left, right)
        if not isinstance(left, InRegister) or not isinstance(right, int) or self._names.has_type(left):
            return whole
        return Or((whole, Equal(left, right + (1 << 32)))) if left.bits == 64 and -(1 << 31) <= right < 0 else whole

    def _right(self) -> Observable | int:
        cursor = self._cursor
        mark = cursor.mark()
        is_register = accept_thread(cursor) is not None
        cursor.reset(mark)
        return self._observable() if is_register or cursor.at("[", "*") else read_constant(cursor, self._layout)

    def _observable(self) -> Observable:
        cursor = self._cursor
        thread = accept_thread(cursor)
        if thread is not None:
            return self._names.register(thread, cursor.name("the name of a register"))
        bracket = cursor.accept("[")
        cursor.accept("*")
        token = cursor.name("a register (0:R1) or a location")
        slot = self._slot()
        if bracket:
            cursor.expect("]")
            slot = slot if slot is not None else self._slot()
        return self._names.location(token, slot)

    def _slot(self) -> int | None:
        if not self._cursor.accept("["):
            return None
        slot = self._cursor.integer("an index")
        self._cursor.expect("]")
        return slot
