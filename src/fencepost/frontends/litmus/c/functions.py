"""The functions that C litmus tests call: those of <stdatomic.h>, GCC's of the same meaning, and one of Linux."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from fencepost.program.expr import Binary, Const, Expr, ReadValue, Reg, Unary
from fencepost.program.form import MEMORY, Cas, Choose, Fence, Ref, Rmw, RmwOp
from fencepost.program.orders import FenceKind, Order

from ..machine import masked
from ..types import INT
from .values import Value

if TYPE_CHECKING:
    from .statements import Function, Local, Memory, Operand

_ORDERS = {
    "memory_order_relaxed": Order.RELAXED,
    "memory_order_consume": Order.ACQUIRE,  # as all compilers have it
    "memory_order_acquire": Order.ACQUIRE,
    "memory_order_release": Order.RELEASE,
    "memory_order_acq_rel": Order.ACQ_REL,
    "memory_order_seq_cst": Order.SEQ_CST,
}
_ORDERS |= {name.replace("memory_order", "__ATOMIC").upper(): order for name, order in _ORDERS.items()}
_LOADS = (Order.RELAXED, Order.ACQUIRE, Order.SEQ_CST)
_STORES = (Order.RELAXED, Order.RELEASE, Order.SEQ_CST)
_ALL = tuple(dict.fromkeys(_ORDERS.values()))
_FENCES = {
    Order.ACQUIRE: FenceKind.ACQUIRE,
    Order.RELEASE: FenceKind.RELEASE,
    Order.ACQ_REL: FenceKind.ACQ_REL,
    Order.SEQ_CST: FenceKind.SEQ_CST,
}


class _Arguments:
    """The arguments of a call, read one after the other."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._first = True
        function.cursor.expect("(")

    def _separate(self) -> None:
        if not self._first:
            self._function.cursor.expect(",")
        self._first = False

    def value(self) -> Value:
        self._separate()
        return self._function.argument()

    def memory(self) -> Memory:
        self._separate()
        return self._function.pointed(self._function.argument())

    def place(self) -> Operand:
        self._separate()
        return self._function.place()

    def order(self, allowed: tuple[Order, ...], what: str) -> Order:
        self._separate()
        cursor = self._function.cursor
        token = cursor.name("a memory order")
        order = _ORDERS.get(token.text)
        if order is None:
            cursor.fail(f"'{token.text}' is no memory order", token, hint=", ".join(_ORDERS))
        if order not in allowed:
            cursor.fail(f"{what} cannot be {token.text}", token)
        return order

    def end(self) -> None:
        self._function.cursor.expect(")")


def _load(f: Function, *, explicit: bool) -> Operand:
    arguments = _Arguments(f)
    memory = arguments.memory()
    order = arguments.order(_LOADS, "a load") if explicit else Order.SEQ_CST
    arguments.end()
    return f.load(memory, order)


def _store(f: Function, *, explicit: bool) -> None:
    arguments = _Arguments(f)
    memory = arguments.memory()
    value = arguments.value()
    order = arguments.order(_STORES, "a store") if explicit else Order.SEQ_CST
    arguments.end()
    f.store(memory, value, order)


def _init(f: Function) -> None:
    """atomic_init is no atomic operation."""
    arguments = _Arguments(f)
    memory = arguments.memory()
    value = arguments.value()
    arguments.end()
    f.store(memory, value, Order.NON_ATOMIC)


def _fetch(f: Function, op: RmwOp, *, explicit: bool) -> Operand:
    arguments = _Arguments(f)
    memory = arguments.memory()
    value = arguments.value()
    order = arguments.order(_ALL, "a read-modify-write") if explicit else Order.SEQ_CST
    arguments.end()
    return _update(f, memory, op, value, order)


def _update(f: Function, memory: Memory, op: RmwOp, value: Value, order: Order) -> Value:
    bits = f.bits(memory.type)
    operand: Expr = f.low(value, memory.type) if op is not RmwOp.SUB else value.expr
    if op in (RmwOp.ADD, RmwOp.SUB) and bits < f.arithmetic.width:
        op, operand = RmwOp.UPDATE, masked(Binary(op.value, ReadValue(), operand), bits)
    register = f.code.hidden()
    f.code.emit(Rmw(register, op, Ref(MEMORY, memory.address), operand, order, span=f.code.span), bits)
    return f.loaded(register, memory.type)


def _compare_exchange(f: Function, *, weak: bool, explicit: bool) -> Operand:
    """*expected is read, and what was found is written there if it is something else. A weak one may fail at will."""
    arguments = _Arguments(f)
    memory = arguments.memory()
    expected = arguments.place()
    desired = arguments.value()
    success = arguments.order(_ALL, "a compare-and-swap") if explicit else Order.SEQ_CST
    failure = arguments.order(_LOADS, "a compare-and-swap that fails") if explicit else Order.SEQ_CST
    arguments.end()
    return _swap_if_equal(f, memory, expected, desired, success, failure, weak=weak)


def _compare_exchange_n(f: Function) -> Operand:
    """GCC's: whether it may fail at will is an argument."""
    arguments = _Arguments(f)
    memory = arguments.memory()
    expected = arguments.place()
    desired = arguments.value()
    weak = f.arithmetic.plain(arguments.value())
    if not isinstance(weak, Const):
        f.cursor.fail("whether it is weak must be 0 or 1")
    success = arguments.order(_ALL, "a compare-and-swap")
    failure = arguments.order(_LOADS, "a compare-and-swap that fails")
    arguments.end()
    return _swap_if_equal(f, memory, expected, desired, success, failure, weak=weak.value != 0)


def _swap_if_equal(
    f: Function, memory: Memory, expected: Operand, desired: Value, success: Order, failure: Order, *, weak: bool
) -> Value:
    code = f.code
    wanted = f.value(expected)
    found, done, after = code.hidden(), code.hidden(), code.new_label()
    old = f.loaded(found, memory.type)
    if weak:
        strong, failing, decided = (code.new_label() for _ in range(3))
        code.emit(Choose((strong, failing), span=code.span))
        code.place(failing)
        read = f.load(memory, failure)
        code.assign(found, read.expr)
        code.assign(done, Const(0))
        code.jump(decided)
        code.place(strong)
    values = f.low(wanted, memory.type), f.low(desired, memory.type)
    cas = Cas(found, Ref(MEMORY, memory.address), *values, success, failure, span=code.span)
    code.emit(cas, f.bits(memory.type))
    code.assign(done, f.arithmetic.binary("==", old, wanted).expr)
    if weak:
        code.place(decided)
    code.branch(Reg(done), after)
    f.assign(_assignable(expected), old)
    code.place(after)
    return Value(Reg(done), INT)


def _assignable(expected: Operand) -> Local | Memory:
    if isinstance(expected, Value):
        raise TypeError("a place is a variable or memory")
    return expected


def _fence(f: Function) -> None:
    """A relaxed fence does nothing (C11 7.17.4.1)."""
    arguments = _Arguments(f)
    order = arguments.order(_ALL, "a fence")
    arguments.end()
    if order is not Order.RELAXED:
        f.code.emit(Fence(_FENCES[order], span=f.code.span))


def _add_unless(f: Function) -> Operand:
    """`__atomic_add_unless{mb}(x, a, u)`: adds a unless x is u, and says whether it did.

    It writes only if it adds, for which the program form has no words; where nobody looks on, writing back the value
    that is there comes to the same, and no order means anything.
    """
    cursor = f.cursor
    tag = cursor.next
    cursor.expect("{")
    if cursor.take().text != "mb":
        cursor.fail("only __atomic_add_unless{mb} is supported", tag)
    cursor.expect("}")
    if f.code.number != 0 or "P1" in cursor.text.content:
        cursor.fail("__atomic_add_unless is supported in tests of one thread only", tag)
    arguments = _Arguments(f)
    memory = arguments.memory()
    value, unless = f.low(arguments.value(), memory.type), f.low(arguments.value(), memory.type)
    arguments.end()
    adds: Expr = Binary("!=", ReadValue(), unless)
    bits = f.bits(memory.type)
    operand = masked(Binary("+", ReadValue(), Binary("*", adds, value)), bits)
    register = f.code.hidden()
    order = Order.ACQ_REL
    f.code.emit(Rmw(register, RmwOp.UPDATE, Ref(MEMORY, memory.address), operand, order, span=f.code.span), bits)
    return Value(Unary("!", Binary("==", Reg(register), unless)), INT)


_FETCHES = {
    "exchange": RmwOp.EXCHANGE,
    "fetch_add": RmwOp.ADD,
    "fetch_sub": RmwOp.SUB,
    "fetch_and": RmwOp.AND,
    "fetch_or": RmwOp.OR,
    "fetch_xor": RmwOp.XOR,
}

FUNCTIONS: dict[str, Callable[[Function], Operand | None]] = {
    "atomic_init": _init,
    "atomic_thread_fence": _fence,
    "__atomic_add_unless": _add_unless,
    "__atomic_load_n": partial(_load, explicit=True),
    "__atomic_store_n": partial(_store, explicit=True),
    "__atomic_compare_exchange_n": _compare_exchange_n,
    "__atomic_thread_fence": _fence,
}
for _name, _op in _FETCHES.items():
    FUNCTIONS[f"__atomic_{_name}{'_n' if _op is RmwOp.EXCHANGE else ''}"] = partial(_fetch, op=_op, explicit=True)
for _suffix, _explicit in (("", False), ("_explicit", True)):
    FUNCTIONS[f"atomic_load{_suffix}"] = partial(_load, explicit=_explicit)
    FUNCTIONS[f"atomic_store{_suffix}"] = partial(_store, explicit=_explicit)
    for _name, _op in _FETCHES.items():
        FUNCTIONS[f"atomic_{_name}{_suffix}"] = partial(_fetch, op=_op, explicit=_explicit)
    for _name, _weak in (("strong", False), ("weak", True)):
        FUNCTIONS[f"atomic_compare_exchange_{_name}{_suffix}"] = partial(
            _compare_exchange, weak=_weak, explicit=_explicit
        )
