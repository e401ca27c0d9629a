"""AArch64: what its instructions mean.

W registers are the low halves of X registers, and writing one clears the high half. The flags are hidden registers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from fencepost.program.expr import Binary, Const, Expr, ReadValue, Unary
from fencepost.program.form import Isa, RmwOp
from fencepost.program.orders import FenceKind, Mark

from .arm_flags import CONDITIONS, condition, nzcv_of_add, nzcv_of_logic, nzcv_of_sub, shifted
from .machine import (
    Handler,
    Line,
    Machine,
    Register,
    bit,
    constant,
    masked,
    sign_extended,
    table_of,
    view,
)

_REGISTER = re.compile(r"([XW])([0-9]|[12][0-9]|30)")
_ZERO = {"XZR": 64, "WZR": 32}
_STACK = {"SP": 64, "WSP": 32}

_DOMAINS = ("SY", "ST", "LD", "ISH", "ISHST", "ISHLD", "NSH", "NSHST", "NSHLD", "OSH", "OSHST", "OSHLD")


def register(name: str) -> Register | None:
    name = name.upper()
    found = _REGISTER.fullmatch(name)
    if found is not None:
        return Register(f"X{found.group(2)}", 64 if found.group(1) == "X" else 32)
    if name in _ZERO:
        return Register(None, _ZERO[name])
    return Register("SP", _STACK[name]) if name in _STACK else None


# Operands


def _immediate(line: Line) -> int:
    line.operands.accept("#")
    return line.operands.integer("an immediate value, as #1")


def _at_immediate(line: Line) -> bool:
    return line.operands.at("#", "-") or line.operands.next.kind == "number"


def _operand(line: Line, bits: int) -> Expr:
    """The last operand of an arithmetic instruction: an immediate value or a register, shifted or extended."""
    if _at_immediate(line):
        return constant(_wide(line), bits)
    source = line.register()
    if not line.operands.accept(","):
        _require_bits(line, source, bits)
        return line.value(source)
    return _modified(line, source, bits)


def _modified(line: Line, source: Register, bits: int) -> Expr:
    """`source` with the shift or extension that follows the comma."""
    token = line.operands.name("a shift or an extension")
    kind = token.text.upper()
    value = line.value(source)
    if kind in ("LSL", "LSR", "ASR", "ROR"):
        _require_bits(line, source, bits)
        return shifted(kind, value, Const(_immediate(line)), bits)
    amount = _immediate(line) if _at_immediate(line) else 0
    value = _extended(line, kind, value)
    return masked(Binary("<<", value, Const(amount)) if amount else value, bits)


def _extended(line: Line, kind: str, value: Expr) -> Expr:
    widths = {"B": 8, "H": 16, "W": 32, "X": 64}
    if len(kind) != 4 or kind[:3] not in ("UXT", "SXT") or kind[3] not in widths:
        line.code.fail(f"'{kind}' is no shift or extension", hint="LSL, LSR, ASR, ROR, UXTB .. UXTX, SXTB .. SXTX")
    low = masked(value, widths[kind[3]])
    return sign_extended(low, widths[kind[3]]) if kind[0] == "S" else low


def _keyword(line: Line, word: str) -> None:
    token = line.operands.next
    if token.text.upper() != word:
        line.operands.expected(word)
    line.operands.take()


def _require_bits(line: Line, found: Register, bits: int) -> None:
    if found.name is not None and found.bits != bits:
        line.code.fail(f"the registers of this instruction have different sizes ({bits} and {found.bits} bits)")


def _same_size(line: Line, bits: int) -> Register:
    line.comma()
    found = line.register()
    _require_bits(line, found, bits)
    return found


class _Address:
    """An address operand, and what it does to its base register."""

    def __init__(self, line: Line, size: int) -> None:
        """`size` is that of the access in bytes."""
        line.operands.expect("[", "an address, as [X1]")
        base = line.register(bits=64)
        whole = view(base, 64)
        self.base = base
        self.after: Expr | None = None  # what the base register becomes
        self.expr = whole
        if line.operands.accept(","):
            self.expr = Binary("+", whole, self._offset(line))
        line.operands.expect("]")
        if line.operands.accept("!"):
            self.after = self.expr
        elif line.operands.accept(","):
            self.after = Binary("+", whole, constant(_immediate(line), 64))

    @staticmethod
    def _offset(line: Line) -> Expr:
        if _at_immediate(line):
            return constant(_immediate(line), 64)
        index = line.register()
        value = line.value(index)
        return _modified(line, index, 64) if line.operands.accept(",") else value

    def write_back(self, line: Line) -> None:
        if self.after is not None:
            line.set(self.base, self.after)


def _plain_address(line: Line) -> Expr:
    """`[Xn]`, or `[Xn,#0]`: what atomic instructions take."""
    line.operands.expect("[", "an address, as [X1]")
    base = line.register(bits=64)
    if line.operands.accept(",") and _immediate(line) != 0:
        line.code.fail("this instruction takes no offset")
    line.operands.expect("]")
    return view(base, 64)


# Moves and arithmetic


def _mov(line: Line) -> None:
    target = line.register()
    line.comma()
    if _at_immediate(line):
        line.set(target, constant(_wide(line), target.bits))
    else:
        source = line.register()
        _require_bits(line, source, target.bits)
        line.set(target, line.value(source))


def _movn(line: Line) -> None:
    target = line.register()
    line.comma()
    value = _wide(line)
    line.set(target, constant(~value, target.bits))


def _movk(line: Line) -> None:
    target = line.register()
    line.comma()
    token = line.operands.next
    value = _immediate(line)
    shift = _wide_shift(line)
    if not 0 <= value < 1 << 16:
        line.operands.fail("MOVK takes 16 bits", token)
    kept = Binary("&", line.value(target), constant(~(0xFFFF << shift), target.bits))
    line.set(target, Binary("|", kept, constant(value << shift, target.bits)))


def _wide(line: Line) -> int:
    """An immediate value, shifted or not."""
    value = _immediate(line)
    return value << _wide_shift(line)


def _wide_shift(line: Line) -> int:
    if not line.operands.accept(","):
        return 0
    _keyword(line, "LSL")
    token = line.operands.next
    shift = _immediate(line)
    if not 0 <= shift < 64:
        line.operands.fail("a shift is by 0 to 63 bits", token)
    return shift


def _add(line: Line, *, flags: bool) -> None:
    target = line.register()
    left = line.value(_same_size(line, target.bits))
    line.comma()
    right = _operand(line, target.bits)
    if flags:
        nzcv_of_add(line.code, left, right, target.bits)
    line.set(target, Binary("+", left, right))


def _sub(line: Line, *, flags: bool) -> None:
    target = line.register()
    left = line.value(_same_size(line, target.bits))
    line.comma()
    right = _operand(line, target.bits)
    if flags:
        nzcv_of_sub(line.code, left, right, target.bits)
    line.set(target, Binary("-", left, right))


def _neg(line: Line, *, flags: bool) -> None:
    target = line.register()
    line.comma()
    right = _operand(line, target.bits)
    if flags:
        nzcv_of_sub(line.code, Const(0), right, target.bits)
    line.set(target, Binary("-", Const(0), right))


def _logic(line: Line, op: str, *, inverted: bool = False, flags: bool = False) -> None:
    target = line.register()
    left = line.value(_same_size(line, target.bits))
    line.comma()
    right = _operand(line, target.bits)
    result = Binary(op, left, Unary("~", right) if inverted else right)
    if flags:
        nzcv_of_logic(line.code, masked(result, target.bits), target.bits)
    line.set(target, result)


def _mvn(line: Line) -> None:
    target = line.register()
    line.comma()
    line.set(target, Unary("~", _operand(line, target.bits)))


def _compare(line: Line, set_flags: Callable[[Line, Expr, Expr, int], None]) -> None:
    left = line.register()
    line.comma()
    set_flags(line, line.value(left), _operand(line, left.bits), left.bits)


def _cmp(line: Line, left: Expr, right: Expr, bits: int) -> None:
    nzcv_of_sub(line.code, left, right, bits)


def _cmn(line: Line, left: Expr, right: Expr, bits: int) -> None:
    nzcv_of_add(line.code, left, right, bits)


def _tst(line: Line, left: Expr, right: Expr, bits: int) -> None:
    nzcv_of_logic(line.code, Binary("&", left, right), bits)


def _shift(line: Line, kind: str) -> None:
    target = line.register()
    value = line.value(_same_size(line, target.bits))
    line.comma()
    if _at_immediate(line):
        amount: Expr = Const(_immediate(line) % target.bits)
    else:
        by = line.register()
        _require_bits(line, by, target.bits)
        amount = Binary("&", line.value(by), Const(target.bits - 1))
    line.set(target, shifted(kind, value, amount, target.bits))


def _extend(line: Line, kind: str) -> None:
    target = line.register()
    line.comma()
    line.set(target, _extended(line, kind, line.value(line.register())))


def _bitfield(line: Line, *, signed: bool) -> None:
    """UBFX and SBFX: `width` bits from `low` on."""
    target = line.register()
    value = line.value(_same_size(line, target.bits))
    line.comma()
    low = _immediate(line)
    line.comma()
    width = _immediate(line)
    if low < 0 or width < 1 or low + width > target.bits:
        line.code.fail(f"there are no {width} bits from bit {low} on")
    field = masked(Binary(">>", value, Const(low)), width)
    line.set(target, sign_extended(field, width) if signed else field)


def _multiply(line: Line, *, accumulate: str | None) -> None:
    target = line.register()
    left = line.value(_same_size(line, target.bits))
    product = Binary("*", left, line.value(_same_size(line, target.bits)))
    if accumulate is None:
        line.set(target, product)
    else:
        line.set(target, Binary(accumulate, line.value(_same_size(line, target.bits)), product))


def _select(line: Line, change: Callable[[Expr], Expr]) -> None:
    """CSEL and its kin: the first register if the condition holds, else the second, changed."""
    target = line.register()
    first = line.value(_same_size(line, target.bits))
    second = line.value(_same_size(line, target.bits))
    line.comma()
    _set_to(line, target, condition(_condition_name(line)), first, change(second))


def _set_if(line: Line, one: int) -> None:
    """CSET and CSETM"""
    target = line.register()
    line.comma()
    _set_to(line, target, condition(_condition_name(line)), constant(one, target.bits), Const(0))


def _change_if(line: Line, change: Callable[[Expr], Expr]) -> None:
    """CINC, CINV and CNEG"""
    target = line.register()
    value = line.value(_same_size(line, target.bits))
    line.comma()
    _set_to(line, target, condition(_condition_name(line)), change(value), value)


def _set_to(line: Line, target: Register, holds: Expr, yes: Expr, no: Expr) -> None:
    """The result depends on the value that is chosen, and on the condition only in that this picked it."""
    if target.name is not None:
        line.code.select(holds, lambda truth: line.set(target, yes if truth else no))


def _either(holds: Expr, yes: Expr, no: Expr) -> Expr:
    """Depends on the condition and on both values."""
    return Binary("+", Binary("*", holds, yes), Binary("*", Unary("!", holds), no))


def _condition_name(line: Line) -> str:
    token = line.operands.name("a condition, as EQ")
    if token.text.upper() not in CONDITIONS:
        line.operands.fail(f"'{token.text}' is no condition", token, hint=", ".join(CONDITIONS))
    return token.text.upper()


# Branches


def _branch(line: Line, name: str) -> None:
    line.code.branch(condition(name), line.code.named_label(line.label()))


def _jump(line: Line) -> None:
    line.code.jump(line.code.named_label(line.label()))


def _compare_and_branch(line: Line, *, if_zero: bool) -> None:
    tested = line.value(line.register())
    line.comma()
    zero = Binary("==", tested, Const(0))
    line.code.branch(zero if if_zero else tested, line.code.named_label(line.label()))


def _test_and_branch(line: Line, *, if_zero: bool) -> None:
    tested = line.register()
    line.comma()
    number = _immediate(line)
    if not 0 <= number < tested.bits:
        line.code.fail(f"the register has no bit {number}")
    line.comma()
    value = bit(line.value(tested), number)
    line.code.branch(Binary("==", value, Const(0)) if if_zero else value, line.code.named_label(line.label()))


# Loads and stores


def _load(line: Line, *, bits: int | None = None, signed: bool = False, marks: frozenset[Mark]) -> None:
    """`bits` that the access reads, those of the register if None."""
    target = line.register()
    line.comma()
    size = bits or target.bits
    address = _Address(line, size // 8) if not marks else None
    place = address.expr if address is not None else _plain_address(line)
    name = line.destination(target)
    if address is not None and address.after is not None and address.base.name == name:
        line.code.fail("the base register is written twice")
    line.code.load(name, place, size, marks)
    if signed:
        line.set(target, sign_extended(line.value(Register(name, size)), size))
    if address is not None:
        address.write_back(line)


def _store(line: Line, *, bits: int | None = None, marks: frozenset[Mark]) -> None:
    source = line.register()
    line.comma()
    size = bits or source.bits
    address = _Address(line, size // 8) if not marks else None
    place = address.expr if address is not None else _plain_address(line)
    line.code.store(place, masked(line.value(source), size) if size < source.bits else line.value(source), size, marks)
    if address is not None:
        address.write_back(line)


def _load_pair(line: Line) -> None:
    first = line.register()
    second = _same_size(line, first.bits)
    line.comma()
    address = _Address(line, first.bits // 4)
    names = line.destination(first), line.destination(second)
    if names[0] == names[1]:
        line.code.fail("a pair of loads needs two registers")
    # The second address is computed before the first load may change its register.
    if names[0] == address.base.name:
        line.code.load(names[1], _next(address.expr, first.bits), first.bits)
        line.code.load(names[0], address.expr, first.bits)
    else:
        line.code.load(names[0], address.expr, first.bits)
        line.code.load(names[1], _next(address.expr, first.bits), first.bits)
    address.write_back(line)


def _store_pair(line: Line) -> None:
    first = line.register()
    second = _same_size(line, first.bits)
    line.comma()
    address = _Address(line, first.bits // 4)
    line.code.store(address.expr, line.value(first), first.bits)
    line.code.store(_next(address.expr, first.bits), line.value(second), first.bits)
    address.write_back(line)


def _next(address: Expr, bits: int) -> Expr:
    return Binary("+", address, Const(bits // 8))


def _store_exclusive(line: Line, *, bits: int | None = None, marks: frozenset[Mark]) -> None:
    status = line.register(bits=32)
    line.comma()
    source = line.register()
    line.comma()
    size = bits or source.bits
    value = masked(line.value(source), size) if size < source.bits else line.value(source)
    line.code.store_conditional(line.destination(status), _plain_address(line), value, size, marks)


# Atomic instructions


def _compare_and_swap(line: Line, *, bits: int | None = None, marks: frozenset[Mark]) -> None:
    expected = line.register()
    desired = _same_size(line, expected.bits)
    line.comma()
    size = bits or expected.bits
    values = [_low(line, operand, size) for operand in (expected, desired)]
    line.code.cas(expected.name, _plain_address(line), values[0], values[1], size, _of_read(expected, marks))


def _low(line: Line, source: Register, bits: int) -> Expr:
    return masked(line.value(source), bits) if bits < source.bits else line.value(source)


def _swap(line: Line, *, bits: int | None = None, marks: frozenset[Mark]) -> None:
    source = line.register()
    target = _same_size(line, source.bits)
    line.comma()
    size = bits or source.bits
    value = _low(line, source, size)
    line.code.rmw(target.name, RmwOp.EXCHANGE, _plain_address(line), value, size, _of_read(target, marks))


def _fetch(line: Line, op: str, *, returns: bool, bits: int | None = None, marks: frozenset[Mark]) -> None:
    """LDADD and its kin; `returns` is false for STADD and its kin."""
    source = line.register()
    target = _same_size(line, source.bits) if returns else Register(None, source.bits)
    line.comma()
    size = bits or source.bits
    value = _low(line, source, size)
    address = _plain_address(line)
    kind, operand = _update(op, value, size)
    line.code.rmw(target.name, kind, address, operand, size, _of_read(target, marks))


def _of_read(target: Register, marks: frozenset[Mark]) -> frozenset[Mark]:
    """An update whose read goes nowhere is ordered as no read, so it is not an acquire either."""
    return marks if target.name is not None else (marks - {Mark.ACQUIRE}) | {Mark.NO_RETURN}


def _update(op: str, value: Expr, bits: int) -> tuple[RmwOp, Expr]:
    old = ReadValue()
    match op:
        case "ADD":
            return (RmwOp.ADD, value) if bits == 64 else (RmwOp.UPDATE, masked(Binary("+", old, value), bits))
        case "CLR":
            return RmwOp.AND, masked(Unary("~", value), bits)
        case "EOR":
            return RmwOp.XOR, value
        case "SET":
            return RmwOp.OR, value
    smaller = _is_smaller(old, value, bits, signed=op[0] == "S")
    return RmwOp.UPDATE, _either(smaller, value, old) if op[1:] == "MAX" else _either(smaller, old, value)


def _is_smaller(left: Expr, right: Expr, bits: int, *, signed: bool) -> Expr:
    """By the borrow of left - right, with the signs turned for signed numbers."""
    if signed:
        left, right = (Binary("^", value, constant(1 << (bits - 1), bits)) for value in (left, right))
    difference = Binary("-", left, right)
    inverted = Unary("~", left)
    borrow = Binary("|", Binary("&", inverted, right), Binary("&", Binary("|", inverted, right), difference))
    return bit(borrow, bits - 1)


# Barriers


def _barrier(line: Line, kind: str) -> None:
    name = "SY" if line.operands.at_end else line.operands.name("a domain, as SY").text.upper()
    if name not in _DOMAINS:
        line.code.fail(f"{kind} has no domain '{name}'", hint=", ".join(_DOMAINS))
    line.code.fence(FenceKind(f"{kind.lower()}.{name.lower()}"))


def _isb(line: Line) -> None:
    if not line.operands.at_end:
        _keyword(line, "SY")
    line.code.fence(FenceKind.ISB)


def _nop(line: Line) -> None:
    """NOP"""


_ACQUIRES = {
    "": frozenset[Mark](),
    "A": frozenset({Mark.ACQUIRE}),
    "L": frozenset({Mark.RELEASE}),
    "AL": frozenset({Mark.ACQUIRE, Mark.RELEASE}),
}
_SIZES: dict[str, int | None] = {"": None, "B": 8, "H": 16}
_PLAIN: frozenset[Mark] = frozenset()


def _arithmetic() -> dict[str, Handler]:
    table: dict[str, Handler] = {
        "MOV": _mov,
        "MOVZ": _mov,
        "MOVN": _movn,
        "MOVK": _movk,
        "MVN": _mvn,
        "CMP": partial(_compare, set_flags=_cmp),
        "CMN": partial(_compare, set_flags=_cmn),
        "TST": partial(_compare, set_flags=_tst),
        "MUL": partial(_multiply, accumulate=None),
        "MADD": partial(_multiply_add, op="+"),
        "MSUB": partial(_multiply_add, op="-"),
        "UBFX": partial(_bitfield, signed=False),
        "SBFX": partial(_bitfield, signed=True),
        "CSEL": partial(_select, change=lambda value: value),
        "CSINC": partial(_select, change=lambda value: Binary("+", value, Const(1))),
        "CSINV": partial(_select, change=lambda value: Unary("~", value)),
        "CSNEG": partial(_select, change=lambda value: Binary("-", Const(0), value)),
        "CSET": partial(_set_if, one=1),
        "CSETM": partial(_set_if, one=-1),
        "CINC": partial(_change_if, change=lambda value: Binary("+", value, Const(1))),
        "CINV": partial(_change_if, change=lambda value: Unary("~", value)),
        "CNEG": partial(_change_if, change=lambda value: Binary("-", Const(0), value)),
        "NOP": _nop,
    }
    for suffix, flags in (("", False), ("S", True)):
        table |= {
            f"ADD{suffix}": partial(_add, flags=flags),
            f"SUB{suffix}": partial(_sub, flags=flags),
            f"NEG{suffix}": partial(_neg, flags=flags),
            f"AND{suffix}": partial(_logic, op="&", flags=flags),
            f"BIC{suffix}": partial(_logic, op="&", inverted=True, flags=flags),
        }
    for name, op in (("ORR", "|"), ("EOR", "^")):
        table[name] = partial(_logic, op=op)
        table["ORN" if name == "ORR" else "EON"] = partial(_logic, op=op, inverted=True)
    for name in ("LSL", "LSR", "ASR", "ROR"):
        table[name] = table[f"{name}V"] = partial(_shift, kind=name)
    for name in ("UXTB", "UXTH", "UXTW", "SXTB", "SXTH", "SXTW"):
        table[name] = partial(_extend, kind=name)
    return table


def _multiply_add(line: Line, op: str) -> None:
    _multiply(line, accumulate=op)


def _control() -> dict[str, Handler]:
    table: dict[str, Handler] = {
        "B": _jump,
        "CBZ": partial(_compare_and_branch, if_zero=True),
        "CBNZ": partial(_compare_and_branch, if_zero=False),
        "TBZ": partial(_test_and_branch, if_zero=True),
        "TBNZ": partial(_test_and_branch, if_zero=False),
        "DMB": partial(_barrier, kind="DMB"),
        "DSB": partial(_barrier, kind="DSB"),
        "ISB": _isb,
    }
    for name in CONDITIONS:
        table[f"B.{name}"] = table[f"B{name}"] = partial(_branch, name=name)
    return table


def _accesses() -> dict[str, Handler]:
    acquire, acquire_pc = frozenset({Mark.ACQUIRE}), frozenset({Mark.ACQUIRE_PC})
    release, exclusive = frozenset({Mark.RELEASE}), frozenset({Mark.EXCLUSIVE})
    table: dict[str, Handler] = {
        "LDP": _load_pair,
        "LDNP": _load_pair,
        "STP": _store_pair,
        "STNP": _store_pair,
    }
    for size, bits in _SIZES.items():
        for name in ("LDR", "LDUR", "LDTR"):
            table[name + size] = partial(_load, bits=bits, marks=_PLAIN)
        for name in ("STR", "STUR", "STTR"):
            table[name + size] = partial(_store, bits=bits, marks=_PLAIN)
        table[f"LDAR{size}"] = partial(_load, bits=bits, marks=acquire)
        for name in ("LDAPR", "LDAPUR"):
            table[name + size] = partial(_load, bits=bits, marks=acquire_pc)
        table[f"LDXR{size}"] = partial(_load, bits=bits, marks=exclusive)
        table[f"LDAXR{size}"] = partial(_load, bits=bits, marks=exclusive | acquire)
        for name in ("STLR", "STLUR"):
            table[name + size] = partial(_store, bits=bits, marks=release)
        table[f"STXR{size}"] = partial(_store_exclusive, bits=bits, marks=exclusive)
        table[f"STLXR{size}"] = partial(_store_exclusive, bits=bits, marks=exclusive | release)
    for size, bits in (("B", 8), ("H", 16), ("W", 32)):
        for name in ("LDRS", "LDURS", "LDTRS"):
            table[name + size] = partial(_load, bits=bits, signed=True, marks=_PLAIN)
    return table


def _atomics() -> dict[str, Handler]:
    table: dict[str, Handler] = {}
    for size, bits in _SIZES.items():
        for suffix, marks in _ACQUIRES.items():
            table[f"CAS{suffix}{size}"] = partial(_compare_and_swap, bits=bits, marks=marks)
            table[f"SWP{suffix}{size}"] = partial(_swap, bits=bits, marks=marks)
            for op in ("ADD", "CLR", "EOR", "SET", "SMAX", "SMIN", "UMAX", "UMIN"):
                table[f"LD{op}{suffix}{size}"] = partial(_fetch, op=op, returns=True, bits=bits, marks=marks)
                if Mark.ACQUIRE not in marks:
                    table[f"ST{op}{suffix}{size}"] = partial(_fetch, op=op, returns=False, bits=bits, marks=marks)
    return table


_TABLE = table_of(_arithmetic(), _control(), _accesses(), _atomics())

MACHINE = Machine(Isa.AARCH64, 64, register, _TABLE.get, lambda: ", ".join(sorted(_TABLE)))
