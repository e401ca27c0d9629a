"""The code of one thread, written in Python: the part of `builder.py` that makes instructions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self, overload

from .assembler import Assembler, any_of, constant, negate
from .expr import Expr, ReadValue, Reg, parts
from .form import (
    Assert,
    Assign,
    Assume,
    BlockingCas,
    Cas,
    Choose,
    Fence,
    Instruction,
    Jump,
    Load,
    Location,
    Ref,
    Rmw,
    RmwOp,
    Store,
    Thread,
    Use,
    Wait,
)
from .orders import FenceKind, Order
from .values import Computed, Local, Operand, Value, as_value

NA, RLX, ACQ, REL = Order.NON_ATOMIC, Order.RELAXED, Order.ACQUIRE, Order.RELEASE
ACQ_REL, SC = Order.ACQ_REL, Order.SEQ_CST

_READ_ORDERS = (RLX, ACQ, SC)
_WRITE_ORDERS = (RLX, REL, SC)
_READ_WRITE_ORDERS = (RLX, ACQ, REL, ACQ_REL, SC)
_FAILURE = {RLX: RLX, REL: RLX, ACQ: ACQ, ACQ_REL: ACQ, SC: SC}  # the usual order of a CAS that fails


@dataclass(frozen=True, eq=False)
class Element:
    """A slot of an array: what `x[i]` stands for."""

    array: Shared
    index: Operand


@dataclass(frozen=True, eq=False)
class Shared:
    """A shared location of a program, or an array of them."""

    location: Location
    owner: object  # the builder that declared it
    is_array: bool

    __iter__ = None  # or Python would try x[0], x[1], .. without end

    def __getitem__(self, index: Operand) -> Element:
        return Element(self, index)


Place = Shared | Element


class ThreadBuilder:
    """The code of one thread in the making: one method for each kind of instruction.

    Methods that read a location return the register that takes the value: `into` (a register, or the name of one),
    or else a new one.
    """

    def __init__(self, program: object, name: str, max_value: int, *, any_number: bool = False) -> None:
        self._any_number = any_number
        self._program = program
        self._name = name
        self._max_value = max_value
        self._assembler = Assembler(max_value=max_value)
        self._registers: dict[str, int] = {}
        self._unnamed: set[str] = set()  # registers that were not asked for by name
        self._labels: dict[str, int] = {}
        self._undefined: dict[str, None] = {}
        self._end_of_if: int | None = None  # where an `else_` would have to jump over, right after an `if_`

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to do: the block only shows what belongs to the thread."""

    def finish(self) -> Thread:
        if self._undefined:
            raise ValueError(
                f"thread {self._name!r} goes to labels that it does not have: {', '.join(self._undefined)}"
            )
        values = tuple(self._registers.values())
        return Thread(
            name=self._name,
            registers=(*self._registers, *self._assembler.hidden),
            code=self._assembler.finish(),
            initial=values if any(values) else (),
            any_number=self._any_number,
        )

    # Registers

    def local(self, name: str, *, initial: int = 0) -> Local:
        """Declare a register."""
        check_new(name, self._registers, f"register of thread {self._name!r}")
        check_range(initial, self._max_value)
        self._registers[name] = initial
        return Local(name, self._name)

    def assign(self, target: Local | str, value: Operand) -> Local:
        """target := value"""
        expr = self._expr(value)
        register = self._target(target)
        self._emit(Assign(register.name, expr))
        return register

    # Accesses

    def load(self, place: Place, order: Order | None = None, *, into: Local | str | None = None) -> Local:
        """A load; relaxed unless `order` says otherwise."""
        ref, checked = self._access(place, order, _READ_ORDERS, "load")
        target = self._target(into)
        self._emit(Load(target.name, ref, checked))
        return target

    def store(self, place: Place, value: Operand, order: Order | None = None) -> None:
        """A store; relaxed unless `order` says otherwise."""
        ref, checked = self._access(place, order, _WRITE_ORDERS, "store")
        self._emit(Store(ref, self._expr(value), checked))

    def rmw(
        self, op: RmwOp, place: Place, operand: Operand, order: Order = RLX, *, into: Local | str | None = None
    ) -> Local:
        """Atomically replace what `place` holds by it <op> operand. The register gets the old value."""
        ref = self._atomic_access(place, order, _READ_WRITE_ORDERS, "read-modify-write")
        expr = self._expr(operand)
        target = self._target(into)
        self._emit(Rmw(target.name, op, ref, expr, order))
        return target

    def fetch_add(
        self, place: Place, operand: Operand, order: Order = RLX, *, into: Local | str | None = None
    ) -> Local:
        return self.rmw(RmwOp.ADD, place, operand, order, into=into)

    def exchange(self, place: Place, value: Operand, order: Order = RLX, *, into: Local | str | None = None) -> Local:
        return self.rmw(RmwOp.EXCHANGE, place, value, order, into=into)

    def cas(
        self,
        place: Place,
        expected: Operand,
        desired: Operand,
        success: Order = RLX,
        failure: Order | None = None,
        *,
        into: Local | str | None = None,
    ) -> Local:
        """Compare-and-swap; the register gets the value read. `failure` is by default the read half of `success`."""
        ref = self._atomic_access(place, success, _READ_WRITE_ORDERS, "successful CAS")
        failing = _FAILURE[success] if failure is None else failure
        _check_order(failing, _READ_ORDERS, "failed CAS")
        values = self._expr(expected), self._expr(desired)
        target = self._target(into)
        self._emit(Cas(target.name, ref, *values, success, failing))
        return target

    def blocking_cas(self, place: Place, expected: Operand, desired: Operand, order: Order = RLX) -> None:
        """Block until `place` holds `expected`, then atomically replace it."""
        ref = self._atomic_access(place, order, _READ_WRITE_ORDERS, "blocking CAS")
        self._emit(BlockingCas(ref, self._expr(expected), self._expr(desired), order))

    @overload
    def wait(self, place: Place, *values: Operand, order: Order = RLX, into: None = None) -> None: ...
    @overload
    def wait(self, place: Place, *values: Operand, order: Order = RLX, into: Local | str) -> Local: ...
    def wait(self, place: Place, *values: Operand, order: Order = RLX, into: Local | str | None = None) -> Local | None:
        """Block until `place` holds one of `values`. Without `into`, the value goes nowhere."""
        if not values:
            raise ValueError("a wait needs at least one value to wait for")
        ref = self._atomic_access(place, order, _READ_ORDERS, "wait")
        exprs = [self._expr(value) for value in values]
        return self._wait(ref, any_of([self._assembler.comparand(expr, None) for expr in exprs]), order, into)

    @overload
    def wait_until(
        self, place: Place, condition: Callable[[Value], Operand], order: Order = RLX, *, into: None = None
    ) -> None: ...
    @overload
    def wait_until(
        self, place: Place, condition: Callable[[Value], Operand], order: Order = RLX, *, into: Local | str
    ) -> Local: ...
    def wait_until(
        self,
        place: Place,
        condition: Callable[[Value], Operand],
        order: Order = RLX,
        *,
        into: Local | str | None = None,
    ) -> Local | None:
        """Block until `place` holds a value that `condition` makes true: `t.wait_until(x, lambda value: value > 1)`."""
        ref = self._atomic_access(place, order, _READ_ORDERS, "wait")
        until = condition(Computed(ReadValue(), self._name))
        return self._wait(ref, self._expr(until, reading=True), order, into)

    def _wait(self, ref: Ref, until: Expr, order: Order, into: Local | str | None) -> Local | None:
        target = None if into is None else self._target(into)
        self._emit(Wait(None if target is None else target.name, ref, until, order))
        return target

    def lock(self, place: Place) -> None:
        """Take the lock `place`: block until it is 0, then make it 1."""
        self.blocking_cas(place, 0, 1, ACQ)

    def unlock(self, place: Place) -> None:
        """Release the lock `place`."""
        self.store(place, 0, REL)

    def fence(self, kind: FenceKind | Order = FenceKind.SEQ_CST) -> None:
        """A fence; ACQ, REL, ACQ_REL and SC name the C11 ones."""
        if isinstance(kind, Order):
            if kind in (NA, RLX):
                raise ValueError(f"there is no {kind.value} fence")
            kind = FenceKind(kind.value)
        self._emit(Fence(kind))

    # Checks

    def assume(self, condition: Operand) -> None:
        """End the thread, without error, unless `condition` holds."""
        self._emit(Assume(self._expr(condition)))

    def assert_(self, condition: Operand) -> None:
        """The program is wrong unless `condition` holds."""
        self._emit(Assert(self._expr(condition)))

    def use(self, value: Operand) -> None:
        """Use `value`, which matters to observational robustness."""
        self._emit(Use(self._expr(value)))

    # Flow

    def label(self, name: str) -> None:
        """`name` is the next instruction."""
        self._touch()
        label = self._label(name)
        if self._assembler.is_placed(label):
            raise ValueError(f"the label {name!r} is already defined in thread {self._name!r}")
        self._assembler.place(label)
        del self._undefined[name]

    def goto(self, name: str) -> None:
        self._emit(Jump(self._label(name)))

    def goto_if(self, condition: Operand, name: str) -> None:
        """To the label `name` if `condition` holds."""
        expr = self._expr(condition)
        self._touch()
        self._assembler.branch(expr, self._label(name), None)

    @contextmanager
    def if_(self, condition: Operand) -> Iterator[None]:
        """The block runs if `condition` holds. An `else_` may follow."""
        expr = self._expr(condition)
        self._touch()
        otherwise, end = self._assembler.label(), self._assembler.label()
        self._assembler.branch(negate(expr), otherwise, None)
        yield
        self._emit(Jump(end))
        self._assembler.place(otherwise)
        self._assembler.place(end)
        self._end_of_if = end

    @contextmanager
    def else_(self) -> Iterator[None]:
        """The block runs if the `if_` just before did not."""
        end = self._end_of_if
        if end is None:
            raise ValueError("else_ stands right after if_")
        self._touch()
        yield
        self._touch()
        self._assembler.place(end)

    @contextmanager
    def while_(self, condition: Operand) -> Iterator[None]:
        """The block runs again and again while `condition` holds. What it tests must be loaded anew in the block."""
        expr = self._expr(condition)
        self._touch()
        head, end = self._assembler.label(), self._assembler.label()
        self._assembler.place(head)
        self._assembler.branch(negate(expr), end, None)
        yield
        self._emit(Jump(head))
        self._assembler.place(end)

    @contextmanager
    def choose(self) -> Iterator[Alternatives]:
        """Any one of the alternatives runs: `with t.choose() as either: with either.alternative(): ...`."""
        self._touch()
        position = self._assembler.emit(Choose(()))
        alternatives = Alternatives(self, self._assembler)
        yield alternatives
        self._touch()
        if not alternatives.labels:
            raise ValueError("choose needs at least one alternative")
        self._assembler.amend(position, Choose(tuple(alternatives.labels)))
        self._assembler.place(alternatives.end)

    # Checks of arguments

    def _emit(self, instruction: Instruction) -> None:
        self._touch()
        self._assembler.emit(instruction)

    def _touch(self) -> None:
        """Something comes after the last `if_`."""
        self._end_of_if = None

    def _label(self, name: str) -> int:
        if name not in self._labels:
            self._labels[name] = self._assembler.label()
            self._undefined[name] = None
        return self._labels[name]

    def _target(self, into: Local | str | None) -> Local:
        """The register to write to; a name that is not yet known declares it."""
        if into is None:
            number = len(self._unnamed)
            while f"r{number}" in self._registers:
                number += 1
            self._unnamed.add(f"r{number}")
            return self.local(f"r{number}")
        if isinstance(into, Local):
            if into.thread != self._name or into.name not in self._registers:
                raise ValueError(f"thread {self._name!r} has no register {into.name!r}")
            return into
        if into in self._unnamed:
            raise ValueError(f"the name {into!r} is already used for a result that was not named")
        return Local(into, self._name) if into in self._registers else self.local(into)

    def _expr(self, operand: Operand, *, reading: bool = False) -> Expr:
        value = as_value(operand)
        if value.thread is not None and value.thread != self._name:
            raise ValueError(f"thread {self._name!r} cannot use registers of {value.thread!r}")
        for part in parts(value.expr):
            if isinstance(part, Reg) and part.name not in self._registers:
                raise ValueError(f"thread {self._name!r} has no register {part.name!r}")
            if isinstance(part, ReadValue) and not reading:
                raise ValueError("the value that a wait reads can only be used in its condition")
        return value.expr

    def _access(self, place: Place, order: Order | None, allowed: Sequence[Order], access: str) -> tuple[Ref, Order]:
        """A load or a store, with its order if that is not stated: non-atomic locations have only one."""
        ref, location = self._ref(place)
        if location.atomic:
            order = RLX if order is None else order
            _check_order(order, allowed, f"{access} of an atomic location")
            return ref, order
        if order not in (None, NA):
            raise ValueError(f"{location.name!r} is non-atomic: a {access} has no order")
        return ref, NA

    def _atomic_access(self, place: Place, order: Order, allowed: Sequence[Order], access: str) -> Ref:
        ref, location = self._ref(place)
        if not location.atomic:
            raise ValueError(f"{location.name!r} is non-atomic: there is no {access} for it")
        _check_order(order, allowed, access)
        return ref

    def _ref(self, place: Place) -> tuple[Ref, Location]:
        shared, index = (place.array, place.index) if isinstance(place, Element) else (place, None)
        if not isinstance(shared, Shared):
            raise ValueError(f"expected a shared location, got {shared!r}")
        location = shared.location
        if shared.owner is not self._program:
            raise ValueError(f"the location {location.name!r} belongs to another program")
        if index is None:
            if shared.is_array:
                raise ValueError(f"{location.name!r} is an array: an access needs an index")
            return Ref(location.name), location
        if not shared.is_array:
            raise ValueError(f"{location.name!r} is no array: an access has no index")
        expr = self._expr(index)
        known = constant(expr)
        if known is not None and not 0 <= known < location.size:
            raise ValueError(f"the array {location.name!r} has slots 0 to {location.size - 1}, not {known}")
        return Ref(location.name, expr), location


class Alternatives:
    """The alternatives of one `choose`."""

    def __init__(self, thread: ThreadBuilder, assembler: Assembler) -> None:
        self.labels: list[int] = []
        self.end = assembler.label()
        self._thread = thread
        self._assembler = assembler

    @contextmanager
    def alternative(self) -> Iterator[None]:
        """The block is one of the alternatives."""
        self.labels.append(self._assembler.label())
        self._assembler.place(self.labels[-1])
        yield
        self._assembler.emit(Jump(self.end))


def _check_order(order: Order, allowed: Sequence[Order], access: str) -> None:
    if order not in allowed:
        names = ", ".join(entry.value for entry in allowed)
        shown = order.value if isinstance(order, Order) else repr(order)
        raise ValueError(f"the order of a {access} is one of {names}, not {shown}")


def check_new(name: str, known: Collection[str], what: str) -> None:
    if not isinstance(name, str) or not name or name.startswith("."):
        raise ValueError(f"{name!r} is no name for a {what}")
    if name in known:
        raise ValueError(f"there is already a {what} {name!r}")


def check_range(value: int, max_value: int) -> None:
    """ValueError if `value` is none that the program has."""
    if not isinstance(value, int) or not 0 <= value <= max_value:
        raise ValueError(f"{value!r} is not a value of this program: values are 0 to {max_value}")
