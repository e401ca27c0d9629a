"""x86: what its instructions mean, in 32 bits (X86) and in 64 (X86_64).

X86 tests write the destination first, X86_64 tests last, as herd7 has it. Of the flags, ZF, SF, CF and OF are kept, as
hidden registers. XCHG with memory and what LOCK stands before are read-modify-writes; other instructions that read and
write memory do so in two steps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from fencepost.program.expr import Binary, Const, Expr, ReadValue, Reg, Unary
from fencepost.program.form import Isa, RmwOp
from fencepost.program.orders import FenceKind

from .arm_flags import shifted
from .machine import Handler, Line, Machine, Register, bit, constant, either, is_equal, masked, sign_extended

_BITS = {"B": 8, "W": 16, "L": 32, "Q": 64}
_OLD = {"ax": "a", "bx": "b", "cx": "c", "dx": "d"}
_POINTERS = ("si", "di", "bp", "sp")
_NUMBERED = re.compile(r"r([89]|1[0-5])([dwb]?)")

_ZF, _SF, _CF, _OF = (Reg(f".{name}") for name in ("ZF", "SF", "CF", "OF"))


# Registers


def _names(word: int) -> dict[str, Register]:
    """All registers by their names in lower case. Those of 64 bits are called rax .., those of 32 bits EAX .."""
    found: dict[str, Register] = {}
    for short in (*_OLD, *_POINTERS):
        whole = f"r{short}" if word == 64 else f"E{short.upper()}"
        if word == 64:
            found[f"r{short}"] = Register(whole, 64)
        found[f"e{short}"] = Register(whole, 32)
        found[short] = Register(whole, 16, keeps=True)
        if short in _OLD:
            found[f"{_OLD[short]}l"] = Register(whole, 8, keeps=True)
            found[f"{_OLD[short]}h"] = Register(whole, 8, shift=8, keeps=True)
        elif word == 64:
            found[f"{short}l"] = Register(whole, 8, keeps=True)
    if word == 64:
        for number in range(8, 16):
            whole = f"r{number}"
            found[whole] = Register(whole, 64)
            found[f"{whole}d"] = Register(whole, 32)
            found[f"{whole}w"] = Register(whole, 16, keeps=True)
            found[f"{whole}b"] = Register(whole, 8, keeps=True)
    return found


_REGISTERS = {word: _names(word) for word in (32, 64)}


# Operands


@dataclass(frozen=True, slots=True)
class _Memory:
    address: Expr


@dataclass(frozen=True, slots=True)
class _Immediate:
    value: int


_Operand = Register | _Memory | _Immediate


class _Instruction:
    """One instruction: its operands, and the size that its suffix or its registers give it."""

    def __init__(self, line: Line, bits: int | None, *, locked: bool) -> None:
        self.line = line
        self.code = line.code
        self.word = line.word
        self.locked = locked
        self._suffix = bits

    # Reading

    def one(self) -> tuple[_Operand, int]:
        operand = self._operand()
        return operand, self._size(operand)

    def two(self) -> tuple[_Operand, _Operand, int]:
        """Destination, source and size, in whatever order they are written."""
        first = self._operand()
        self.line.comma()
        second = self._operand()
        target, source = (first, second) if self.word == 32 else (second, first)
        if isinstance(target, _Memory) and isinstance(source, _Memory):
            self.code.fail("an instruction names memory once")
        return target, source, self._size(target, source)

    def _size(self, *operands: _Operand) -> int:
        sizes = {operand.bits for operand in operands if isinstance(operand, Register)}
        if self._suffix is not None:
            sizes.add(self._suffix)
        if len(sizes) > 1:
            self.code.fail(f"the operands have different sizes ({', '.join(map(str, sorted(sizes)))} bits)")
        return sizes.pop() if sizes else 32

    def _operand(self) -> _Operand:
        cursor = self.line.operands
        found = self.line.machine.register(cursor.next.text)
        if found is not None:
            cursor.take()
            return found
        if cursor.accept("$"):
            return _Immediate(cursor.integer("an immediate value"))
        if cursor.next.text.startswith("$"):
            return _Immediate(self.code.layout.use(cursor.take().text[1:]).address)
        if cursor.at("["):
            return _Memory(self._bracketed())
        if cursor.at("("):
            return _Memory(self._based(Const(0)))
        if cursor.next.text.startswith("%"):
            return self.line.register()
        if cursor.next.kind == "number" or cursor.at("-"):
            value = cursor.integer()
            return _Memory(self._based(constant(value, self.word))) if cursor.at("(") else _Immediate(value)
        return cursor.expected("a register, an immediate value or memory")

    def _bracketed(self) -> Expr:
        """`[x]`, `[EAX]`, `[x+4*EBX]`"""
        cursor = self.line.operands
        cursor.expect("[")
        total = self._product()
        while (sign := cursor.accept("+", "-")) is not None:
            total = Binary(sign.text, total, self._product())
        cursor.expect("]")
        return total

    def _product(self) -> Expr:
        factor = self._term()
        return Binary("*", factor, self._term()) if self.line.operands.accept("*") else factor

    def _term(self) -> Expr:
        cursor = self.line.operands
        if cursor.next.kind == "number":
            return Const(cursor.integer())
        found = self.line.machine.register(cursor.next.text)
        if found is not None:
            cursor.take()
            return self.line.value(found)
        return Const(self.code.layout.use(cursor.name("a location, a register or a number").text).address)

    def _based(self, offset: Expr) -> Expr:
        """`(x)`, `4(%rax)`, `(%rax,%rbx,4)`"""
        cursor = self.line.operands
        cursor.expect("(")
        total = self._term()
        if cursor.accept(","):
            index = self._term()
            if cursor.accept(","):
                index = Binary("*", index, Const(cursor.integer("a scale")))
            total = Binary("+", total, index)
        cursor.expect(")")
        return total if offset == Const(0) else Binary("+", total, offset)

    # Meaning

    def value(self, operand: _Operand, bits: int) -> Expr:
        """What `operand` holds; memory is loaded."""
        match operand:
            case Register():
                return self.line.value(operand)
            case _Immediate(value):
                return constant(value, bits)
            case _Memory(address):
                loaded = self.code.hidden()
                self.code.load(loaded, address, bits)
                return Reg(loaded)

    def set(self, target: _Operand, value: Expr, bits: int) -> None:
        match target:
            case Register():
                self.line.set(target, value)
            case _Memory(address):
                self.code.store(address, masked(value, bits), bits)
            case _Immediate():
                self.code.fail("an immediate value cannot be changed")

    def require_lockable(self, target: _Operand) -> None:
        if self.locked and not isinstance(target, _Memory):
            self.code.fail("LOCK is for instructions that change memory")


# Flags and conditions


def _flags_of_result(i: _Instruction, result: Expr, bits: int) -> None:
    i.code.assign(_ZF.name, Binary("==", result, Const(0)))
    i.code.assign(_SF.name, bit(result, bits - 1))


def _flags_of_add(i: _Instruction, left: Expr, right: Expr, bits: int, *, carry: bool = True) -> None:
    result = masked(Binary("+", left, right), bits)
    carried = Binary("|", Binary("&", left, right), Binary("&", Binary("|", left, right), Unary("~", result)))
    _flags_of_result(i, result, bits)
    if carry:
        i.code.assign(_CF.name, bit(carried, bits - 1))
    i.code.assign(_OF.name, bit(Binary("&", Binary("^", left, result), Binary("^", right, result)), bits - 1))


def _flags_of_sub(i: _Instruction, left: Expr, right: Expr, bits: int, *, carry: bool = True) -> None:
    result = masked(Binary("-", left, right), bits)
    inverted = Unary("~", left)
    borrow = Binary("|", Binary("&", inverted, right), Binary("&", Binary("|", inverted, right), result))
    i.code.assign(_ZF.name, is_equal(left, right, bits))
    i.code.assign(_SF.name, bit(result, bits - 1))
    if carry:
        i.code.assign(_CF.name, bit(borrow, bits - 1))
    i.code.assign(_OF.name, bit(Binary("&", Binary("^", left, right), Binary("^", left, result)), bits - 1))


def _flags_of_logic(i: _Instruction, result: Expr, bits: int) -> None:
    _flags_of_result(i, result, bits)
    i.code.assign(_CF.name, Const(0))
    i.code.assign(_OF.name, Const(0))


_CONDITIONS: dict[str, Expr] = {
    "E": _ZF,
    "B": _CF,
    "BE": Binary("||", _CF, _ZF),
    "S": _SF,
    "O": _OF,
    "L": Binary("!=", _SF, _OF),
    "LE": Binary("||", _ZF, Binary("!=", _SF, _OF)),
    "NE": Unary("!", _ZF),
    "AE": Unary("!", _CF),
    "A": Binary("&&", Unary("!", _CF), Unary("!", _ZF)),
    "NS": Unary("!", _SF),
    "NO": Unary("!", _OF),
    "GE": Binary("==", _SF, _OF),
    "G": Binary("&&", Unary("!", _ZF), Binary("==", _SF, _OF)),
}
_CONDITIONS |= {
    other: _CONDITIONS[name]
    for name, others in {
        "E": "Z",
        "B": "C NAE",
        "BE": "NA",
        "L": "NGE",
        "LE": "NG",
        "NE": "NZ",
        "AE": "NC NB",
        "A": "NBE",
        "GE": "NL",
        "G": "NLE",
    }.items()
    for other in others.split()
}


# Instructions


def _mov(i: _Instruction) -> None:
    target, source, bits = i.two()
    if isinstance(target, Register) and isinstance(source, _Memory) and not target.keeps:
        i.code.load(i.line.destination(target), source.address, bits)
    else:
        i.set(target, i.value(source, bits), bits)


def _lea(i: _Instruction) -> None:
    target, source, bits = i.two()
    if not isinstance(source, _Memory):
        i.code.fail("LEA takes an address")
    i.set(target, source.address, bits)


def _extend(i: _Instruction, bits: int | None, *, signed: bool) -> None:
    """MOVZX and MOVSX. `bits` are those of the source, if it is memory."""
    cursor = i.line.operands
    first = i._operand()
    i.line.comma()
    second = i._operand()
    target, source = (first, second) if i.word == 32 else (second, first)
    size = source.bits if isinstance(source, Register) else bits
    if size is None:
        cursor.text.fail("the size of what is read is not said", cursor.next.offset, hint="MOVZB, MOVZW, MOVSB, MOVSW")
    value = i.value(source, size)
    i.set(target, sign_extended(value, size) if signed else value, i.word)


def _xchg(i: _Instruction) -> None:
    target, source, bits = i.two()
    if isinstance(source, _Memory):
        target, source = source, target
    if not isinstance(source, Register):
        i.code.fail("XCHG takes a register")
    if isinstance(target, _Memory):
        old = source.name if source.name is not None and _is_whole(source, i.word) else i.code.hidden()
        i.code.rmw(old, RmwOp.EXCHANGE, target.address, i.line.value(source), bits)
        if old != source.name:
            i.line.set(source, Reg(old))
        return
    kept = i.code.hidden()
    i.code.assign(kept, i.value(target, bits))
    i.set(target, i.line.value(source), bits)
    i.line.set(source, Reg(kept))


def _is_whole(register: Register, word: int) -> bool:
    """Whether writing the register as a whole is the same as writing this view of it."""
    return not register.keeps and register.bits <= word


_ARITHMETIC: dict[str, tuple[str, RmwOp]] = {
    "ADD": ("+", RmwOp.ADD),
    "SUB": ("-", RmwOp.SUB),
    "AND": ("&", RmwOp.AND),
    "OR": ("|", RmwOp.OR),
    "XOR": ("^", RmwOp.XOR),
}


def _arithmetic(i: _Instruction, name: str) -> None:
    target, source, bits = i.two()
    i.require_lockable(target)
    _combine(i, name, target, i.value(source, bits), bits)


def _combine(i: _Instruction, name: str, target: _Operand, right: Expr, bits: int, *, carry: bool = True) -> None:
    """target := target <op> right, with its flags."""
    op, rmw = _ARITHMETIC[name]
    if i.locked and isinstance(target, _Memory):
        left: Expr = Reg(_locked(i, target, op, rmw, right, bits))
    else:
        left = i.value(target, bits)
    if op == "+":
        _flags_of_add(i, left, right, bits, carry=carry)
    elif op == "-":
        _flags_of_sub(i, left, right, bits, carry=carry)
    else:
        _flags_of_logic(i, masked(Binary(op, left, right), bits), bits)
    if not i.locked:
        i.set(target, Binary(op, left, right), bits)


def _locked(i: _Instruction, target: _Memory, op: str, rmw: RmwOp, right: Expr, bits: int) -> str:
    """The atomic update; the result is the register with the old value."""
    old = i.code.hidden()
    if bits < i.word and op in ("+", "-"):
        i.code.rmw(old, RmwOp.UPDATE, target.address, masked(Binary(op, ReadValue(), right), bits), bits)
    else:
        i.code.rmw(old, rmw, target.address, right, bits)
    return old


def _step(i: _Instruction, name: str) -> None:
    """INC and DEC, which leave CF as it is."""
    target, bits = i.one()
    i.require_lockable(target)
    _combine(i, name, target, Const(1), bits, carry=False)


def _neg(i: _Instruction) -> None:
    target, bits = i.one()
    _require_unlocked(i)
    value = i.value(target, bits)
    _flags_of_sub(i, Const(0), value, bits)
    i.set(target, Binary("-", Const(0), value), bits)


def _not(i: _Instruction) -> None:
    target, bits = i.one()
    _require_unlocked(i)
    i.set(target, Unary("~", i.value(target, bits)), bits)


def _require_unlocked(i: _Instruction) -> None:
    if i.locked:
        i.code.fail("LOCK is not supported for this instruction")


def _cmp(i: _Instruction) -> None:
    left, right, bits = i.two()
    _flags_of_sub(i, i.value(left, bits), i.value(right, bits), bits)


def _test(i: _Instruction) -> None:
    left, right, bits = i.two()
    _flags_of_logic(i, Binary("&", i.value(left, bits), i.value(right, bits)), bits)


def _shift(i: _Instruction, kind: str) -> None:
    target, source, bits = i.two()
    if not isinstance(source, _Immediate) or not 0 <= source.value < bits:
        i.code.fail("only shifts by a fixed number of bits are supported")
    i.set(target, shifted(kind, i.value(target, bits), Const(source.value), bits), bits)


def _xadd(i: _Instruction) -> None:
    target, source, bits = i.two()
    i.require_lockable(target)
    if not isinstance(source, Register):
        i.code.fail("XADD takes a register")
    right = i.code.hidden()
    i.code.assign(right, i.line.value(source))
    if i.locked and isinstance(target, _Memory):
        old: Expr = Reg(_locked(i, target, "+", RmwOp.ADD, Reg(right), bits))
    else:
        old = i.value(target, bits)
        i.set(target, Binary("+", old, Reg(right)), bits)
    _flags_of_add(i, old, Reg(right), bits)
    i.line.set(source, old)


def _cmpxchg(i: _Instruction) -> None:
    target, source, bits = i.two()
    if not (i.locked and isinstance(target, _Memory)):
        i.code.fail("CMPXCHG is supported with LOCK and memory only")
    accumulator = _REGISTERS[i.word][{8: "al", 16: "ax", 32: "eax", 64: "rax"}[bits]]
    expected = i.line.value(accumulator)
    old = i.code.hidden()
    i.code.cas(old, target.address, expected, i.value(source, bits), bits)
    _flags_of_sub(i, expected, Reg(old), bits)
    i.line.set(accumulator, Reg(old))


def _jump(i: _Instruction) -> None:
    i.code.jump(i.code.named_label(i.line.label()))


def _branch(i: _Instruction, condition: Expr) -> None:
    i.code.branch(condition, i.code.named_label(i.line.label()))


def _set_if(i: _Instruction, condition: Expr) -> None:
    target = i._operand()
    i.set(target, condition, 8)


def _move_if(i: _Instruction, condition: Expr) -> None:
    """CMOVcc: reads its source in any case, and depends on it."""
    target, source, bits = i.two()
    new = i.value(source, bits)
    old = i.value(target, bits)
    i.set(target, either(condition, new, old), bits)


def _fence(i: _Instruction, kind: FenceKind) -> None:
    i.code.fence(kind)


def _nop(i: _Instruction) -> None:
    """NOP, PAUSE"""


def _long_nop(i: _Instruction) -> None:
    """NOPW, NOPL: what compilers pad code with. The address that it names is not accessed."""
    while not i.line.operands.at_end:
        i.line.operands.take()


def _return(i: _Instruction) -> None:
    i.code.leave(None)


_Meaning = Callable[[_Instruction], None]
_EXTENSIONS = ("BW", "BL", "BQ", "WL", "WQ")  # from which size to which

# Instructions whose mnemonic may end in a letter for the size.
_SIZED: dict[str, _Meaning] = {
    "MOV": _mov,
    "LEA": _lea,
    "XCHG": _xchg,
    **{name: partial(_arithmetic, name=name) for name in _ARITHMETIC},
    "INC": partial(_step, name="ADD"),
    "DEC": partial(_step, name="SUB"),
    "NEG": _neg,
    "NOT": _not,
    "CMP": _cmp,
    "TEST": _test,
    "SHL": partial(_shift, kind="LSL"),
    "SAL": partial(_shift, kind="LSL"),
    "SHR": partial(_shift, kind="LSR"),
    "SAR": partial(_shift, kind="ASR"),
    "XADD": _xadd,
    "CMPXCHG": _cmpxchg,
}
_UNSIZED: dict[str, _Meaning] = {
    "MOVZX": partial(_extend, bits=None, signed=False),
    "MOVSX": partial(_extend, bits=None, signed=True),
    **{f"MOVZ{letter}": partial(_extend, bits=_BITS[letter], signed=False) for letter in "BW"},
    **{f"MOVS{letter}": partial(_extend, bits=_BITS[letter], signed=True) for letter in "BW"},
    **{f"MOVZ{sizes}": partial(_extend, bits=_BITS[sizes[0]], signed=False) for sizes in _EXTENSIONS},
    **{f"MOVS{sizes}": partial(_extend, bits=_BITS[sizes[0]], signed=True) for sizes in (*_EXTENSIONS, "LQ")},
    "JMP": _jump,
    "MFENCE": partial(_fence, kind=FenceKind.MFENCE),
    "SFENCE": partial(_fence, kind=FenceKind.SFENCE),
    "LFENCE": partial(_fence, kind=FenceKind.LFENCE),
    "NOP": _nop,
    "NOPW": _long_nop,
    "NOPL": _long_nop,
    "PAUSE": _nop,
    "RET": _return,
    **{f"J{name}": partial(_branch, condition=condition) for name, condition in _CONDITIONS.items()},
    **{f"SET{name}": partial(_set_if, condition=condition) for name, condition in _CONDITIONS.items()},
    **{f"CMOV{name}": partial(_move_if, condition=condition) for name, condition in _CONDITIONS.items()},
}
_LOCKABLE = frozenset({"XCHG", *_ARITHMETIC, "INC", "DEC", "XADD", "CMPXCHG"})


def _meaning(mnemonic: str) -> tuple[_Meaning, int | None, str] | None:
    """What a mnemonic means, the size that it says, and the mnemonic without that."""
    if mnemonic in _SIZED:
        return _SIZED[mnemonic], None, mnemonic
    if mnemonic in _UNSIZED:
        return _UNSIZED[mnemonic], None, mnemonic
    if mnemonic[-1:] in _BITS and mnemonic[:-1] in _SIZED:
        return _SIZED[mnemonic[:-1]], _BITS[mnemonic[-1]], mnemonic[:-1]
    return None


def _run(line: Line, mnemonic: str, *, locked: bool) -> None:
    found = _meaning(mnemonic)
    if found is None or (locked and found[2] not in _LOCKABLE):
        line.code.fail(f"LOCK does not stand before {mnemonic}", hint=", ".join(sorted(_LOCKABLE)))
    meaning, bits, _ = found
    meaning(_Instruction(line, bits, locked=locked))


def _lock(line: Line) -> None:
    _run(line, line.operands.name("an instruction after LOCK").text.upper(), locked=True)


def _find(mnemonic: str) -> Handler | None:
    if mnemonic == "LOCK":
        return _lock
    return partial(_run, mnemonic=mnemonic, locked=False) if _meaning(mnemonic) is not None else None


def _known() -> Iterator[str]:
    yield from ("LOCK", *_UNSIZED, *_SIZED)
    yield from (name + size for name in _SIZED for size in _BITS)


def _machine(word: int) -> Machine:
    registers = _REGISTERS[word]
    return Machine(Isa.X86, word, lambda name: registers.get(name.lower().removeprefix("%")), _find, _known)


X86, X86_64 = _machine(32), _machine(64)
