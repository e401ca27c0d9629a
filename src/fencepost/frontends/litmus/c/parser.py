"""The functions of a C litmus test, and the program that they are.

P0 (atomic_int* x, int* y) { int r0 = atomic_load_explicit(x, memory_order_acquire); if (r0) *y = 1; }
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fencepost.program.condition import InMemory, InRegister
from fencepost.program.form import Access, Cas, Program, Thread
from fencepost.program.orders import Order

from ..code import ThreadCode
from ..cursor import Cursor, Token
from ..initial import InitialState, read_initial_state
from ..layout import Layout
from ..question import read_question
from ..sections import Sections
from ..tidy import tidied
from ..types import Type, accept_type
from .statements import Function
from .values import Arithmetic

_WIDE = ("64_t", "long", "ptr_t", "size_t")  # what types of 64 bits are called


def parse_c(sections: Sections, source: str) -> Program:
    wide = any(word in source for word in _WIDE)
    return tidied(_Translated(sections, source, 64 if wide else 32).program())


@dataclass(slots=True)
class _Heading:
    """A function before its body is read."""

    parameters: dict[str, Type]
    body: tuple[int, int]


class _Translated:
    """A C test, put together."""

    def __init__(self, sections: Sections, source: str, width: int) -> None:
        self._sections = sections
        self._source = source
        self._width = width
        self._layout = Layout(source, width)
        self._functions: list[Function] = []
        self._observed: dict[int, list[str]] = {}

    def program(self) -> Program:
        text = self._sections.text
        initial = read_initial_state(Cursor(text, *self._sections.initial), self._layout)
        cursor = Cursor(text, *self._sections.code)
        cursor.accept(";")
        while not cursor.at_end:
            self._read_function(cursor, initial)
        if not self._functions:
            cursor.expected("the threads: P0 (..) { .. }")
        final = read_question(Cursor(text, *self._sections.question), self._layout, self)
        threads = tuple(
            function.code.finish(self._observed.get(number, ())) for number, function in enumerate(self._functions)
        )
        for function in self._functions:
            function.code.require_sizes(self._layout.places.values())
        return Program(
            name=self._sections.name,
            locations=self._layout.locations(_atomicity(threads)),
            threads=threads,
            max_value=(1 << self._width) - 1,
            final=final,
            source=self._source,
            language="litmus",
        )

    def _read_function(self, cursor: Cursor, initial: InitialState) -> None:
        cursor.accept("static")
        cursor.accept("void")
        number = len(self._functions)
        token = cursor.name(f"thread P{number}")
        if token.text != f"P{number}":
            cursor.fail(f"expected thread P{number}, found '{token.text}'", token)
        cursor.expect("(")
        parameters: dict[str, Type] = {}
        while not cursor.accept(")"):
            if parameters:
                cursor.expect(",")
            self._read_parameter(cursor, parameters)
        cursor.expect("{")
        starts: dict[str, int] = {}
        for (thread, name), start in initial.registers.items():
            if thread == number:
                starts[name] = start.value % (1 << self._width)
        code = ThreadCode(number, cursor.text, self._layout, self._width, starts)
        function = Function(cursor, code, self._layout, Arithmetic(self._width), parameters)
        self._functions.append(function)
        function.read_body()

    def _read_parameter(self, cursor: Cursor, parameters: dict[str, Type]) -> None:
        start = cursor.next
        type = accept_type(cursor)
        if type is None:
            cursor.expected("the type of a parameter")
        if cursor.at(")") and not type.pointer and not parameters:
            return  # (void)
        name = cursor.name("the name of a parameter")
        if cursor.accept("["):
            if not cursor.accept("]"):
                cursor.integer("the length of the array")
                cursor.expect("]")
            type = replace(type, pointer=True)
        if not type.pointer:
            cursor.fail(f"parameter {name.text} is no pointer to a shared location", start)
        if name.text in parameters:
            cursor.fail(f"there are two parameters {name.text}", name)
        parameters[name.text] = type
        place = self._layout.use(name.text)
        if place.type is None:
            place.type = replace(type, pointer=False)

    # What the condition may speak of (question.Names)

    def register(self, thread: int, token: Token) -> InRegister:
        if thread >= len(self._functions):
            self._sections.text.fail(f"there is no thread P{thread}", token.offset)
        function = self._functions[thread]
        type = function.locals.get(token.text)
        if type is None:
            self._sections.text.fail(f"thread P{thread} has no variable {token.text}", token.offset)
        known = self._observed.setdefault(thread, [])
        if token.text not in known:
            known.append(token.text)
        return InRegister(thread, token.text, self._width if type.pointer else min(type.bits, self._width))

    def has_type(self, register: InRegister) -> bool:
        return True

    def location(self, token: Token, slot: int | None) -> InMemory:
        place = self._layout.use(token.text)
        if not 0 <= (slot or 0) < len(place.values):
            self._sections.text.fail(f"{token.text} has no element {slot}", token.offset)
        return InMemory(place.name, slot if place.is_array else None, min(place.size(self._width) or 64, self._width))


def _atomicity(threads: tuple[Thread, ...]) -> dict[str, bool]:
    """A location is atomic unless all accesses to it are plain."""
    atomic: dict[str, bool] = {}
    for thread in threads:
        for instruction in thread.code:
            if isinstance(instruction, Access):
                order = instruction.success if isinstance(instruction, Cas) else instruction.order
                name = instruction.ref.location
                atomic[name] = atomic.get(name, False) or order is not Order.NON_ATOMIC
    return atomic
