"""How large the values of a program get, where that can be seen without running it.

For programs whose range is that of a machine word this tells which masks change nothing, and how small a range would
do. `analysis/values.py` enumerates values, which needs a small range to begin with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..expr import Binary, Const, Expr, ReadValue, Reg, Unary
from ..form import (
    MEMORY,
    Access,
    Assign,
    BlockingCas,
    Cas,
    Instruction,
    Load,
    Program,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
    Wait,
    operands,
    successors,
)
from .conditions import is_boolean

_ROUNDS = 12  # of propagation, before what still grows is taken to have no bound of its own
_BOOLEAN = frozenset({"&&", "||", "==", "!=", "<", "<=", ">", ">="})
_RMW_SIGN = {RmwOp.ADD: "+", RmwOp.SUB: "-", RmwOp.AND: "&", RmwOp.OR: "|", RmwOp.XOR: "^"}

_Holder = str | tuple[int, str]  # a location (all slots of it), or a thread's register


@dataclass(frozen=True, slots=True)
class Bounds:
    """Upper bounds in every consistent execution of every model in which no value comes out of thin air."""

    _largest: Mapping[_Holder, int]
    _everywhere: int

    def largest(self) -> int:
        """No register and no location ever holds more."""
        return max(self._largest.values(), default=0)

    def of(self, thread: int, expr: Expr, read: int | None = None) -> int | None:
        """No value of `expr` is larger; None if it may be negative, or exceed 64 bits. `read` bounds ReadValue."""
        extended = sign_extension(expr)
        if extended is not None:
            value, sign = self.of(thread, extended[0], read), extended[1]
            return value if value is not None and value < sign else None
        match expr:
            case Const(value):
                return value if value >= 0 else None
            case Reg(name):
                return self._largest[thread, name]
            case ReadValue():
                return read
            case Unary(op, _):
                return 1 if op == "!" else None
            case Binary(op, left, right):
                if op in _BOOLEAN:
                    return 1
                return _joined(op, self.of(thread, left, read), self.of(thread, right, read), right)

    def read(self, location: str) -> int:
        """No access to `location` reads more."""
        return self._everywhere if location == MEMORY else self._largest[location]


def sign_extension(expr: Expr) -> tuple[Expr, int] | None:
    """`e` and `s` if `expr` is (e ^ s) - s, which extends the sign bit s of e."""
    match expr:
        case Binary("-", Binary("^", value, Const(sign)), Const(same)) if sign == same and sign > 0:
            return value, sign
    return None


def _joined(op: str, left: int | None, right: int | None, shift: Expr) -> int | None:
    if op == "&":
        known = [bound for bound in (left, right) if bound is not None]
        return min(known) if known else None
    if op == ">>" and isinstance(shift, Const) and 0 < shift.value < 64:
        return ((1 << 64) - 1 if left is None else left) >> shift.value
    if left is None or right is None:
        return None
    match op:
        case "+":
            result = left + right
        case "*":
            result = left * right
        case "|" | "^":
            result = (1 << max(left, right).bit_length()) - 1
        case "<<" if isinstance(shift, Const) and 0 <= shift.value < 64:
            result = left << shift.value
        case "/" | "%" | ">>":
            result = left
        case _:
            return None
    return result if result < 1 << 63 else None


def bounds_of(program: Program) -> Bounds:
    largest: dict[_Holder, int] = {}
    for location in program.locations:
        largest[location.name] = max(map(program.wrap, location.initial))
    for number, thread in enumerate(program.threads):
        for name, value in thread.initial_registers().items():
            largest[number, name] = program.wrap(value)
    limit = _acyclic_limit(program)
    limit = program.max_value if limit is None else min(limit, program.max_value)
    rounds = 0
    changed = True
    while changed:
        changed = False
        rounds += 1
        bounds = Bounds(largest, max((largest[location.name] for location in program.locations), default=0))
        for holder, bound in _effects(program, bounds):
            bound = limit if bound is None else min(bound, limit)
            if bound > largest[holder]:
                largest[holder] = bound if rounds < _ROUNDS else limit
                changed = True
    return Bounds(largest, max((largest[location.name] for location in program.locations), default=0))


def _effects(program: Program, bounds: Bounds) -> Iterator[tuple[_Holder, int | None]]:
    names = [location.name for location in program.locations]
    for number, thread in enumerate(program.threads):
        for instruction in thread.code:
            if isinstance(instruction, Assign):
                yield (number, instruction.reg), bounds.of(number, instruction.value)
            if not isinstance(instruction, Access):
                continue
            where = names if instruction.ref.location == MEMORY else [instruction.ref.location]
            read = bounds.read(instruction.ref.location)
            written = _written(number, instruction, bounds, read)
            if written is not None:
                for name in where:
                    yield name, written[0]
            match instruction:
                case StoreConditional(reg=str(reg)):
                    yield (number, reg), 1
                case Load(reg=str(reg)) | Rmw(reg=str(reg)) | Cas(reg=str(reg)) | Wait(reg=str(reg)):
                    yield (number, reg), read


def _written(thread: int, access: Access, bounds: Bounds, read: int) -> tuple[int | None] | None:
    """The bound of what `access` writes; None if it writes nothing."""
    match access:
        case Store(value=value) | StoreConditional(value=value):
            return (bounds.of(thread, value),)
        case Cas(desired=desired) | BlockingCas(desired=desired):
            return (bounds.of(thread, desired),)
        case Rmw(op=op, operand=operand) if op in _RMW_SIGN:
            return (bounds.of(thread, Binary(_RMW_SIGN[op], ReadValue(), operand), read),)
        case Rmw(operand=operand):
            return (bounds.of(thread, operand, read),)
    return None


@dataclass(frozen=True, slots=True)
class _Growth:
    """A value is at most the largest constant, plus `added`, twice as much again `doubled` times."""

    largest: int = 0
    added: int = 0
    doubled: int = 0

    def __add__(self, other: _Growth) -> _Growth:
        largest = max(self.largest, other.largest)
        return _Growth(largest, self.added + other.added, self.doubled + other.doubled)

    @property
    def limit(self) -> int:
        return (self.largest + self.added + self.doubled) << self.doubled


def _acyclic_limit(program: Program) -> int | None:
    """A bound of all values from the largest constant and what each instruction can add to it, each once.

    Without loops, a value has passed each instruction at most once on its way from a constant, unless it depends on
    itself, which no model here allows. None if there are loops, or instructions whose results have no such bound.
    """
    total = _Growth()
    for location in program.locations:
        total += _Growth(max(map(program.wrap, location.initial)))
    for thread in program.threads:
        total += _Growth(max(map(program.wrap, thread.initial_registers().values()), default=0))
        for pc, instruction in enumerate(thread.code):
            if any(target <= pc for target in successors(thread.code, pc)):
                return None
            for expr in _computed(instruction):
                growth = _growth(expr)
                if growth is None:
                    return None
                total += growth
    return total.limit


def _growth(expr: Expr) -> _Growth | None:
    match expr:
        case Const(value):
            return _Growth(value) if value >= 0 else None
        case Reg() | ReadValue() | Unary("!", _):
            return _Growth(1)
        case Binary(op, _, _) if op in _BOOLEAN:
            return _Growth(1)
        case Binary("&", left, Const(mask)) if mask >= 0:
            return _growth(left) or _Growth(mask)
        case Binary("+" | "|" | "^" | "&" as op, left, right):
            parts = _growth(left), _growth(right)
            if parts[0] is None or parts[1] is None:
                return None
            constant = next((part.value for part in (left, right) if isinstance(part, Const)), None)
            if op == "&":
                return parts[0] + parts[1]
            more = _Growth(added=constant) if op == "+" and constant is not None else _Growth(doubled=1)
            return parts[0] + parts[1] + more
        case Binary("*", left, right) if is_boolean(left) or is_boolean(right):
            return _growth(right if is_boolean(left) else left)
        case Binary(">>" | "/" | "%", left, _):
            return _growth(left)
    return None


def _computed(instruction: Instruction) -> Iterator[Expr]:
    """The expressions whose values go on to registers or memory."""
    match instruction:
        case Assign() | Store() | StoreConditional() | Cas() | BlockingCas():
            yield from operands(instruction)
        case Rmw(op=op, operand=operand):
            yield Binary(_RMW_SIGN[op], ReadValue(), operand) if op in _RMW_SIGN else operand
