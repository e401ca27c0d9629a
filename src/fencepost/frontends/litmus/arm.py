"""ARM (version 7): what its instructions mean. Most can be conditional, as MOVEQ; many can set the flags, as ADDS."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from fencepost.program.expr import Binary, Const, Expr, Reg, Unary, registers_of
from fencepost.program.form import Isa
from fencepost.program.orders import FenceKind, Mark

from .arm_flags import CONDITIONS, condition, nz_of, nzcv_of_add, nzcv_of_sub, shifted
from .machine import Handler, Line, Machine, Register, constant, either, masked, sign_extended, table_of

_REGISTER = re.compile(r"R([0-9]|1[0-4])")
_ALIASES = {"SB": "R9", "SL": "R10", "FP": "R11", "IP": "R12", "SP": "R13", "LR": "R14"}
_DOMAINS = ("SY", "ST", "ISH", "ISHST", "NSH", "NSHST", "OSH", "OSHST")
_SHIFTS = ("LSL", "LSR", "ASR", "ROR")
_BITS = 32


def register(name: str) -> Register | None:
    name = _ALIASES.get(name.upper(), name.upper())
    return Register(name, _BITS) if _REGISTER.fullmatch(name) else None


# Operands


def _immediate(line: Line) -> int:
    line.operands.accept("#")
    return line.operands.integer("an immediate value, as #1")


def _at_immediate(line: Line) -> bool:
    return line.operands.at("#", "-") or line.operands.next.kind == "number"


def _source(line: Line) -> Expr:
    return line.value(line.register())


def _operand(line: Line) -> Expr:
    """An immediate value, or a register, shifted or not."""
    if _at_immediate(line):
        return constant(_immediate(line), _BITS)
    value = _source(line)
    return _shifted(line, value) if line.operands.accept(",") else value


def _shifted(line: Line, value: Expr) -> Expr:
    token = line.operands.name("a shift, as LSL")
    kind = token.text.upper()
    if kind not in _SHIFTS:
        line.operands.fail(f"'{token.text}' is no shift", token, hint=", ".join(_SHIFTS))
    return shifted(kind, value, Const(_shift_amount(line)), _BITS)


class _Address:
    """`[Rn]`, `[Rn,#4]`, `[Rn,Rm,LSL #2]`, and with what they do to Rn: `[Rn,#4]!`, `[Rn],#4`."""

    def __init__(self, line: Line) -> None:
        line.operands.expect("[", "an address, as [R1]")
        self.base = line.register()
        whole = line.value(self.base)
        self.expr = whole
        self.after: Expr | None = None
        if line.operands.accept(","):
            self.expr = self._moved(line, whole)
        line.operands.expect("]")
        if line.operands.accept("!"):
            self.after = self.expr
        elif line.operands.accept(","):
            self.after = self._moved(line, whole)

    @staticmethod
    def _moved(line: Line, base: Expr) -> Expr:
        if _at_immediate(line):
            return Binary("+", base, constant(_immediate(line), _BITS))
        op = "-" if line.operands.accept("-") else "+"
        line.operands.accept("+")
        return Binary(op, base, _operand(line))

    def write_back(self, line: Line) -> None:
        if self.after is not None:
            line.set(self.base, self.after)


def _plain_address(line: Line) -> Expr:
    line.operands.expect("[", "an address, as [R1]")
    base = _source(line)
    line.operands.expect("]")
    return base


# Moves and arithmetic


def _two_sources(line: Line) -> tuple[Register, Expr, Expr]:
    """`Rd, Rn, operand`, or `Rd, operand` for `Rd, Rd, operand`."""
    target = line.register()
    line.comma()
    if _at_immediate(line):
        return target, line.value(target), _operand(line)
    left = _source(line)
    if not line.operands.accept(","):
        return target, line.value(target), left
    return target, left, _operand(line)


def _add(line: Line, *, flags: bool) -> None:
    target, left, right = _two_sources(line)
    if flags:
        nzcv_of_add(line.code, left, right, _BITS)
    line.set(target, Binary("+", left, right))


def _sub(line: Line, *, reverse: bool = False, flags: bool) -> None:
    target, left, right = _two_sources(line)
    if reverse:
        left, right = right, left
    if flags:
        nzcv_of_sub(line.code, left, right, _BITS)
    line.set(target, Binary("-", left, right))


def _logic(line: Line, op: str, *, inverted: bool = False, flags: bool) -> None:
    target, left, right = _two_sources(line)
    result = Binary(op, left, masked(Unary("~", right), _BITS) if inverted else right)
    if flags:
        nz_of(line.code, result, _BITS)
    line.set(target, result)


def _move(line: Line, *, inverted: bool = False, flags: bool) -> None:
    target = line.register()
    line.comma()
    value = _operand(line)
    if inverted:
        value = masked(Unary("~", value), _BITS)
    if flags:
        nz_of(line.code, value, _BITS)
    line.set(target, value)


def _move_wide(line: Line) -> None:
    target = line.register()
    line.comma()
    line.set(target, constant(_immediate(line), 16))


def _move_top(line: Line) -> None:
    target = line.register()
    line.comma()
    kept = masked(line.value(target), 16)
    line.set(target, Binary("|", kept, constant(_immediate(line) << 16, _BITS)))


def _shift(line: Line, kind: str) -> None:
    target = line.register()
    line.comma()
    value = _source(line)
    line.comma()
    line.set(target, shifted(kind, value, Const(_shift_amount(line)), _BITS))


def _shift_amount(line: Line) -> int:
    if not _at_immediate(line):
        line.code.fail("shifts by a register are not supported")
    token = line.operands.next
    amount = _immediate(line)
    if not 0 <= amount < _BITS:
        line.operands.fail("a shift is by 0 to 31 bits", token)
    return amount


def _multiply(line: Line, *, flags: bool) -> None:
    target = line.register()
    line.comma()
    left = _source(line)
    line.comma()
    result = masked(Binary("*", left, _source(line)), _BITS)
    if flags:
        nz_of(line.code, result, _BITS)
    line.set(target, result)


def _extend(line: Line, *, bits: int, signed: bool) -> None:
    target = line.register()
    line.comma()
    low = masked(_source(line), bits)
    line.set(target, sign_extended(low, bits) if signed else low)


def _compare(line: Line, kind: str) -> None:
    left = _source(line)
    line.comma()
    right = _operand(line)
    match kind:
        case "CMP":
            nzcv_of_sub(line.code, left, right, _BITS)
        case "CMN":
            nzcv_of_add(line.code, left, right, _BITS)
        case "TST":
            nz_of(line.code, Binary("&", left, right), _BITS)
        case "TEQ":
            nz_of(line.code, Binary("^", left, right), _BITS)


# Branches and barriers


def _branch(line: Line) -> None:
    line.code.jump(line.code.named_label(line.label()))


def _return(line: Line) -> None:
    """BX LR"""
    link = line.register()
    if link.name != "R14":
        line.code.fail("BX is supported with LR only")
    line.code.leave("R14")


def _compare_and_branch(line: Line, *, if_zero: bool) -> None:
    tested = _source(line)
    line.comma()
    zero = Binary("==", tested, Const(0))
    line.code.branch(zero if if_zero else tested, line.code.named_label(line.label()))


def _barrier(line: Line, kind: str) -> None:
    name = "SY" if line.operands.at_end else line.operands.name("a domain, as SY").text.upper()
    if name not in _DOMAINS:
        line.code.fail(f"{kind} has no domain '{name}'", hint=", ".join(_DOMAINS))
    line.code.fence(FenceKind(f"{kind.lower()}.{name.lower()}"))


def _isb(line: Line) -> None:
    if not line.operands.at_end and line.operands.take().text.upper() != "SY":
        line.code.fail("ISB has no domain but SY")
    line.code.fence(FenceKind.ISB)


def _nop(line: Line) -> None:
    """NOP"""


# Loads and stores


def _load(line: Line, *, bits: int = _BITS, signed: bool = False) -> None:
    target = line.register()
    line.comma()
    address = _Address(line)
    if address.after is not None and address.base == target:
        line.code.fail("the base register is written twice")
    line.code.load(line.destination(target), address.expr, bits)
    if signed:
        line.set(target, sign_extended(line.value(target), bits))
    address.write_back(line)


def _load_pair(line: Line) -> None:
    """LDRD: two words in a row, to two registers; the second may go without saying."""
    first = line.register()
    line.comma()
    second = register(f"R{int((first.name or '')[1:]) + 1}") if line.operands.at("[") else line.register()
    if second is None or second == first:
        line.code.fail("LDRD needs two registers")
    line.operands.accept(",")
    address = _Address(line)
    _load_words(line, [first, second], address.expr)
    address.write_back(line)


def _load_several(line: Line, *, before: bool = False) -> None:
    """LDM: words in a row, to registers with growing numbers."""
    base = line.register()
    written_back = line.operands.accept("!") is not None
    line.comma()
    line.operands.expect("{", "the registers, as {R1,R2}")
    targets = [line.register()]
    while line.operands.accept(","):
        targets.append(line.register())
    line.operands.expect("}")
    numbers = [int((target.name or "")[1:]) for target in targets]
    if numbers != sorted(set(numbers)):
        line.code.fail("the numbers of the registers must grow")
    if written_back and base in targets:
        line.code.fail("the base register is written twice")
    start = line.value(base)
    _load_words(line, targets, _behind(start, 1) if before else start)
    if written_back:
        line.set(base, _behind(line.value(base), len(targets)))


def _load_words(line: Line, targets: list[Register], address: Expr) -> None:
    """The register that the address is computed from is loaded last, as all addresses are those at the start."""
    words = list(enumerate(targets))
    words.sort(key=lambda word: word[1].name in registers_of(address))
    for number, target in words:
        line.code.load(line.destination(target), _behind(address, number), _BITS)


def _behind(address: Expr, words: int) -> Expr:
    return Binary("+", address, Const(4 * words)) if words else address


def _store(line: Line, *, bits: int = _BITS) -> None:
    source = line.register()
    line.comma()
    address = _Address(line)
    line.code.store(address.expr, _low(line.value(source), bits), bits)
    address.write_back(line)


def _load_exclusive(line: Line, *, bits: int = _BITS) -> None:
    target = line.register()
    line.comma()
    line.code.load(line.destination(target), _plain_address(line), bits, frozenset({Mark.EXCLUSIVE}))


def _store_exclusive(line: Line, *, bits: int = _BITS) -> None:
    status = line.register()
    line.comma()
    value = _low(_source(line), bits)
    line.comma()
    line.code.store_conditional(line.destination(status), _plain_address(line), value, bits)


def _low(value: Expr, bits: int) -> Expr:
    return masked(value, bits) if bits < _BITS else value


# The table


def _with_flags() -> dict[str, Handler]:
    table: dict[str, Handler] = {}
    for suffix, flags in (("", False), ("S", True)):
        table |= {
            f"MOV{suffix}": partial(_move, flags=flags),
            f"MVN{suffix}": partial(_move, inverted=True, flags=flags),
            f"ADD{suffix}": partial(_add, flags=flags),
            f"SUB{suffix}": partial(_sub, flags=flags),
            f"RSB{suffix}": partial(_sub, reverse=True, flags=flags),
            f"AND{suffix}": partial(_logic, op="&", flags=flags),
            f"ORR{suffix}": partial(_logic, op="|", flags=flags),
            f"EOR{suffix}": partial(_logic, op="^", flags=flags),
            f"BIC{suffix}": partial(_logic, op="&", inverted=True, flags=flags),
            f"MUL{suffix}": partial(_multiply, flags=flags),
        }
    return table


def _others() -> dict[str, Handler]:
    return {
        "MOVW": _move_wide,
        "MOVT": _move_top,
        **{kind: partial(_shift, kind=kind) for kind in _SHIFTS},
        "UXTB": partial(_extend, bits=8, signed=False),
        "UXTH": partial(_extend, bits=16, signed=False),
        "SXTB": partial(_extend, bits=8, signed=True),
        "SXTH": partial(_extend, bits=16, signed=True),
        **{kind: partial(_compare, kind=kind) for kind in ("CMP", "CMN", "TST", "TEQ")},
        "B": _branch,
        "BX": _return,
        "LDR": _load,
        "LDRD": _load_pair,
        "LDM": _load_several,
        "LDMIA": _load_several,
        "LDMIB": partial(_load_several, before=True),
        "LDRB": partial(_load, bits=8),
        "LDRH": partial(_load, bits=16),
        "LDRSB": partial(_load, bits=8, signed=True),
        "LDRSH": partial(_load, bits=16, signed=True),
        "STR": _store,
        "STRB": partial(_store, bits=8),
        "STRH": partial(_store, bits=16),
        "LDREX": _load_exclusive,
        "LDREXB": partial(_load_exclusive, bits=8),
        "LDREXH": partial(_load_exclusive, bits=16),
        "STREX": _store_exclusive,
        "STREXB": partial(_store_exclusive, bits=8),
        "STREXH": partial(_store_exclusive, bits=16),
    }


_UNCONDITIONAL: dict[str, Handler] = {
    "CBZ": partial(_compare_and_branch, if_zero=True),
    "CBNZ": partial(_compare_and_branch, if_zero=False),
    "DMB": partial(_barrier, kind="DMB"),
    "DSB": partial(_barrier, kind="DSB"),
    "ISB": _isb,
    "NOP": _nop,
}
_CONDITIONAL = table_of(_with_flags(), _others())


def _find(mnemonic: str) -> Handler | None:
    known = _CONDITIONAL.get(mnemonic) or _UNCONDITIONAL.get(mnemonic)
    if known is not None:
        return known
    inner = _CONDITIONAL.get(mnemonic[:-2])
    if inner is None or mnemonic[-2:] not in CONDITIONS:
        return None
    return partial(_conditional, inner=inner, name=mnemonic[-2:])


def _conditional(line: Line, inner: Handler, name: str) -> None:
    """An instruction that only computes has the condition and what it would overwrite among its sources; others are
    branched over."""
    if inner is _branch:
        line.code.branch(condition(name), line.code.named_label(line.label()))
        return
    holds = line.code.hidden()
    start = line.operands.mark()
    line.code.assign(holds, condition(name))
    if line.code.predicated(lambda: inner(line), lambda new, old: either(Reg(holds), new, old)):
        return
    line.operands.reset(start)
    after = line.code.new_label()
    line.code.branch(Unary("!", condition(name)), after)
    inner(line)
    line.code.place(after)


def _known() -> Iterator[str]:
    yield from _UNCONDITIONAL
    for mnemonic in _CONDITIONAL:
        yield mnemonic
        yield from (mnemonic + name for name in CONDITIONS)


MACHINE = Machine(Isa.ARMV7, _BITS, register, _find, _known)
