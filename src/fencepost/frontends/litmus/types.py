"""The types that declarations in litmus files name: of each only its width, its sign and whether it is atomic count."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .cursor import Cursor

_QUALIFIERS = frozenset({"const", "volatile", "static", "register", "extern", "signed", "struct"})
_SIZED = re.compile(r"(?:atomic_)?(u?)int(?:_least|_fast)?(8|16|32|64)_t")
_PLAIN = {
    "char": 8,
    "short": 16,
    "int": 32,
    "long": 64,
    "bool": 8,
    "_Bool": 8,
    "intptr_t": 64,
    "size_t": 64,
    "atomic_t": 32,
    "atomic_char": 8,
    "atomic_short": 16,
    "atomic_int": 32,
    "atomic_long": 64,
    "atomic_bool": 8,
}
_UNSIGNED = {
    "unsigned": 32,
    "uintptr_t": 64,
    "atomic_uint": 32,
    "atomic_uchar": 8,
    "atomic_ushort": 16,
    "atomic_ulong": 64,
    "atomic_uintptr_t": 64,
}
_TOO_WIDE = frozenset({"__int128", "__int128_t", "__uint128_t", "int128_t", "uint128_t"})


@dataclass(frozen=True, slots=True)
class Type:
    bits: int
    signed: bool = True
    atomic: bool = False
    pointer: bool = False


INT = Type(32)
WORD = Type(64)


def accept_type(cursor: Cursor) -> Type | None:
    """The type that starts here, pointers included; None if this is none."""
    start = cursor.next
    found = _accept_words(cursor)
    if found is None:
        return None
    while cursor.at("*"):
        if found.pointer:
            cursor.fail("pointers to pointers are not supported")
        cursor.take()
        found = replace(found, pointer=True)
        while cursor.accept("const", "volatile", "restrict"):
            pass
    if found.bits > 64:
        cursor.fail("integers of 128 bits are not supported", start)
    return found


def _accept_words(cursor: Cursor) -> Type | None:
    found: Type | None = None
    atomic, seen = False, False
    while cursor.next.kind == "name":
        word = cursor.next.text
        if word == "_Atomic":
            atomic = True
        elif word not in _QUALIFIERS:
            named = _named(word)
            if named is None:
                break
            found = named if found is None else _joined(found, named)
        cursor.take()
        seen = True
        if word == "_Atomic" and cursor.accept("("):
            found = accept_type(cursor) or cursor.expected("a type")
            cursor.expect(")")
    if not seen:
        return None
    found = found or INT
    return replace(found, atomic=atomic or found.atomic)


def _named(word: str) -> Type | None:
    atomic = word.startswith("atomic_")
    sized = _SIZED.fullmatch(word)
    if sized is not None:
        return Type(int(sized.group(2)), signed=not sized.group(1), atomic=atomic)
    if word in _PLAIN:
        return Type(_PLAIN[word], atomic=atomic)
    if word in _UNSIGNED:
        return Type(_UNSIGNED[word], signed=False, atomic=atomic)
    if word == "void":
        return Type(64)
    return Type(128) if word in _TOO_WIDE else None


def _joined(first: Type, second: Type) -> Type:
    """`unsigned char`, `long long`, `long int`: the sign of the one, the width of the one that is not int."""
    widths = [found.bits for found in (first, second) if found.bits != 32]
    return Type(max(widths, default=32), first.signed and second.signed, first.atomic or second.atomic)
