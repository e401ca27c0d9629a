"""The code of one thread in the making, in terms of the program form.

Accesses name addresses; `finish` replaces those that are the same in every run by the location that is there, and
leaves out the flags that nothing looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NoReturn

from fencepost.program.assembler import Assembler
from fencepost.program.expr import Const, Expr, Reg, evaluate, registers_of
from fencepost.program.form import (
    MEMORY,
    RESERVATION,
    Access,
    Assign,
    Branch,
    Cas,
    Choose,
    Fence,
    Instruction,
    Jump,
    Load,
    Ref,
    Rmw,
    RmwOp,
    Span,
    Store,
    StoreConditional,
    Thread,
    operands,
    written_register,
)
from fencepost.program.orders import FenceKind, Mark, Order

from .layout import Layout, Place
from .text import Text

NONE: frozenset[Mark] = frozenset()


@dataclass(frozen=True, slots=True)
class _Item:
    """An instruction, whose targets are still names of labels by number, or the place of a label."""

    instruction: Instruction | None
    bits: int = 0  # how many an access reads or writes
    label: int = -1
    offset: int = 0


class ThreadCode:
    """Instructions are added by methods; `at` says for which place in the text."""

    def __init__(self, number: int, text: Text, layout: Layout, word: int, initial: dict[str, int]) -> None:
        """`initial` are the registers that do not start at 0."""
        self.number = number
        self.layout = layout
        self.initial = initial
        self._text = text
        self._word = word
        self._items: list[_Item] = []
        self._computed: list[_Item] = []  # accesses whose addresses are known only when the program runs
        self._labels: dict[str, int] = {}
        self._uses: dict[str, int] = {}  # label: where it is first used
        self._count = 0
        self._hidden = 0
        self._offset = 0
        self._end = self.new_label()

    def at(self, offset: int) -> None:
        self._offset = offset

    def fail(self, message: str, hint: str | None = None) -> NoReturn:
        self._text.fail(message, self._offset, hint)

    @property
    def span(self) -> Span:
        return self._text.span(self._offset)

    def hidden(self) -> str:
        """A new register that the source does not name."""
        self._hidden += 1
        return f".t{self._hidden}"

    def emit(self, instruction: Instruction, bits: int = 0) -> None:
        """`bits` are those that an access reads or writes."""
        self._items.append(_Item(instruction, bits, offset=self._offset))

    # What has been emitted so far

    def position(self) -> int:
        return len(self._items)

    def insert_branch(self, position: int, register: str, value: Expr, condition: Expr, target: int) -> None:
        """At `position`: register := value, and a branch."""
        assign = Assign(register, value, span=self.span)
        branch = Branch(condition, target, span=self.span)
        self._items[position:position] = [_Item(assign, offset=self._offset), _Item(branch, offset=self._offset)]

    def redirect(self, hidden: str, register: str) -> bool:
        """Let the last instruction write `register` instead of `hidden`. False if it does not write that."""
        last = self._items[-1] if self._items else None
        if last is None or not isinstance(last.instruction, Load | Rmw | Cas) or last.instruction.reg != hidden:
            return False
        self._items[-1] = replace(last, instruction=replace(last.instruction, reg=register))
        return True

    # Instructions

    def assign(self, register: str, value: Expr) -> None:
        self.emit(Assign(register, value, span=self.span))

    def load(self, register: str, address: Expr, bits: int, marks: frozenset[Mark] = NONE) -> None:
        self.emit(Load(register, _at(address), Order.RELAXED, marks=marks, span=self.span), bits)

    def store(self, address: Expr, value: Expr, bits: int, marks: frozenset[Mark] = NONE) -> None:
        """`value` has no more than `bits`."""
        self.emit(Store(_at(address), value, Order.RELAXED, marks=marks, span=self.span), bits)

    def store_conditional(
        self, status: str, address: Expr, value: Expr, bits: int, marks: frozenset[Mark] = NONE
    ) -> None:
        marks |= {Mark.EXCLUSIVE}
        self.emit(StoreConditional(status, _at(address), value, Order.RELAXED, marks=marks, span=self.span), bits)

    def rmw(
        self,
        register: str | None,
        op: RmwOp,
        address: Expr,
        operand: Expr,
        bits: int,
        marks: frozenset[Mark] = NONE,
    ) -> None:
        self.emit(Rmw(register, op, _at(address), operand, Order.RELAXED, marks=marks, span=self.span), bits)

    def cas(
        self,
        register: str | None,
        address: Expr,
        expected: Expr,
        desired: Expr,
        bits: int,
        marks: frozenset[Mark] = NONE,
    ) -> None:
        relaxed = Order.RELAXED
        cas = Cas(register, _at(address), expected, desired, relaxed, relaxed, marks=marks, span=self.span)
        self.emit(cas, bits)

    def fence(self, kind: FenceKind) -> None:
        self.emit(Fence(kind, span=self.span))

    # Control

    def new_label(self) -> int:
        self._count += 1
        return self._count - 1

    def place(self, label: int) -> None:
        self._items.append(_Item(None, label=label, offset=self._offset))

    def branch(self, condition: Expr, target: int) -> None:
        """A branch stays one, with its control dependency, even where both ways are the same."""
        self.emit(Branch(condition, target, span=self.span))

    def jump(self, target: int) -> None:
        self.emit(Jump(target, span=self.span))

    def leave(self, link: str | None) -> None:
        """Return to whatever started the thread, which is its end. `link` is the register that has the way back."""
        if link is not None and link in self.initial:
            self.fail(f"a return is supported only where the test gives {link} no value")
        self.jump(self._end)

    def select(self, condition: Expr, assign: Callable[[bool], None]) -> None:
        """What `assign` emits, one assignment for the condition's truth and one for its falsehood."""
        holds, after = self.new_label(), self.new_label()
        self.emit(Branch(condition, holds, selects=True, span=self.span))
        assign(False)
        self.jump(after)
        self.place(holds)
        assign(True)
        self.place(after)

    def define(self, name: str) -> None:
        """The label `name` of the source is here."""
        if name in self._labels and any(item.label == self._labels[name] for item in self._items):
            self.fail(f"label '{name}' is defined twice in thread {self.number}")
        self.place(self._number(name))

    def named_label(self, name: str) -> int:
        """The label `name` of the source, to go to."""
        self._uses.setdefault(name, self._offset)
        return self._number(name)

    def _number(self, name: str) -> int:
        if name not in self._labels:
            self._labels[name] = self.new_label()
        return self._labels[name]

    def predicated(self, emit: Callable[[], None], choose: Callable[[Expr, Expr], Expr]) -> bool:
        """Where `emit` only assigns to registers: makes the values what `choose` says of each and what was there.

        False, with nothing emitted, if it does more.
        """
        start = len(self._items)
        emit()
        if not all(isinstance(item.instruction, Assign) for item in self._items[start:]):
            del self._items[start:]
            return False
        for number, item in enumerate(self._items[start:], start):
            assert isinstance(item.instruction, Assign)
            value = choose(item.instruction.value, Reg(item.instruction.reg))
            self._items[number] = replace(item, instruction=replace(item.instruction, value=value))
        return True

    # The end

    def finish(self, observed: Iterable[str]) -> Thread:
        """The thread. `observed` are the registers that the test asks about at the end."""
        self.place(self._end)
        placed = {item.label for item in self._items if item.instruction is None}
        for name, offset in self._uses.items():
            if self._labels[name] not in placed:
                self._text.fail(f"there is no label '{name}' in thread {self.number}", offset)
        items = self._resolved(_without_unused_flags(self._items, frozenset(observed)))
        assembler = Assembler(max_value=(1 << self._word) - 1)
        labels = [assembler.label() for _ in range(self._count)]
        for item in items:
            match item.instruction:
                case None:
                    assembler.place(labels[item.label])
                case Branch(target=target) | Jump(target=target):
                    assembler.emit(replace(item.instruction, target=labels[target]))
                case Choose(targets=targets):
                    assembler.emit(replace(item.instruction, targets=tuple(labels[target] for target in targets)))
                case _:
                    assembler.emit(item.instruction)
        code = assembler.finish()
        names = list(dict.fromkeys([*_registers(code), *observed]))
        start = tuple(self.initial.get(name, 0) for name in names)
        return Thread(f"P{self.number}", tuple(names), code, start if any(start) else ())

    def _resolved(self, items: list[_Item]) -> list[_Item]:
        written = {written_register(item.instruction) for item in items if item.instruction is not None}
        return [self._with_location(item, written) for item in items]

    def _with_location(self, item: _Item, written: set[str | None]) -> _Item:
        """`item` with the location's name for an address that uses no register that the thread writes."""
        if not isinstance(item.instruction, Access):
            return item
        address = item.instruction.ref.index
        if address is None or not registers_of(address).isdisjoint(written):
            self._computed.append(item)
            return item
        constants = {name: self.initial.get(name, 0) for name in registers_of(address)}
        value = evaluate(address, constants) % (1 << self._word)
        for place in self.layout.places.values():
            slot, rest = divmod(value - place.address, place.stride)
            if rest == 0 and 0 <= slot < len(place.values):
                self._require_size(place, item)
                ref = Ref(place.name, Const(slot) if place.is_array else None)
                return replace(item, instruction=replace(item.instruction, ref=ref))
        self._text.fail(
            f"there is no location at this address ({value})",
            item.offset,
            hint="the initial state gives a register the address of x by 0:X1=x",
        )

    def _require_size(self, place: Place, item: _Item) -> None:
        if not place.has_size(item.bits, self._word):
            self._text.fail(
                f"this access is of {item.bits} bits, and {place.name} has {place.size(self._word)}",
                item.offset,
                hint="accesses of different sizes to one location are not supported",
            )

    def require_sizes(self, reachable: Iterable[Place]) -> None:
        """Accesses with computed addresses may go to any of `reachable`."""
        for place in reachable:
            for item in self._computed:
                self._require_size(place, item)


def _at(address: Expr) -> Ref:
    return Ref(MEMORY, address)


def _without_unused_flags(items: list[_Item], observed: frozenset[str]) -> list[_Item]:
    """Without assignments to hidden registers that nothing reads, nor the next round's after these are gone."""
    while True:
        read = set(observed)
        for item in items:
            if item.instruction is not None:
                read.update(name for expr in operands(item.instruction) for name in registers_of(expr))
        kept = [item for item in items if not _is_unused(item.instruction, read)]
        if len(kept) == len(items):
            return kept
        items = kept


def _is_unused(instruction: Instruction | None, read: set[str]) -> bool:
    return isinstance(instruction, Assign) and instruction.reg.startswith(".") and instruction.reg not in read


def _registers(code: tuple[Instruction, ...]) -> Iterator[str]:
    """The registers that `code` uses, in the order in which it does."""
    for instruction in code:
        for expr in operands(instruction):
            yield from sorted(registers_of(expr))
        written = written_register(instruction)
        if written is not None:
            yield written
    if any(isinstance(instruction, StoreConditional) or _is_linked(instruction) for instruction in code):
        yield RESERVATION


def _is_linked(instruction: Instruction) -> bool:
    return isinstance(instruction, Load) and Mark.EXCLUSIVE in instruction.marks
