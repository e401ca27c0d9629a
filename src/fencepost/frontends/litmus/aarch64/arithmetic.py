"""AArch64: moves, arithmetic, comparisons, selects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fencepost.program.expr import Binary, Const, Expr, Unary

from ..arm_flags import CONDITIONS, condition, nzcv_of_add, nzcv_of_logic, nzcv_of_sub, shifted
from ..machine import Handler, Line, Register, constant, masked, sign_extended
from .operands import at_immediate, extended, immediate, operand, require_bits, same_size, wide, wide_shift


def _mov(line: Line) -> None:
    target = line.register()
    line.comma()
    if at_immediate(line):
        line.set(target, constant(wide(line), target.bits))
    else:
        source = line.register()
        require_bits(line, source, target.bits)
        line.set(target, line.value(source))


def _movn(line: Line) -> None:
    target = line.register()
    line.comma()
    value = wide(line)
    line.set(target, constant(~value, target.bits))


def _movk(line: Line) -> None:
    target = line.register()
    line.comma()
    token = line.operands.next
    value = immediate(line)
    shift = wide_shift(line)
    if not 0 <= value < 1 << 16:
        line.operands.fail("MOVK takes 16 bits", token)
    kept = Binary("&", line.value(target), constant(~(0xFFFF << shift), target.bits))
    line.set(target, Binary("|", kept, constant(value << shift, target.bits)))


def _add(line: Line, *, flags: bool) -> None:
    target = line.register()
    left = line.value(same_size(line, target.bits))
    line.comma()
    right = operand(line, target.bits)
    if flags:
        nzcv_of_add(line.code, left, right, target.bits)
    line.set(target, Binary("+", left, right))


def _sub(line: Line, *, flags: bool) -> None:
    target = line.register()
    left = line.value(same_size(line, target.bits))
    line.comma()
    right = operand(line, target.bits)
    if flags:
        nzcv_of_sub(line.code, left, right, target.bits)
    line.set(target, Binary("-", left, right))


def _neg(line: Line, *, flags: bool) -> None:
    target = line.register()
    line.comma()
    right = operand(line, target.bits)
    if flags:
        nzcv_of_sub(line.code, Const(0), right, target.bits)
    line.set(target, Binary("-", Const(0), right))


def _logic(line: Line, op: str, *, inverted: bool = False, flags: bool = False) -> None:
    target = line.register()
    left = line.value(same_size(line, target.bits))
    line.comma()
    right = operand(line, target.bits)
    result = Binary(op, left, Unary("~", right) if inverted else right)
    if flags:
        nzcv_of_logic(line.code, masked(result, target.bits), target.bits)
    line.set(target, result)


def _mvn(line: Line) -> None:
    target = line.register()
    line.comma()
    line.set(target, Unary("~", operand(line, target.bits)))


def _compare(line: Line, set_flags: Callable[[Line, Expr, Expr, int], None]) -> None:
    left = line.register()
    line.comma()
    set_flags(line, line.value(left), operand(line, left.bits), left.bits)


def _cmp(line: Line, left: Expr, right: Expr, bits: int) -> None:
    nzcv_of_sub(line.code, left, right, bits)


def _cmn(line: Line, left: Expr, right: Expr, bits: int) -> None:
    nzcv_of_add(line.code, left, right, bits)


def _tst(line: Line, left: Expr, right: Expr, bits: int) -> None:
    nzcv_of_logic(line.code, Binary("&", left, right), bits)


def _shift(line: Line, kind: str) -> None:
    target = line.register()
    value = line.value(same_size(line, target.bits))
    line.comma()
    if at_immediate(line):
        amount: Expr = Const(immediate(line) % target.bits)
    else:
        by = line.register()
        require_bits(line, by, target.bits)
        amount = Binary("&", line.value(by), Const(target.bits - 1))
    line.set(target, shifted(kind, value, amount, target.bits))


def _extend(line: Line, kind: str) -> None:
    target = line.register()
    line.comma()
    line.set(target, extended(line, kind, line.value(line.register())))


def _bitfield(line: Line, *, signed: bool) -> None:
    """UBFX and SBFX: `width` bits from `low` on."""
    target = line.register()
    value = line.value(same_size(line, target.bits))
    line.comma()
    low = immediate(line)
    line.comma()
    width = immediate(line)
    if low < 0 or width < 1 or low + width > target.bits:
        line.code.fail(f"there are no {width} bits from bit {low} on")
    field = masked(Binary(">>", value, Const(low)), width)
    line.set(target, sign_extended(field, width) if signed else field)


def _multiply(line: Line, *, accumulate: str | None) -> None:
    target = line.register()
    left = line.value(same_size(line, target.bits))
    product = Binary("*", left, line.value(same_size(line, target.bits)))
    if accumulate is None:
        line.set(target, product)
    else:
        line.set(target, Binary(accumulate, line.value(same_size(line, target.bits)), product))


def _select(line: Line, change: Callable[[Expr], Expr]) -> None:
    """CSEL and its kin: the first register if the condition holds, else the second, changed."""
    target = line.register()
    first = line.value(same_size(line, target.bits))
    second = line.value(same_size(line, target.bits))
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
    value = line.value(same_size(line, target.bits))
    line.comma()
    _set_to(line, target, condition(_condition_name(line)), change(value), value)


def _set_to(line: Line, target: Register, holds: Expr, yes: Expr, no: Expr) -> None:
    """The result depends on the value that is chosen, and on the condition only in that this picked it."""
    if target.name is not None:
        line.code.select(holds, lambda truth: line.set(target, yes if truth else no))


def _condition_name(line: Line) -> str:
    token = line.operands.name("a condition, as EQ")
    if token.text.upper() not in CONDITIONS:
        line.operands.fail(f"'{token.text}' is no condition", token, hint=", ".join(CONDITIONS))
    return token.text.upper()


def _multiply_add(line: Line, op: str) -> None:
    _multiply(line, accumulate=op)


def _nop(line: Line) -> None:
    """NOP"""


# The table


def arithmetic() -> dict[str, Handler]:
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
