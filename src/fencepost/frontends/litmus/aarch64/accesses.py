"""AArch64: loads and stores, single ones, pairs, and exclusive ones."""

from __future__ import annotations

from functools import partial

from fencepost.program.expr import Binary, Const, Expr
from fencepost.program.orders import Mark

from ..machine import Handler, Line, Register, sign_extended
from .operands import SIZES, Address, low_bits, plain_address, same_size

_PLAIN: frozenset[Mark] = frozenset()


def _load(
    line: Line,
    *,
    bits: int | None = None,
    signed: bool = False,
    marks: frozenset[Mark] = _PLAIN,
    base_only: bool = False,
) -> None:
    """`bits` that the access reads, those of the register if None; `base_only` if the address may be [Xn] only."""
    target = line.register()
    line.comma()
    size = bits or target.bits
    address = None if base_only else Address(line)
    name = line.destination(target)
    if address is not None and address.after is not None and address.base.name == name:
        line.code.fail("the base register is written twice")
    line.code.load(name, plain_address(line) if address is None else address.expr, size, marks)
    if signed:
        line.set(target, sign_extended(line.value(Register(name, size)), size))
    if address is not None:
        address.write_back(line)


def _store(line: Line, *, bits: int | None = None, marks: frozenset[Mark] = _PLAIN, base_only: bool = False) -> None:
    source = line.register()
    line.comma()
    size = bits or source.bits
    address = None if base_only else Address(line)
    place = plain_address(line) if address is None else address.expr
    line.code.store(place, low_bits(line, source, size), size, marks)
    if address is not None:
        address.write_back(line)


def _load_pair(line: Line) -> None:
    first = line.register()
    second = same_size(line, first.bits)
    line.comma()
    address = Address(line)
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
    second = same_size(line, first.bits)
    line.comma()
    address = Address(line)
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
    value = low_bits(line, source, size)
    line.code.store_conditional(line.destination(status), plain_address(line), value, size, marks)


def accesses() -> dict[str, Handler]:
    acquire, acquire_pc = frozenset({Mark.ACQUIRE}), frozenset({Mark.ACQUIRE_PC})
    release, exclusive = frozenset({Mark.RELEASE}), frozenset({Mark.EXCLUSIVE})
    table: dict[str, Handler] = {
        "LDP": _load_pair,
        "LDNP": _load_pair,
        "STP": _store_pair,
        "STNP": _store_pair,
    }
    for size, bits in SIZES.items():
        for name in ("LDR", "LDUR", "LDTR"):
            table[name + size] = partial(_load, bits=bits)
        for name in ("STR", "STUR", "STTR"):
            table[name + size] = partial(_store, bits=bits)
        for name, marks in (
            ("LDAR", acquire),
            ("LDAPR", acquire_pc),
            ("LDXR", exclusive),
            ("LDAXR", exclusive | acquire),
        ):
            table[name + size] = partial(_load, bits=bits, marks=marks, base_only=True)
        table[f"LDAPUR{size}"] = partial(_load, bits=bits, marks=acquire_pc)
        table[f"STLR{size}"] = partial(_store, bits=bits, marks=release, base_only=True)
        table[f"STLUR{size}"] = partial(_store, bits=bits, marks=release)
        table[f"STXR{size}"] = partial(_store_exclusive, bits=bits, marks=exclusive)
        table[f"STLXR{size}"] = partial(_store_exclusive, bits=bits, marks=exclusive | release)
    for size, bits in (("B", 8), ("H", 16), ("W", 32)):
        for name in ("LDRS", "LDURS", "LDTRS"):
            table[name + size] = partial(_load, bits=bits, signed=True)
        table[f"LDAPURS{size}"] = partial(_load, bits=bits, signed=True, marks=acquire_pc)
    return table
