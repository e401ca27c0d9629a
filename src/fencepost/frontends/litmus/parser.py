"""A litmus file as a `Program`."""

from __future__ import annotations

from importlib import import_module

from fencepost.program.condition import Final, InMemory, InRegister
from fencepost.program.expr import Const, parts
from fencepost.program.form import Program, Thread, operands

from .assembly import assemble, columns
from .code import ThreadCode
from .cursor import Cursor, Token
from .initial import InitialState, read_initial_state
from .layout import Layout, Place
from .machine import Machine
from .question import read_question
from .sections import Sections, split
from .tidy import tidied

# For each architecture, the module that knows it and the name of its machine there.
_MACHINES = {
    "X86": ("x86", "X86"),
    "X86_64": ("x86", "X86_64"),
    "AARCH64": ("aarch64", "MACHINE"),
    "ARM": ("arm", "MACHINE"),
    "PPC": ("ppc", "MACHINE"),
}
ARCHITECTURES = (*_MACHINES, "C")


def parse(text: str, filename: str) -> Program:
    """Raises InputError for what cannot be read."""
    sections = split(text, filename)
    architecture = sections.architecture.upper()
    if architecture == "C":
        from .c.parser import parse_c

        return parse_c(sections, text)
    if architecture not in _MACHINES:
        sections.text.fail(
            f"there is no architecture '{sections.architecture}'", 0, hint=f"known: {', '.join(ARCHITECTURES)}"
        )
    module, name = _MACHINES[architecture]
    machine: Machine = getattr(import_module(f"{__package__}.{module}"), name)
    return _Assembled(sections, machine, text).program()


class _Assembled:
    """A test for a processor, put together."""

    def __init__(self, sections: Sections, machine: Machine, source: str) -> None:
        self._sections = sections
        self._machine = machine
        self._source = source
        self._layout = Layout(source, machine.word)
        self._threads = 0
        self._observed: dict[int, list[str]] = {}
        self._types: dict[tuple[int, str], int] = {}  # bits of the registers that were declared with a type

    def program(self) -> Program:
        text, machine = self._sections.text, self._machine
        initial = read_initial_state(Cursor(text, *self._sections.initial), self._layout)
        cells = columns(self._sections)
        self._threads = len(cells)
        starts = self._starts(initial, len(cells))
        threads = [ThreadCode(n, text, self._layout, machine.word, start) for n, start in enumerate(starts)]
        for thread, code in zip(cells, threads, strict=True):
            assemble(machine, text, thread, code)
        self._question()  # which registers it asks about
        finished = tuple(code.finish(self._observed.get(number, ())) for number, code in enumerate(threads))
        for code in threads:
            code.require_sizes(self._reachable(finished))
        final = self._question()  # now that accesses have settled the sizes of locations without a type
        program = Program(
            name=self._sections.name,
            locations=self._layout.locations({}),
            threads=finished,
            max_value=(1 << machine.word) - 1,
            isa=machine.isa,
            final=final,
            source=self._source,
            language="litmus",
        )
        return tidied(program)

    def _question(self) -> Final:
        return read_question(Cursor(self._sections.text, *self._sections.question), self._layout, self)

    def _starts(self, initial: InitialState, threads: int) -> list[dict[str, int]]:
        """The registers that do not start at 0, for each thread."""
        starts: list[dict[str, int]] = [{} for _ in range(threads)]
        for (thread, _), start in initial.registers.items():
            if thread is not None and thread >= threads:
                self._sections.text.fail(f"there is no thread P{thread}", start.token.offset)
            name = self._register_name(start.token)
            for number in range(threads) if thread is None else (thread,):
                starts[number][name] = start.value % (1 << self._machine.word)
                if start.type is not None:
                    self._types[number, name] = min(start.type.bits, self._machine.word)
        return starts

    def _reachable(self, threads: tuple[Thread, ...]) -> list[Place]:
        """The locations whose addresses a thread may come to know, so that a computed address may be theirs."""
        values = {value for thread in threads for value in thread.initial}
        values |= {value for place in self._layout.places.values() for value in place.values}
        for thread in threads:
            for instruction in thread.code:
                for expr in operands(instruction):
                    values |= {part.value for part in parts(expr) if isinstance(part, Const)}
        return [place for place in self._layout.places.values() if any(place.contains(value) for value in values)]

    def _register_name(self, token: Token) -> str:
        """The name of the whole register that is written as `token`."""
        found = self._machine.register(token.text)
        if found is not None and found.name is not None:
            return found.name
        if token.text.startswith("%"):
            return token.text
        self._sections.text.fail(f"{self._machine.isa.value} has no register '{token.text}'", token.offset)

    # What the condition may speak of (question.Names)

    def register(self, thread: int, token: Token) -> InRegister:
        if thread >= self._threads:
            self._sections.text.fail(f"there is no thread P{thread}", token.offset)
        name = self._register_name(token)
        known = self._observed.setdefault(thread, [])
        if name not in known:
            known.append(name)
        found = self._machine.register(token.text)
        bits = self._machine.word if found is None else found.bits
        return InRegister(thread, name, min(bits, self._types.get((thread, name), bits)))

    def has_type(self, register: InRegister) -> bool:
        return (register.thread, register.register) in self._types

    def location(self, token: Token, slot: int | None) -> InMemory:
        place = self._layout.use(token.text)
        if not 0 <= (slot or 0) < len(place.values):
            self._sections.text.fail(f"{token.text} has no element {slot}", token.offset)
        return InMemory(place.name, slot if place.is_array else None, place.size(self._machine.word) or 64)
