"""The one program form: every front end produces it, every model and engine reads it.

A thread is a list of instructions; control falls through to the next one unless the instruction says otherwise, and
ends after the last. Everything is frozen; every instruction knows where it stands in the source.

Programs for a processor (`Program.isa`, made by `frontends/litmus`) use, beyond what C11 programs use:

- Addresses as values. Every location has an `address`, and its slots lie `stride` apart; `Program.cell_at` finds what
  is at an address. An access whose address is computed has `Ref(MEMORY, address)`: "index" is the address itself.
  An address that no instruction of the thread computes is resolved by the front end to the location's own name.
- `marks` on accesses, their `order` being RELAXED throughout; barriers are fence kinds.
- Load-linked (a `Load` marked EXCLUSIVE) and `StoreConditional`.
- Status flags as registers whose names start with a dot. Expressions are never simplified, so `operands` gives the
  syntactic dependencies: an access's address registers are those of `ref.index`, its data registers those of its other
  operands, and control depends on those of a `Branch`.
- Registers of 32 or 64 bits: `max_value` is 2**32 - 1 or 2**64 - 1, unless a smaller range is as good, and
  arithmetic of fewer bits is masked in the expression.
- `final`: what the test asks about its final states.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from .condition import Final
from .expr import Expr
from .orders import FenceKind, Mark, Order

MEMORY = "*"  # the `location` of a Ref whose `index` is an address
RESERVATION = ".reservation"  # the register that holds the address of the thread's open load-linked, or 0
_NO_MARKS: frozenset[Mark] = frozenset()


class Isa(Enum):
    """What the instructions of a program are: those of C11, or of a processor."""

    C11 = "c11"
    X86 = "x86"  # 32 and 64 bits; read-modify-writes are the locked instructions
    AARCH64 = "aarch64"
    ARMV7 = "armv7"
    POWER = "power"
    SPARC = "sparc"  # no front end: what C11 programs become for PSO and RMO


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the source: lines and columns count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Location:
    """A shared location, or an array of `size` of them (an access then names an index).

    `address` is that of its first slot, where addresses are values, and `stride` the distance to the next.
    """

    name: str
    initial: tuple[int, ...] = (0,)
    atomic: bool = True
    address: int | None = None
    stride: int = 1

    @property
    def size(self) -> int:
        return len(self.initial)


@dataclass(frozen=True, slots=True)
class Ref:
    """What an access names: a location and, for arrays, an index. If the location is MEMORY, `index` is an address."""

    location: str
    index: Expr | None = None


class RmwOp(Enum):
    ADD = "+"
    SUB = "-"
    AND = "&"
    OR = "|"
    XOR = "^"
    EXCHANGE = "exchange"
    UPDATE = "update"  # the operand is the new value, and `ReadValue()` in it the old one


@dataclass(frozen=True, slots=True, kw_only=True)
class _Instruction:
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Assign(_Instruction):
    """reg := value"""

    reg: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Load(_Instruction):
    """reg := ref.load(order)"""

    reg: str
    ref: Ref
    order: Order
    marks: frozenset[Mark] = field(default=_NO_MARKS, kw_only=True)


@dataclass(frozen=True, slots=True)
class Store(_Instruction):
    """ref.store(value, order)"""

    ref: Ref
    value: Expr
    order: Order
    marks: frozenset[Mark] = field(default=_NO_MARKS, kw_only=True)


@dataclass(frozen=True, slots=True)
class StoreConditional(_Instruction):
    """Either ref := value and reg := 0, or it fails and only reg := 1.

    It may fail at any time. It can succeed only if the thread's last load-linked since its last store-conditional
    was from the same cell, and then the two are one atomic update: no other thread writes the cell between them.
    """

    reg: str
    ref: Ref
    value: Expr
    order: Order
    marks: frozenset[Mark] = field(default=_NO_MARKS, kw_only=True)


@dataclass(frozen=True, slots=True)
class Rmw(_Instruction):
    """Atomically: old := ref; ref := old <op> operand; reg := old."""

    reg: str | None
    op: RmwOp
    ref: Ref
    operand: Expr
    order: Order
    marks: frozenset[Mark] = field(default=_NO_MARKS, kw_only=True)


@dataclass(frozen=True, slots=True)
class Cas(_Instruction):
    """Strong compare-and-swap: reg := the value read, whether it succeeds or not.

    AArch64's may also, when it fails, write back the value that it has read, and in either case it may decide with or
    without a branch, on which what follows then control-depends. Values do not tell these apart, so the interleaving
    machine does without them. herd7 counts graphs of: success with and without branch, failure with and without,
    failure with the value written back (this reproduces its SC counts of 56 of 56 tests with CAS).
    """

    reg: str | None
    ref: Ref
    expected: Expr
    desired: Expr
    success: Order
    failure: Order
    marks: frozenset[Mark] = field(default=_NO_MARKS, kw_only=True)


@dataclass(frozen=True, slots=True)
class BlockingCas(_Instruction):
    """Blocks until ref holds `expected`, then atomically replaces it by `desired`."""

    ref: Ref
    expected: Expr
    desired: Expr
    order: Order
    marks: frozenset[Mark] = field(default=_NO_MARKS, kw_only=True)


@dataclass(frozen=True, slots=True)
class Wait(_Instruction):
    """Blocks until ref holds a value that makes `until` true (the value is `ReadValue()` there); reg := it."""

    reg: str | None
    ref: Ref
    until: Expr
    order: Order
    marks: frozenset[Mark] = field(default=_NO_MARKS, kw_only=True)


@dataclass(frozen=True, slots=True)
class Fence(_Instruction):
    kind: FenceKind


@dataclass(frozen=True, slots=True)
class Lock(_Instruction):
    """Until the thread's next Unlock nobody else touches memory; empties the thread's store buffer.

    Whether a thread is between Lock and Unlock is a matter of its pc alone (`analysis.locks`); front ends see to it.
    """


@dataclass(frozen=True, slots=True)
class Unlock(_Instruction):
    """Empties the thread's store buffer and lets others touch memory again."""


@dataclass(frozen=True, slots=True)
class Branch(_Instruction):
    """To `target` if `condition` is not zero, else on to the next instruction.

    If it `selects`, it is no branch of the program: both ways start with an assignment, and what comes later does not
    depend on the condition but by the register that is assigned (a conditional select).
    """

    condition: Expr
    target: int
    selects: bool = False


@dataclass(frozen=True, slots=True)
class Jump(_Instruction):
    target: int


@dataclass(frozen=True, slots=True)
class Choose(_Instruction):
    """To any one of `targets`."""

    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Assume(_Instruction):
    """The thread ends here, without error, if `condition` is zero."""

    condition: Expr


@dataclass(frozen=True, slots=True)
class Assert(_Instruction):
    """The thread fails here if `condition` is zero. `why` replaces the usual message (a division's guard, say)."""

    condition: Expr
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Use(_Instruction):
    """A use of `value`, nothing else: it matters to observational robustness."""

    value: Expr


Access = Load | Store | StoreConditional | Rmw | Cas | BlockingCas | Wait
Instruction = Assign | Access | Fence | Lock | Unlock | Branch | Jump | Choose | Assume | Assert | Use


@dataclass(frozen=True, slots=True)
class Thread:
    """Registers start at `initial` (0 where it is short). `places` are pcs that have a name in the source.

    `any_number`: the thread is a template, of which any number of copies run (see `templates.py`).
    """

    name: str
    registers: tuple[str, ...]
    code: tuple[Instruction, ...]
    initial: tuple[int, ...] = ()
    span: Span | None = field(default=None, compare=False)
    places: tuple[tuple[int, str], ...] = field(default=(), compare=False)
    any_number: bool = False

    def initial_registers(self) -> dict[str, int]:
        values = self.initial + (0,) * (len(self.registers) - len(self.initial))
        return dict(zip(self.registers, values, strict=True))


@dataclass(frozen=True, slots=True)
class Expectation:
    """A verdict that the source file itself announces."""

    notion: str  # "robust" or "observational"
    robust: bool
    models: tuple[str, ...]
    span: Span | None = field(default=None, compare=False)


class OutOfRangeError(ArithmeticError):
    """A run leaves the values of a program that does not wrap around."""


@dataclass(frozen=True, slots=True)
class Program:
    """`max_value`: values are min_value..max_value, and wrap around.

    If `wraps` is false they are mathematical integers of which only these are followed: a run that leaves the range is
    cut there, and an answer that depends on it is Unknown. `elastic`: the range is a guess, and may be widened.
    """

    name: str
    locations: tuple[Location, ...]
    threads: tuple[Thread, ...]
    max_value: int = 255
    expectations: tuple[Expectation, ...] = ()
    isa: Isa = Isa.C11
    final: Final | None = None
    min_value: int = 0
    wraps: bool = True
    elastic: bool = field(default=False, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)  # what the front end noticed and the user should know
    source: str | None = field(default=None, compare=False, repr=False)
    language: str = field(default="builder", compare=False)

    def wrap(self, value: int) -> int:
        if self.min_value <= value <= self.max_value:
            return value
        if not self.wraps:
            raise OutOfRangeError(f"{value} is not in {self.min_value}..{self.max_value}")
        return self.min_value + (value - self.min_value) % (self.max_value - self.min_value + 1)

    @property
    def templates(self) -> tuple[int, ...]:
        """The threads of which any number of copies run. If there are any, this is not one program but many."""
        return tuple(number for number, thread in enumerate(self.threads) if thread.any_number)

    def within(self, largest: int) -> Program:
        """The program with values up to `largest` followed. Raises ValueError if it says its range itself."""
        if self.wraps:
            raise ValueError(
                f"its values are {self.min_value} to {self.max_value} and wrap around, which is part of what it means"
            )
        return replace(self, min_value=-largest if self.min_value < 0 else 0, max_value=largest, elastic=False)

    def widened(self) -> Program:
        """The program with three times as many values followed, or (with negative ones) five times."""
        more = 2 * (self.max_value - self.min_value + 1)
        return replace(
            self, min_value=self.min_value - more if self.min_value < 0 else 0, max_value=self.max_value + more
        )

    def location(self, name: str) -> Location:
        return next(location for location in self.locations if location.name == name)

    def cell_at(self, address: int) -> tuple[str, int] | None:
        """The location, and the slot of it, that start at `address`."""
        for location in self.locations:
            if location.address is not None:
                slot, rest = divmod(address - location.address, location.stride)
                if rest == 0 and 0 <= slot < location.size:
                    return location.name, slot
        return None

    def value_text(self, value: int) -> str:
        """A value as people write it: an address by the name of what is there (no number of a test is one)."""
        cell = self.cell_at(value) if self.language == "litmus" else None
        if cell is None:
            return str(value if value < 1 << 63 else value - (1 << 64))
        name, slot = cell
        return name if self.location(name).size == 1 else f"{name}[{slot}]"

    def address_of(self, name: str, slot: int = 0) -> int:
        """Where a cell is. Only locations of programs for a processor have addresses."""
        location = self.location(name)
        if location.address is None:
            raise ValueError(f"location {name} has no address")
        return location.address + slot * location.stride

    def source_line(self, span: Span | None) -> str | None:
        """The text of the line that `span` is on."""
        if self.source is None or span is None:
            return None
        lines = self.source.splitlines()
        return lines[span.line - 1].strip() if span.line <= len(lines) else None


def apply_rmw(op: RmwOp, old: int, operand: int) -> int:
    """The new value of an RMW, not yet wrapped."""
    match op:
        case RmwOp.ADD:
            return old + operand
        case RmwOp.SUB:
            return old - operand
        case RmwOp.AND:
            return old & operand
        case RmwOp.OR:
            return old | operand
        case RmwOp.XOR:
            return old ^ operand
        case RmwOp.EXCHANGE | RmwOp.UPDATE:
            return operand


def successors(code: tuple[Instruction, ...], pc: int) -> tuple[int, ...]:
    """Where control may go from `pc` (len(code) is the end of the thread)."""
    match code[pc]:
        case Jump(target):
            return (target,)
        case Branch(_, target):
            return (pc + 1,) if target == pc + 1 else (pc + 1, target)
        case Choose(targets):
            return tuple(dict.fromkeys(targets))
    return (pc + 1,)


def written_register(instruction: Instruction) -> str | None:
    """The register that an instruction overwrites (the paper's R_out)."""
    match instruction:
        case Assign(reg=reg) | Load(reg=reg) | StoreConditional(reg=reg) | Rmw(reg=reg) | Cas(reg=reg) | Wait(reg=reg):
            return reg
    return None


def orders_of(access: Access) -> tuple[Order, ...]:
    """Its orders: a CAS has one for each outcome."""
    return (access.success, access.failure) if isinstance(access, Cas) else (access.order,)


def operands(instruction: Instruction) -> tuple[Expr, ...]:
    """The expressions that an instruction evaluates (R_in is the registers in them)."""
    index = (instruction.ref.index,) if isinstance(instruction, Access) and instruction.ref.index is not None else ()
    match instruction:
        case Assign(value=value) | Store(value=value) | StoreConditional(value=value) | Use(value=value):
            return (*index, value)
        case Rmw(operand=operand):
            return (*index, operand)
        case Cas(expected=expected, desired=desired) | BlockingCas(expected=expected, desired=desired):
            return (*index, expected, desired)
        case Wait(until=until):
            return (*index, until)
        case Branch(condition=condition) | Assume(condition=condition) | Assert(condition=condition):
            return (condition,)
    return index
