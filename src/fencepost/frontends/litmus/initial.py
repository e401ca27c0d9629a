"""The initial state of a litmus test: `{ x=1; int y[2]={0,1}; uint64_t 0:X1=x; 1:R2=5; %x0=x; }`."""

from __future__ import annotations

from dataclasses import dataclass, field

from .cursor import Cursor, Token
from .layout import Layout
from .types import Type, accept_type


@dataclass(frozen=True, slots=True)
class RegisterStart:
    """What a register holds at first, and the type that it was declared with, if any."""

    value: int
    type: Type | None
    token: Token


@dataclass(slots=True)
class InitialState:
    """Registers by thread and name as written. The thread of a symbolic register (`%x`) of all threads is None."""

    registers: dict[tuple[int | None, str], RegisterStart] = field(default_factory=dict)


def read_initial_state(cursor: Cursor, layout: Layout) -> InitialState:
    state = InitialState()
    while not cursor.at_end:
        if cursor.accept(";"):
            continue
        _read_item(cursor, layout, state)
        if not cursor.at_end:
            cursor.expect(";", "';' between the items of the initial state")
    return state


def _read_item(cursor: Cursor, layout: Layout, state: InitialState) -> None:
    type = accept_type(cursor)
    thread = accept_thread(cursor)
    if thread is not None or cursor.next.text.startswith("%"):
        token = cursor.name("the name of a register")
        value = _value(cursor, layout) if cursor.accept("=") else 0
        if (thread, token.text) in state.registers:
            cursor.fail(f"register {token.text} is given two initial values", token)
        state.registers[thread, token.text] = RegisterStart(value, type, token)
        return
    bracket = cursor.accept("[")
    cursor.accept("*")
    token = cursor.name("the name of a location or register")
    if bracket:
        cursor.expect("]")
    size = None
    if cursor.accept("["):
        size = cursor.integer("the length of the array")
        if not 0 < size <= 1 << 16:
            cursor.fail("an array has 1 to 65536 elements", token)
        cursor.expect("]")
    known = token.text in layout.places
    values: list[int] | None = None
    if cursor.accept("="):
        values = _values(cursor, layout, size)
    place = layout.declare(token.text, type, size)
    if values is not None:
        if known and any(place.values) and tuple(values) != place.values:
            cursor.fail(f"location {token.text} is given two initial values", token)
        place.values = (*values, *place.values[len(values) :])
    if known and type is not None and place.type is None:
        place.type = type
    if known and size is not None and not place.is_array and not layout.extend(place, size):
        cursor.fail("an array as large as this must be declared before its address is used", token)


def accept_thread(cursor: Cursor) -> int | None:
    """The thread number in `0:` or `P0:`, if there is one here."""
    mark = cursor.mark()
    token = cursor.next
    digits = token.text[1:] if token.kind == "name" and token.text[0] == "P" else token.text
    if digits.isdecimal():
        cursor.take()
        if cursor.accept(":"):
            return int(digits)
    cursor.reset(mark)
    return None


def _values(cursor: Cursor, layout: Layout, size: int | None) -> list[int]:
    if not cursor.accept("{"):
        return [_value(cursor, layout)]
    opening = cursor.next
    values = [_value(cursor, layout)]
    while cursor.accept(","):
        values.append(_value(cursor, layout))
    cursor.expect("}")
    if len(values) > (size or 1):
        cursor.fail(f"{len(values)} values for {size or 1} elements", opening)
    return values


def _value(cursor: Cursor, layout: Layout) -> int:
    if cursor.accept("("):
        if accept_type(cursor) is not None:
            cursor.expect(")")
            return _value(cursor, layout)
        value = _value(cursor, layout)
        cursor.expect(")")
        return value
    if cursor.accept("ATOMIC_INIT"):
        cursor.expect("(")
        value = _value(cursor, layout)
        cursor.expect(")")
        return value
    return read_constant(cursor, layout)


def read_constant(cursor: Cursor, layout: Layout) -> int:
    """A number, or the address of a location (`x`, `&x`, `x+4`)."""
    token = cursor.next
    ampersand = cursor.accept("&")
    if cursor.next.kind != "name":
        return cursor.expected("the name of a location") if ampersand else cursor.integer("a number or a location")
    if accept_thread(cursor) is not None:
        cursor.fail("labels as values are not supported", token)
    name = cursor.take()
    address = layout.use(name.text).address
    return address + cursor.integer() if cursor.at("+", "-") else address
