"""The statements of TPL that access shared locations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from fencepost.program.assembler import Assembler, any_of
from fencepost.program.expr import PRECEDENCE, Const, Expr
from fencepost.program.form import (
    BlockingCas,
    Cas,
    Instruction,
    Load,
    Location,
    Ref,
    Rmw,
    RmwOp,
    Span,
    Store,
    Wait,
)
from fencepost.program.orders import Order

from .cursor import MAX_NESTING, Cursor
from .expressions import Expressions, suggestion
from .lexer import ORDERS, Token

CALLS = ("FADD", "exchange", "CAS", "wait", "BCAS", "lock", "unlock")
_WITHOUT_RESULT = ("BCAS", "lock", "unlock")

_COUNTERPARTS = {"load": "naload()", "store": "nastore(value)", "naload": "load()", "nastore": "store(value)"}

_READ_ORDERS = {"rlx": Order.RELAXED, "acq": Order.ACQUIRE}
_WRITE_ORDERS = {"rlx": Order.RELAXED, "rel": Order.RELEASE}


class _Orders(NamedTuple):
    """The orders of the two halves of a read-modify-write."""

    read: Order
    write: Order

    @property
    def joined(self) -> Order:
        return self.read.join(self.write)


class Accesses:
    """Reads accesses at `cursor`. `assembler` takes what must be computed just before one."""

    def __init__(
        self,
        cursor: Cursor,
        assembler: Assembler,
        expressions: Expressions,
        registers: Collection[str],
        locations: Mapping[str, Location],
    ) -> None:
        self._cursor = cursor
        self._assembler = assembler
        self._expressions = expressions
        self._registers = registers
        self._locations = locations

    def load(self, reg: str, span: Span) -> Instruction:
        """`x.load(m)` or `d.naload()`"""
        name = self._cursor.take()
        self._cursor.take()  # the dot
        method = self._cursor.next
        if method.text not in ("load", "naload"):
            why = " (a store has no result)" if method.text in ("store", "nastore") else ""
            self._cursor.fail(f"expected load or naload after '{name.text}.', found {method}{why}")
        self._cursor.take()
        self._open(method.text)
        ref = self._ref(name, method.text, atomic=method.text == "load")
        order = Order.NON_ATOMIC
        if method.text == "load":
            order = Order.RELAXED if self._cursor.at(")") else self._order(_READ_ORDERS, "a load")
        self._close(method.text)
        if self._cursor.next.text in PRECEDENCE:
            hint = f"write {reg} = {name.text}.{method.text}(); and then {reg} = {reg} {self._cursor.next.text} ...;"
            self._cursor.fail(f"a {method.text} stands alone, not in an expression", name, hint)
        return Load(reg, ref, order, span=span)

    def store(self, name: Token) -> Instruction:
        """`.store(e, m)` or `.nastore(e)`"""
        self._cursor.take()  # the dot
        method = self._cursor.next
        if method.text in ("load", "naload"):
            self._cursor.fail("the value of a load must go to a local", hint=f"write r = {name.text}.{method.text}();")
        if method.text not in ("store", "nastore"):
            self._cursor.fail(f"expected store or nastore after '{name.text}.', found {method}")
        self._cursor.take()
        self._open(method.text)
        ref = self._ref(name, method.text, atomic=method.text == "store")
        value = self._expressions.read()
        order = Order.NON_ATOMIC
        if method.text == "store":
            order = self._order(_WRITE_ORDERS, "a store") if self._cursor.skip(",") else Order.RELAXED
        self._close(method.text)
        return Store(ref, value, order, span=name.span)

    def call(self, reg: str | None, span: Span) -> Instruction:
        """One of CALLS, with its arguments."""
        keyword = self._cursor.take()
        access = keyword.text
        if reg is not None and access in _WITHOUT_RESULT:
            self._cursor.fail(f"{access} has no result", keyword, f"write {access}(...); without '{reg} ='")
        self._open(access)
        ref = self._ref(self._cursor.name("a shared location"), access, atomic=True)
        match access:
            case "FADD" | "exchange":
                operand = self._argument(access)
                op = RmwOp.ADD if access == "FADD" else RmwOp.EXCHANGE
                return Rmw(reg, op, ref, operand, self._orders(access).joined, span=span)
            case "CAS":
                expected, desired = self._argument(access), self._argument(access)
                orders = self._orders(access)
                return Cas(reg, ref, expected, desired, orders.joined, orders.read, span=span)
            case "BCAS":
                expected, desired = self._argument(access), self._argument(access)
                return BlockingCas(ref, expected, desired, self._orders(access).joined, span=span)
            case "wait":
                return self._wait(reg, ref, span)
        self._close(access)
        if access == "lock":
            return BlockingCas(ref, Const(0), Const(1), Order.ACQUIRE, span=span)
        return Store(ref, Const(0), Order.RELEASE, span=span)

    def _wait(self, reg: str | None, ref: Ref, span: Span) -> Instruction:
        start = self._cursor.next
        values: list[Expr] = []
        order = Order.RELAXED
        while self._cursor.skip(","):
            if values and self._cursor.at(*ORDERS):
                order = self._order(_READ_ORDERS, "a wait")
                break
            values.append(self._assembler.comparand(self._expressions.read(), span))
        if not values:
            self._cursor.fail(f"expected ',' and a value to wait for, found {start}", start)
        self._close("wait")
        if len(values) >= MAX_NESTING:
            self._cursor.fail(f"a wait for more than {MAX_NESTING - 1} values", start)
        return Wait(reg, ref, any_of(values), order, span=span)

    def _argument(self, access: str) -> Expr:
        self._cursor.expect(",", f"and another argument of {access}")
        return self._expressions.read()

    def _orders(self, access: str) -> _Orders:
        """`, ml, ms)`: both optional."""
        read = write = Order.RELAXED
        if self._cursor.skip(","):
            read = self._order(_READ_ORDERS, f"the read of {access}")
            if self._cursor.skip(","):
                write = self._order(_WRITE_ORDERS, f"the write of {access}")
        self._close(access)
        return _Orders(read, write)

    def _order(self, allowed: Mapping[str, Order], what: str) -> Order:
        token = self._cursor.next
        if token.text not in allowed:
            hint = "TPL has no such accesses: put fence(seq_cst); beside it" if token.text == "seq_cst" else None
            self._cursor.fail(f"the order of {what} is {' or '.join(allowed)}, not {token}", hint=hint)
        self._cursor.take()
        return allowed[token.text]

    def _open(self, access: str) -> None:
        self._cursor.expect("(", f"after {access}")

    def _close(self, access: str) -> None:
        self._cursor.expect(")", f"at the end of this {access}")

    def _ref(self, name: Token, access: str, *, atomic: bool) -> Ref:
        location = self._locations.get(name.text)
        if location is None:
            if name.text in self._registers:
                self._cursor.fail(f"'{name.text}' is a local: {access} is for shared locations", name)
            hint = suggestion(name.text, self._locations)
            self._cursor.fail(f"there is no shared location '{name.text}'", name, hint)
        if location.atomic != atomic:
            is_what, for_what = ("atomic", "non-atomic") if location.atomic else ("non-atomic", "atomic")
            hint = _COUNTERPARTS.get(access)
            self._cursor.fail(
                f"'{name.text}' is {is_what}: {access} is for {for_what} locations",
                name,
                f"use {name.text}.{hint}" if hint else f"declare it with global {name.text};",
            )
        return Ref(name.text)
