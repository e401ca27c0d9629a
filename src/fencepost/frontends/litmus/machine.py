"""What the processors have in common: registers and views of them, masks, sign extension, one line of code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from fencepost.program.expr import Binary, Const, Expr, Reg, Unary
from fencepost.program.form import Isa

from .code import ThreadCode
from .cursor import Cursor


@dataclass(frozen=True, slots=True)
class Register:
    """`bits` of the register called `name`, from bit `shift` on. The zero register has no name.

    Writing fewer bits than the register has clears the others, unless `keeps` says that they stay as they are.
    """

    name: str | None
    bits: int
    shift: int = 0
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class Machine:
    """A processor: its registers, and for each mnemonic what an instruction does."""

    isa: Isa
    word: int  # bits of a register
    register: Callable[[str], Register | None]  # the register of that name as written, if there is one
    find: Callable[[str], Handler | None]  # what reads the operands of a mnemonic and emits its code
    known: Callable[[], Iterable[str]]  # the mnemonics, for a message


def masked(value: Expr, bits: int) -> Expr:
    """The low `bits` of `value`, as an unsigned number."""
    if bits >= 64:
        return value
    if isinstance(value, Const):
        return constant(value.value, bits)
    return Binary("&", value, Const((1 << bits) - 1))


def constant(value: int, bits: int) -> Const:
    """`value` as a number of `bits`: not negative, but for 64 bits, where it is signed as all constants of the core."""
    value &= (1 << bits) - 1
    return Const(value - (1 << 64) if value >> 63 else value)


def sign_extended(value: Expr, bits: int) -> Expr:
    """`value`, a number of `bits`, as a signed one. Not yet masked."""
    if bits >= 64:
        return value
    sign = Const(1 << (bits - 1))
    return Binary("-", Binary("^", value, sign), sign)


def bit(value: Expr, number: int) -> Expr:
    return Binary("&", Binary(">>", value, Const(number)), Const(1))


def is_equal(left: Expr, right: Expr, bits: int) -> Expr:
    """Whether two unsigned numbers of `bits` are the same."""
    if bits < 64:
        return Binary("==", left, right)
    return Binary("==", Binary("-", left, right), Const(0))


def either(holds: Expr, yes: Expr, no: Expr) -> Expr:
    """Depends on the condition, which is 0 or 1, and on both values."""
    return Binary("+", Binary("*", holds, yes), Binary("*", Unary("!", holds), no))


def view(register: Register, word: int) -> Expr:
    """What an instruction reads that names `register`."""
    if register.name is None:
        return Const(0)
    whole: Expr = Reg(register.name)
    if register.shift:
        whole = Binary(">>", whole, Const(register.shift))
    return masked(whole, register.bits) if register.bits < word else whole


class Line:
    """One instruction: its operands to be read, its meaning to be emitted."""

    def __init__(self, machine: Machine, code: ThreadCode, mnemonic: str, operands: Cursor) -> None:
        self.machine = machine
        self.code = code
        self.mnemonic = mnemonic
        self.operands = operands

    @property
    def word(self) -> int:
        return self.machine.word

    # Operands

    def comma(self) -> None:
        self.operands.expect(",")

    def at_register(self) -> bool:
        return self.machine.register(self.operands.next.text) is not None or self.operands.next.text.startswith("%")

    def register(self, *, bits: int | None = None) -> Register:
        """A register; of `bits` if that is given. `%x` stands for any register that nothing else uses."""
        token = self.operands.next
        found = self.machine.register(token.text)
        if found is None and token.kind == "name" and token.text.startswith("%"):
            found = Register(token.text, bits or self.word)
        if found is None:
            self.operands.expected("a register")
        if bits is not None and found.bits != bits:
            self.operands.fail(f"expected a register of {bits} bits, found '{token.text}'")
        self.operands.take()
        return found

    def label(self) -> str:
        return self.operands.name("a label").text

    # Meaning

    def value(self, register: Register) -> Expr:
        return view(register, self.word)

    def set(self, register: Register, value: Expr) -> None:
        """register := value, of which only as many bits count as the register has."""
        if register.name is None:
            return
        if register.bits == self.word:
            self.code.assign(register.name, value)
            return
        new = masked(value, register.bits)
        if register.keeps:
            mask = ((1 << register.bits) - 1) << register.shift
            kept = Binary("&", Reg(register.name), constant(~mask, self.word))
            new = Binary("|", kept, Binary("<<", new, Const(register.shift)) if register.shift else new)
        self.code.assign(register.name, new)

    def destination(self, register: Register) -> str:
        """The name of the whole register that an access may write its result to."""
        return self.code.hidden() if register.name is None else register.name


Handler = Callable[[Line], None]


def table_of(*tables: Mapping[str, Handler]) -> dict[str, Handler]:
    """One table of several. A mnemonic that stands in two of them is a mistake of ours."""
    joined: dict[str, Handler] = {}
    for table in tables:
        for name, handler in table.items():
            if name in joined:
                raise ValueError(f"two meanings of {name}")
            joined[name] = handler
    return joined
