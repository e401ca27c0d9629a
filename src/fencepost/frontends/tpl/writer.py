"""A `Program` as TPL text that reads back as an equivalent program: flow by labels and gotos."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from fencepost.program.assembler import division_guard
from fencepost.program.expr import Binary, Const, Expr, ReadValue, Reg, Unary, parts, show, substitute
from fencepost.program.form import (
    Assert,
    Assign,
    Assume,
    BlockingCas,
    Branch,
    Cas,
    Choose,
    Expectation,
    Fence,
    Instruction,
    Isa,
    Jump,
    Load,
    Location,
    Lock,
    Program,
    Ref,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
    Thread,
    Unlock,
    Use,
    Wait,
    operands,
)
from fencepost.program.orders import FenceKind, Order
from fencepost.program.printer import branch_targets, label_names, show_instruction

from .lexer import KEYWORDS

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_READ = {Order.RELAXED: "rlx", Order.ACQUIRE: "acq"}
_WRITE = {Order.RELAXED: "rlx", Order.RELEASE: "rel"}
_READ_WRITE = {
    Order.RELAXED: "rlx, rlx",
    Order.ACQUIRE: "acq, rlx",
    Order.RELEASE: "rlx, rel",
    Order.ACQ_REL: "acq, rel",
}
_FENCES = (FenceKind.ACQUIRE, FenceKind.RELEASE, FenceKind.ACQ_REL, FenceKind.SEQ_CST)
_RMWS = {RmwOp.ADD: "FADD", RmwOp.EXCHANGE: "exchange"}


class NotExpressibleError(ValueError):
    """The program uses something that TPL has no words for."""


def to_tpl(program: Program) -> str:
    """`program` in TPL. Names that TPL does not allow are replaced by similar ones.

    Raises NotExpressibleError for what TPL cannot say.
    """
    if not program.threads:
        raise NotExpressibleError("TPL has no programs without threads")
    if not program.wraps:
        raise NotExpressibleError("TPL has only values that wrap around")
    if program.isa is not Isa.C11:
        raise NotExpressibleError(f"TPL has no instructions of {program.isa.value}")
    locations = _names([location.name for location in program.locations], frozenset())
    threads = _names([thread.name for thread in program.threads], frozenset())
    renamed = {location.name: name for location, name in zip(program.locations, locations, strict=True)}
    lines = [*_marks(program.expectations), f"max_value {program.max_value};"]
    lines += [_declaration(location, renamed[location.name]) for location in program.locations]
    for thread, name in zip(program.threads, threads, strict=True):
        star = " *" if thread.any_number else ""
        lines += ["", f"fn {name}{star} {{", *_ThreadWriter(program, thread, renamed).lines(), "}"]
    return "\n".join(lines) + "\n"


def _names(wanted: Sequence[str], taken: Collection[str]) -> list[str]:
    """Distinct names that TPL allows, outside `taken`, as close to `wanted` as may be."""
    used = set(taken) | KEYWORDS
    fitting = [name for name in wanted if _NAME.fullmatch(name)]
    result: list[str] = []
    for name in wanted:
        if _NAME.fullmatch(name) and name not in used:
            chosen = name
        else:
            stem = re.sub(r"[^A-Za-z0-9_]", "_", name)
            stem = stem if _NAME.fullmatch(stem) else f"_{stem}"
            candidates = itertools.chain([stem], (f"{stem}_{number}" for number in itertools.count(1)))
            chosen = next(candidate for candidate in candidates if candidate not in used.union(fitting))
        used.add(chosen)
        result.append(chosen)
    return result


def _marks(expectations: Iterable[Expectation]) -> Iterator[str]:
    """The comments that announce verdicts, one for each notion."""
    for notion, mark in (("robust", "egr"), ("observational", "wegr")):
        verdicts = [
            f"{'robust' if expectation.robust else 'not'}: {','.join(expectation.models)}."
            for expectation in expectations
            if expectation.notion == notion
        ]
        if verdicts:
            yield f"// ROBUSTNESS {mark}: {' '.join(verdicts)}"


def _declaration(location: Location, name: str) -> str:
    if location.size != 1:
        raise NotExpressibleError(f"TPL has no arrays, and {location.name} is one")
    keyword = "global" if location.atomic else "na"
    return f"{keyword} {name} = {location.initial[0]};" if location.initial[0] else f"{keyword} {name};"


class _ThreadWriter:
    """The lines of one function."""

    def __init__(self, program: Program, thread: Thread, locations: dict[str, str]) -> None:
        self._program = program
        self._thread = thread
        self._locations = locations
        names = _names(thread.registers, locations.values())
        self._registers = dict(zip(thread.registers, names, strict=True))
        places = label_names(thread)
        self._labels = dict(zip(places, _names(list(places.values()), locations.values()), strict=True))

    def lines(self) -> Iterator[str]:
        initial = self._thread.initial_registers()
        registers = [name + (f" = {initial[old]}" if initial[old] else "") for old, name in self._registers.items()]
        if registers:
            yield f"    local {', '.join(registers)};"
        implied = self._implied_guards()
        for pc, instruction in enumerate(self._thread.code):
            if pc in self._labels:
                yield f"  {self._labels[pc]}:"
            if pc not in implied:
                yield f"    {self._statement(instruction)};"
        if len(self._thread.code) in self._labels:
            yield f"  {self._labels[len(self._thread.code)]}:"

    def _implied_guards(self) -> set[int]:
        """The assertions that the reader of TPL will put back itself, before divisions."""
        code = self._thread.code
        targets = {target for instruction in code for target in branch_targets(instruction)}
        implied: set[int] = set()
        for pc, instruction in enumerate(code):
            guards = [guard for expr in operands(instruction) if (guard := division_guard(expr)) is not None]
            start = pc - len(guards)
            if start >= 0 and list(code[start:pc]) == guards and targets.isdisjoint(range(start + 1, pc + 1)):
                implied.update(range(start, pc))
        return implied

    def _statement(self, instruction: Instruction) -> str:
        match instruction:
            case Assign(reg, value):
                return f"{self._registers[reg]} = {self._show(value)}"
            case Load(reg, ref, Order.NON_ATOMIC):
                return f"{self._registers[reg]} = {self._name(ref, instruction)}.naload()"
            case Load(reg, ref, order):
                return (
                    f"{self._registers[reg]} = {self._name(ref, instruction)}.load({_say(order, _READ, instruction)})"
                )
            case Store(ref, value, Order.NON_ATOMIC):
                return f"{self._name(ref, instruction)}.nastore({self._show(value)})"
            case Store(ref, value, order):
                order_text = _say(order, _WRITE, instruction)
                return f"{self._name(ref, instruction)}.store({self._show(value)}, {order_text})"
            case StoreConditional():
                raise NotExpressibleError(f"TPL has no store-conditional: {show_instruction(instruction)}")
            case Rmw(reg, op, ref, operand, order):
                if op not in _RMWS:
                    raise NotExpressibleError(f"TPL has only FADD and exchange: {show_instruction(instruction)}")
                arguments = (
                    f"{self._name(ref, instruction)}, {self._show(operand)}, {_say(order, _READ_WRITE, instruction)}"
                )
                return f"{self._result(reg)}{_RMWS[op]}({arguments})"
            case Cas(reg, ref, expected, desired, success, failure):
                values = f"{self._name(ref, instruction)}, {self._show(expected)}, {self._show(desired)}"
                return f"{self._result(reg)}CAS({values}, {_cas_orders(success, failure, instruction)})"
            case BlockingCas(ref, expected, desired, order):
                values = f"{self._name(ref, instruction)}, {self._show(expected)}, {self._show(desired)}"
                return f"BCAS({values}, {_say(order, _READ_WRITE, instruction)})"
            case Wait(reg, ref, until, order):
                values = ", ".join(self._show(value) for value in self._awaited(until, instruction))
                arguments = f"{self._name(ref, instruction)}, {values}, {_say(order, _READ, instruction)}"
                return f"{self._result(reg)}wait({arguments})"
            case Fence(kind):
                if kind not in _FENCES:
                    raise NotExpressibleError(f"TPL has no such fence: {show_instruction(instruction)}")
                return f"fence({kind.value})"
            case Lock() | Unlock():
                raise NotExpressibleError("TPL has no locked blocks")
            case Branch(condition, target):
                return f"if ({self._show(condition)}) goto {self._labels[target]}"
            case Jump(target):
                return f"goto {self._labels[target]}"
            case Choose(targets):
                if not targets:
                    raise NotExpressibleError("TPL has no choice without alternatives")
                blocks = " ".join(f"{{ goto {self._labels[target]}; }}" for target in targets)
                return f"oneof({blocks})"
            case Assume(condition):
                return f"assume({self._show(condition)})"
            case Assert(condition):
                return f"assert({self._show(condition)})"
            case Use(value):
                return f"verify({self._show(value)})"

    def _show(self, expr: Expr) -> str:
        if any(isinstance(part, Binary) and part.op in ("<<", ">>") for part in parts(expr)):
            raise NotExpressibleError(f"TPL has no shifts: {show(expr)}")
        return show(substitute(_without_complement(expr), {old: Reg(new) for old, new in self._registers.items()}))

    def _result(self, reg: str | None) -> str:
        return "" if reg is None else f"{self._registers[reg]} = "

    def _name(self, ref: Ref, access: Instruction) -> str:
        if ref.index is not None:
            raise NotExpressibleError(f"TPL has no arrays: {show_instruction(access)}")
        plain = isinstance(access, Load | Store) and access.order is Order.NON_ATOMIC
        if plain == self._program.location(ref.location).atomic:
            kind = "non-atomic" if plain else "atomic"
            raise NotExpressibleError(f"TPL has no {kind} access to {ref.location}: {show_instruction(access)}")
        return self._locations[ref.location]

    def _awaited(self, until: Expr, wait: Wait) -> list[Expr]:
        """The values of a condition `value == e1 || value == e2 ..`, which is all that a TPL wait can ask for."""
        match until:
            case Binary("||", left, right):
                return [*self._awaited(left, wait), *self._awaited(right, wait)]
            case Binary("==", ReadValue(), Reg() as value) | Binary("==", Reg() as value, ReadValue()):
                return [value]
            case Binary("==", ReadValue(), Const(number) as value) | Binary("==", Const(number) as value, ReadValue()):
                if 0 <= number <= self._program.max_value:
                    return [value]
        raise NotExpressibleError(f"a TPL wait is for values from a list: {show_instruction(wait)}")


def _say(order: Order, words: Mapping[Order, str], access: Instruction) -> str:
    if order not in words:
        raise NotExpressibleError(f"TPL has no such order here: {show_instruction(access)}")
    return words[order]


def _cas_orders(success: Order, failure: Order, cas: Cas) -> str:
    """`ml, ms`: a CAS that fails has the order of its read, so not every pair of orders can be said."""
    for read, read_text in _READ.items():
        for write, write_text in _WRITE.items():
            if (read.join(write), read) == (success, failure):
                return f"{read_text}, {write_text}"
    raise NotExpressibleError(f"TPL has no such pair of orders: {show_instruction(cas)}")


def _without_complement(expr: Expr) -> Expr:
    """`expr` with `~e` written as `-e - 1`, which is the same in two's complement."""
    match expr:
        case Unary("~", arg):
            return Binary("-", Unary("-", _without_complement(arg)), Const(1))
        case Unary(op, arg):
            return Unary(op, _without_complement(arg))
        case Binary(op, left, right):
            return Binary(op, _without_complement(left), _without_complement(right))
    return expr
