"""PPC: what its instructions mean. The fields of the condition register are hidden registers, three flags for each.

As RA of an address or of addi, r0 stands for zero, as the architecture has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from fencepost.program.expr import Binary, Const, Expr, Reg, Unary
from fencepost.program.form import Isa
from fencepost.program.orders import FenceKind, Mark

from .arm_flags import shifted
from .machine import Handler, Line, Machine, Register, constant, masked, sign_extended, table_of

_REGISTER = re.compile(r"r([0-9]|[12][0-9]|3[01])")
_FIELD = re.compile(r"cr([0-7])")
_WORD = 64


def register(name: str) -> Register | None:
    name = name.lower()
    return Register(name, _WORD) if _REGISTER.fullmatch(name) else None


# Operands


def _source(line: Line) -> Expr:
    return line.value(line.register())


def _base(line: Line) -> Expr:
    """RA"""
    if line.operands.accept("0"):
        return Const(0)
    found = line.register()
    if found.name != "r0":
        return line.value(found)
    if line.code.initial.get("r0", 0):
        line.code.fail("r0 stands for zero here, whatever it holds", hint="put the address into another register")
    return Const(0)


def _immediate(line: Line) -> int:
    return line.operands.integer("an immediate value")


def _displaced(line: Line) -> tuple[Expr, Register | None]:
    """`4(r1)`: the address, and the base register."""
    offset = _immediate(line)
    line.operands.expect("(")
    token = line.operands.next
    address = _base(line)
    line.operands.expect(")")
    where = Binary("+", address, constant(offset, _WORD)) if offset else address
    return where, register(token.text)


def _indexed(line: Line) -> Expr:
    """`RA, RB`"""
    base = _base(line)
    line.comma()
    index = _source(line)
    return index if base == Const(0) else Binary("+", base, index)


def _field(line: Line) -> int:
    """The field of the condition register that starts the operands; cr0 if none does."""
    found = _FIELD.fullmatch(line.operands.next.text.lower())
    if found is None:
        return 0
    line.operands.take()
    line.comma()
    return int(found.group(1))


def _flag(field: int, name: str) -> Reg:
    return Reg(f".cr{field}.{name}")


# Moves and arithmetic


def _record(line: Line, result: Expr) -> None:
    """What a mnemonic that ends in a dot does: it compares the result, all 64 bits of it, with zero."""
    _compare_signed(line, 0, result, Const(0), _WORD)


def _finish(line: Line, target: Register, result: Expr, *, record: bool) -> None:
    if record:
        _record(line, result)
    line.set(target, result)


def _three(line: Line, make: Callable[[Expr, Expr], Expr], *, record: bool) -> None:
    target = line.register()
    line.comma()
    left = _source(line)
    line.comma()
    _finish(line, target, make(left, _source(line)), record=record)


def _two(line: Line, make: Callable[[Expr], Expr], *, record: bool) -> None:
    target = line.register()
    line.comma()
    _finish(line, target, make(_source(line)), record=record)


def _with_immediate(line: Line, op: str, *, bits: int, shift: int = 0, record: bool = False) -> None:
    """`bits` is 16 for the logical instructions, whose immediate value has no sign."""
    target = line.register()
    line.comma()
    left = _base(line) if op in ("+", "-") else _source(line)
    line.comma()
    right = constant(_immediate(line), bits)
    _finish(line, target, Binary(op, left, Const(right.value << shift)), record=record)


def _load_immediate(line: Line, *, shift: int) -> None:
    target = line.register()
    line.comma()
    line.set(target, constant(_immediate(line) << shift, _WORD))


def _shift(line: Line, kind: str) -> None:
    """slwi and its kin, on 32 bits."""
    target = line.register()
    line.comma()
    value = masked(_source(line), 32)
    line.comma()
    token = line.operands.next
    amount = _immediate(line)
    if not 0 <= amount < 32:
        line.operands.fail("a shift is by 0 to 31 bits", token)
    line.set(target, shifted(kind, value, Const(amount), 32))


def _rotate(line: Line, *, insert: bool, record: bool) -> None:
    """rlwinm and rlwimi: of the low word, rotated left, the bits from `first` (0 is the highest) to `last` count."""
    target = line.register()
    line.comma()
    word = masked(_source(line), 32)
    amount, first, last = (_part(line, 32) for _ in range(3))
    turned = _rotated(word, amount)
    if first <= last:
        mask = ((1 << (last - first + 1)) - 1) << (31 - last)
    else:  # around the end: all bits above the word, too
        mask = ~(((1 << (first - last - 1)) - 1) << (32 - first))
        turned = Binary("|", turned, Binary("<<", turned, Const(32)))
    result: Expr = Binary("&", turned, constant(mask, _WORD))
    if insert:
        result = Binary("|", result, Binary("&", line.value(target), constant(~mask, _WORD)))
    _finish(line, target, result, record=record)


def _rotated(word: Expr, amount: int) -> Expr:
    return shifted("ROR", word, Const(32 - amount), 32) if amount else word


def _part(line: Line, below: int) -> int:
    line.comma()
    token = line.operands.next
    number = _immediate(line)
    if not 0 <= number < below:
        line.operands.fail(f"expected a number from 0 to {below - 1}", token)
    return number


def _clear_left(line: Line, *, bits: int, record: bool) -> None:
    """clrldi and clrlwi: without the highest so many of `bits`."""
    target = line.register()
    line.comma()
    value = _source(line)
    _finish(line, target, masked(value, bits - _part(line, bits)), record=record)


# Comparisons and branches


def _compare(line: Line, *, bits: int, signed: bool, immediate: bool) -> None:
    field = _field(line)
    left = _source(line)
    line.comma()
    right: Expr = constant(_immediate(line), _WORD) if immediate else _source(line)
    compare = _compare_signed if signed else _compare_unsigned
    compare(line, field, masked(left, bits), masked(right, bits), bits)


def _compare_unsigned(line: Line, field: int, left: Expr, right: Expr, bits: int) -> None:
    """Both are numbers of `bits`, without sign."""
    smaller = _borrows(left, right, bits)
    line.code.assign(_flag(field, "lt").name, smaller)
    line.code.assign(_flag(field, "gt").name, _borrows(right, left, bits))
    line.code.assign(_flag(field, "eq").name, Binary("==", Binary("-", left, right), Const(0)))


def _compare_signed(line: Line, field: int, left: Expr, right: Expr, bits: int) -> None:
    sign = constant(1 << (bits - 1), bits)
    _compare_unsigned(line, field, Binary("^", left, sign), Binary("^", right, sign), bits)


def _borrows(left: Expr, right: Expr, bits: int) -> Expr:
    """Whether left < right, for numbers without sign: whether left - right borrows from the bit above."""
    difference = Binary("-", left, right)
    inverted = Unary("~", left)
    borrow = Binary("|", Binary("&", inverted, right), Binary("&", Binary("|", inverted, right), difference))
    return Binary("&", Binary(">>", borrow, Const(bits - 1)), Const(1))


def _branch(line: Line, flag: str, *, if_set: bool) -> None:
    tested = _flag(_field(line), flag)
    line.code.branch(tested if if_set else Unary("!", tested), line.code.named_label(line.label()))


def _jump(line: Line) -> None:
    line.code.jump(line.code.named_label(line.label()))


def _return(line: Line) -> None:
    line.code.leave(None)


# Loads and stores


def _load(line: Line, *, bits: int, indexed: bool = False, signed: bool = False, update: bool = False) -> None:
    target = line.register()
    line.comma()
    if indexed:
        address, base = _indexed(line), None
    else:
        address, base = _displaced(line)
    line.code.load(line.destination(target), address, bits)
    if signed:
        line.set(target, sign_extended(line.value(target), bits))
    if update and base is not None:
        line.set(base, address)


def _store(line: Line, *, bits: int, indexed: bool = False, update: bool = False) -> None:
    value = masked(_source(line), bits)
    line.comma()
    if indexed:
        address, base = _indexed(line), None
    else:
        address, base = _displaced(line)
    line.code.store(address, value, bits)
    if update and base is not None:
        line.set(base, address)


def _load_reserved(line: Line, *, bits: int) -> None:
    target = line.register()
    line.comma()
    line.code.load(line.destination(target), _indexed(line), bits, frozenset({Mark.EXCLUSIVE}))


def _store_conditional(line: Line, *, bits: int) -> None:
    """cr0 says whether it was done: eq if so, neither lt nor gt."""
    value = masked(_source(line), bits)
    line.comma()
    status = line.code.hidden()
    line.code.store_conditional(status, _indexed(line), value, bits)
    line.code.assign(_flag(0, "eq").name, Binary("==", Reg(status), Const(0)))
    line.code.assign(_flag(0, "lt").name, Const(0))
    line.code.assign(_flag(0, "gt").name, Const(0))


def _fence(line: Line, kind: FenceKind) -> None:
    line.code.fence(kind)


def _sync(line: Line) -> None:
    """`sync`, `sync 0` (the same) and `sync 1` (lwsync)."""
    level = 0 if line.operands.at_end else _immediate(line)
    if level not in (0, 1):
        line.code.fail(f"sync has no level {level}")
    line.code.fence(FenceKind.LWSYNC if level else FenceKind.SYNC)


def _nop(line: Line) -> None:
    """nop"""


# The table


def _arithmetic() -> dict[str, Handler]:
    three: dict[str, Callable[[Expr, Expr], Expr]] = {
        "add": lambda a, b: Binary("+", a, b),
        "sub": lambda a, b: Binary("-", a, b),
        "subf": lambda a, b: Binary("-", b, a),
        "mullw": lambda a, b: Binary("*", sign_extended(masked(a, 32), 32), sign_extended(masked(b, 32), 32)),
        "mulld": lambda a, b: Binary("*", a, b),
        "and": lambda a, b: Binary("&", a, b),
        "or": lambda a, b: Binary("|", a, b),
        "xor": lambda a, b: Binary("^", a, b),
        "andc": lambda a, b: Binary("&", a, Unary("~", b)),
        "orc": lambda a, b: Binary("|", a, Unary("~", b)),
        "nand": lambda a, b: Unary("~", Binary("&", a, b)),
        "nor": lambda a, b: Unary("~", Binary("|", a, b)),
        "eqv": lambda a, b: Unary("~", Binary("^", a, b)),
    }
    two: dict[str, Callable[[Expr], Expr]] = {
        "mr": lambda a: a,
        "neg": lambda a: Binary("-", Const(0), a),
        "not": lambda a: Unary("~", a),
        "extsb": lambda a: sign_extended(masked(a, 8), 8),
        "extsh": lambda a: sign_extended(masked(a, 16), 16),
        "extsw": lambda a: sign_extended(masked(a, 32), 32),
    }
    table: dict[str, Handler] = {}
    for dot, record in (("", False), (".", True)):
        table |= {name + dot: partial(_three, make=make, record=record) for name, make in three.items()}
        table |= {name + dot: partial(_two, make=make, record=record) for name, make in two.items()}
        table |= {
            f"rlwinm{dot}": partial(_rotate, insert=False, record=record),
            f"rlwimi{dot}": partial(_rotate, insert=True, record=record),
            f"clrldi{dot}": partial(_clear_left, bits=64, record=record),
            f"clrlwi{dot}": partial(_clear_left, bits=32, record=record),
        }
    return table | {
        "li": partial(_load_immediate, shift=0),
        "lis": partial(_load_immediate, shift=16),
        "addi": partial(_with_immediate, op="+", bits=_WORD),
        "subi": partial(_with_immediate, op="-", bits=_WORD),
        "addis": partial(_with_immediate, op="+", bits=_WORD, shift=16),
        "mulli": partial(_with_immediate, op="*", bits=_WORD),
        "andi.": partial(_with_immediate, op="&", bits=16, record=True),
        "ori": partial(_with_immediate, op="|", bits=16),
        "xori": partial(_with_immediate, op="^", bits=16),
        "slwi": partial(_shift, kind="LSL"),
        "srwi": partial(_shift, kind="LSR"),
        "srawi": partial(_shift, kind="ASR"),
        "nop": _nop,
    }


def _control() -> dict[str, Handler]:
    table: dict[str, Handler] = {
        "b": _jump,
        "blr": _return,
        "sync": _sync,
        "hwsync": partial(_fence, kind=FenceKind.SYNC),
    }
    for name in ("lwsync", "eieio", "isync"):
        table[name] = partial(_fence, kind=FenceKind(name))
    for size, bits in (("w", 32), ("d", 64)):
        for kind, signed in (("cmp", True), ("cmpl", False)):
            table[f"{kind}{size}"] = partial(_compare, bits=bits, signed=signed, immediate=False)
            table[f"{kind}{size}i"] = partial(_compare, bits=bits, signed=signed, immediate=True)
    for name, flag, if_set in (
        ("beq", "eq", True),
        ("bne", "eq", False),
        ("blt", "lt", True),
        ("bge", "lt", False),
        ("bgt", "gt", True),
        ("ble", "gt", False),
    ):
        for hint in ("", "-", "+"):
            table[name + hint] = partial(_branch, flag=flag, if_set=if_set)
    return table


def _accesses() -> dict[str, Handler]:
    table: dict[str, Handler] = {}
    for name, bits, signed in (
        ("lbz", 8, False),
        ("lhz", 16, False),
        ("lha", 16, True),
        ("lwz", 32, False),
        ("ld", 64, False),
    ):
        table[name] = partial(_load, bits=bits, signed=signed)
        table[f"{name}u"] = partial(_load, bits=bits, signed=signed, update=True)
        table[f"{name}x"] = partial(_load, bits=bits, signed=signed, indexed=True)
    table["lwa"] = partial(_load, bits=32, signed=True)
    table["lwax"] = partial(_load, bits=32, signed=True, indexed=True)
    for name, bits in (("stb", 8), ("sth", 16), ("stw", 32), ("std", 64)):
        table[name] = partial(_store, bits=bits)
        table[f"{name}u"] = partial(_store, bits=bits, update=True)
        table[f"{name}x"] = partial(_store, bits=bits, indexed=True)
    for size, bits in (("b", 8), ("h", 16), ("w", 32), ("d", 64)):
        table[f"l{size}arx"] = partial(_load_reserved, bits=bits)
        table[f"st{size}cx."] = partial(_store_conditional, bits=bits)
    return table


_TABLE = table_of(_arithmetic(), _control(), _accesses())

MACHINE = Machine(Isa.POWER, _WORD, register, lambda mnemonic: _TABLE.get(mnemonic.lower()), lambda: _TABLE)
