"""States and transitions to the program form.

A state becomes a place in the code (`Thread.places`), and the transitions that leave it what stands there: so a fence
put at the place is a fence before everything that leaves the state. An address becomes a location of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fencepost.frontends import InputError
from fencepost.program.analysis.ranges import Ranges, possible_ranges
from fencepost.program.assembler import constant, negate
from fencepost.program.expr import Binary, Const, Expr, Reg, parts, registers_of
from fencepost.program.form import (
    MEMORY,
    Access,
    Assign,
    Assume,
    Branch,
    Choose,
    Fence,
    Instruction,
    Isa,
    Jump,
    Load,
    Location,
    Lock,
    Program,
    Ref,
    Span,
    Store,
    Thread,
    Unlock,
    operands,
)
from fencepost.program.orders import FenceKind, Order

from .parser import LARGEST, SMALLEST, Automaton, Command, Text, Transition, Word

DEFAULT_MEMORY = 10  # addresses 0..9, where the program itself does not tell
SLACK = 8  # beyond the constants that occur, where the values have no bound
LARGEST_GUESS = 1 << 20  # of constants; what is computed from them may have no end
LARGEST_COMPUTED = 1 << 10
MAX_CELLS = 4096  # more could not be searched
LANGUAGE = "automata"


def lower(text: Text, name: str, file: str, source: str) -> Program:
    """The program that `text` describes. Raises InputError."""
    lowered = [_ThreadLowering(automaton) for automaton in text.threads]
    threads = tuple(lowering.run() for lowering in lowered)
    notes = [note for lowering in lowered for note in (*lowering.lock_notes(file), *lowering.idle_notes())]
    program = Program(
        name,
        _locations(_constant_addresses(threads)),
        threads,
        max_value=LARGEST,
        min_value=SMALLEST,
        wraps=False,
        isa=Isa.X86,
        notes=(*_notes(text, threads), *notes),
        source=source,
        language=LANGUAGE,
    )
    ranges = possible_ranges(program)
    addresses = _constant_addresses(threads) | _computed_addresses(text, ranges)
    if len(addresses) > MAX_CELLS:
        raise InputError(
            f"the program may use {len(addresses):,} addresses, and {MAX_CELLS:,} are supported", file=file
        )
    low, high, elastic = _range(program, ranges, addresses)
    return replace(program, locations=_locations(addresses), min_value=low, max_value=high, elastic=elastic)


def cell_name(address: int) -> str:
    return f"[{address}]"


def _locations(addresses: frozenset[int]) -> tuple[Location, ...]:
    return tuple(Location(cell_name(address), address=address) for address in sorted(addresses))


def _constant_addresses(threads: Sequence[Thread]) -> frozenset[int]:
    return frozenset(
        int(instruction.ref.location[1:-1])
        for thread in threads
        for instruction in thread.code
        if isinstance(instruction, Access) and instruction.ref.location != MEMORY
    )


def _computed_addresses(text: Text, ranges: Ranges) -> frozenset[int]:
    """Those that accesses by computed address may go to; the whole memory where that is not known."""
    found: set[int] = set()
    for known in ranges.addresses.values():
        size = DEFAULT_MEMORY if text.memory_size is None else text.memory_size
        found |= frozenset(range(min(size, MAX_CELLS + 1))) if known is None else known
    return frozenset(found)


def _range(program: Program, ranges: Ranges, addresses: frozenset[int]) -> tuple[int, int, bool]:
    """The values that runs are followed with: all that can occur or, as a guess, some more than occur in the text."""
    values = ranges.values()
    computed = any(
        isinstance(instruction, Access) and instruction.ref.location == MEMORY
        for thread in program.threads
        for instruction in thread.code
    )
    if values is not None:
        everything = values | {0} | (addresses if computed else frozenset())
        if min(everything) >= SMALLEST and max(everything) <= LARGEST:
            return min(everything), max(everything), False
    used = [
        part
        for thread in program.threads
        for instruction in thread.code
        for expr in operands(instruction)
        for part in parts(expr)
    ]
    constants = {part.value for part in used if isinstance(part, Const)}
    known = {value for value in ranges.finite_values() if abs(value) <= LARGEST_COMPUTED}
    likely = known | {value for value in constants if abs(value) <= LARGEST_GUESS} | {0}
    likely |= addresses if computed else set()
    low = min(likely)
    falls = low < 0 or any(isinstance(part, Binary) and part.op == "-" for part in used)
    return (low - SLACK if falls else 0), max(likely) + SLACK, True


def _notes(text: Text, threads: Sequence[Thread]) -> list[str]:
    """What is allowed and probably not meant."""
    notes = []
    for automaton, thread in zip(text.threads, threads, strict=True):
        if thread.name.endswith("*"):
            notes.append(
                f"line {automaton.name.line}: the star is part of the name {thread.name}, so this is one thread; "
                f"any number of them is written thread {thread.name.rstrip('*')} *"
            )
        if len(automaton.initial) > 1:
            notes.append(f"thread {thread.name} starts in any of its initial states: {', '.join(automaton.initial)}")
        written = {transition.command.register for transition in automaton.transitions}
        for instruction in thread.code:
            index = instruction.ref.index if isinstance(instruction, Access) else None
            if isinstance(index, Reg) and index.name not in written:
                place = "" if instruction.span is None else f"line {instruction.span.line}: "
                notes.append(
                    f"{place}the address '{index.name}' is a register that thread {thread.name} never writes, "
                    "so it is always 0"
                )
    return list(dict.fromkeys(notes))


_Point = tuple[str, bool]  # a state, and whether the thread has locked the memory there


@dataclass(frozen=True, slots=True)
class _ToState:
    """A jump whose target is not known yet."""

    point: _Point
    span: Span | None


class _ThreadLowering:
    """The code of one automaton, states in the order in which a depth-first search meets them.

    A state to which control comes both with and without the lock has two copies: so the lock is a matter of the pc.
    """

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.leaving: dict[str, list[Transition]] = {}
        for transition in automaton.transitions:
            self.leaving.setdefault(transition.source, []).append(transition)
        self.code: list[Instruction | _ToState] = []
        self.place: dict[_Point, int] = {}
        self.waiting: list[_Point | None] = []
        self.locking: dict[Word, set[bool]] = {}  # for each lock and unlock: whether it is possible, wherever it is met
        self.locked_ends: list[str] = []

    def run(self) -> Thread:
        self.start()
        while self.waiting:
            point = self.waiting.pop()
            while point is not None and point not in self.place:
                point = self.state(point)
        end = len(self.code)
        code = tuple(
            Jump(self.place[item.point], span=item.span) if isinstance(item, _ToState) else item for item in self.code
        )
        names = sorted((pc, name) for (name, _), pc in self.place.items())
        return Thread(
            self.automaton.name.text,
            tuple(sorted(_registers(self.automaton))),
            tuple(Jump(end, span=i.span) if isinstance(i, Jump) and i.target < 0 else i for i in code),
            span=self.automaton.name.span,
            places=tuple(names),
            any_number=self.automaton.any_number,
        )

    def start(self) -> None:
        if len(self.automaton.initial) == 1:
            self.waiting.append((self.automaton.initial[0], False))
            return
        self.code.append(Choose(tuple(range(1, len(self.automaton.initial) + 1))))
        for state in self.automaton.initial:
            self.goto((state, False), self.automaton.name.span)

    def state(self, point: _Point) -> _Point | None:
        """Adds the code of a state; the one that control falls through to, if any, must follow."""
        self.place[point] = len(self.code)
        state, held = point
        match self.leaving.get(state, []):
            case [] if held:  # for ever
                self.stuck(None)
                self.locked_ends.append(state)
            case []:
                self.code.append(Jump(-1))
            case [only]:
                return self.arm(only, held)
            case [one, other] if _are_opposite(one.command, other.command):
                branch = len(self.code)
                self.code.append(Jump(-1))
                self.goto((one.target, held), one.command.word.span)
                self.code[branch] = Branch(_condition(other.command), len(self.code), span=other.command.word.span)
                self.goto((other.target, held), other.command.word.span)
            case several:
                choice = len(self.code)
                self.code.append(Jump(-1))
                arms = []
                for transition in several:
                    arms.append(len(self.code))
                    self.arm(transition, held, falls_through=False)
                self.code[choice] = Choose(tuple(arms), span=several[0].command.word.span)
        return None

    def arm(self, transition: Transition, held: bool, *, falls_through: bool = True) -> _Point | None:
        """The state that control falls through to, if any."""
        command = transition.command
        instruction = _instruction(command)
        if command.name in ("lock", "unlock"):
            possible = held is (command.name == "unlock")
            self.locking.setdefault(command.word, set()).add(possible)
            held = command.name == "lock"
            if not possible:  # Table 7.1: it waits for ever
                self.stuck(command.word.span)
                return None
        if instruction is not None:
            self.code.append(instruction)
        if instruction is not None and falls_through and (transition.target, held) not in self.place:
            return transition.target, held
        self.goto((transition.target, held), command.word.span)
        return None

    def stuck(self, span: Span | None) -> None:
        """Nothing follows: what stands after it need not agree about the lock."""
        self.code.append(Assume(Const(0), span=span))
        self.code.append(Jump(len(self.code), span=span))

    def goto(self, point: _Point, span: Span) -> None:
        self.code.append(_ToState(point, span))
        self.waiting.append(point)

    def idle_notes(self) -> Iterator[str]:
        """Transitions that are never taken: a misspelt state, most likely."""
        met = {state for state, _ in self.place}
        idle = {state: transitions[0].word.line for state, transitions in self.leaving.items() if state not in met}
        if idle:
            states = ", ".join(f"'{state}' (line {line})" for state, line in idle.items())
            yield f"thread '{self.automaton.name.text}': nothing leads to {states}, so what leaves there is never taken"

    def lock_notes(self, file: str) -> Iterator[str]:
        """What is strange about locks. Raises InputError for one that can never be taken, or given back."""
        sources = {transition.command.word: transition.source for transition in self.automaton.transitions}
        for word, possible in self.locking.items():
            where = f"thread '{self.automaton.name.text}', state '{sources[word]}'"
            what = "inside another lock" if word.text == "lock" else "without a lock before it"
            if True not in possible:
                hint = "every lock needs its unlock on every way from it, before the next lock"
                raise InputError(
                    f"{where}: {word.text} {what}", file=file, line=word.line, column=word.column, hint=hint
                )
            if False in possible:
                yield f"line {word.line}: {where}: control may also come to this {word.text} {what}, and gets stuck"
        for state in self.locked_ends:
            yield f"thread '{self.automaton.name.text}' may end in state '{state}', and then keeps the memory locked"


def _registers(automaton: Automaton) -> set[str]:
    names: set[str] = set()
    for transition in automaton.transitions:
        command = transition.command
        names |= registers_of(command.value) | registers_of(command.address)
        if command.register is not None:
            names.add(command.register)
    return names


def _are_opposite(one: Command, other: Command) -> bool:
    """Two checks of which exactly one is enabled."""
    if one.name != "check" or other.name != "check":
        return False
    return negate(_condition(one)) == _condition(other) or negate(_condition(other)) == _condition(one)


def _condition(check: Command) -> Expr:
    assert check.value is not None
    return check.value


def _instruction(command: Command) -> Instruction | None:
    span = command.word.span
    match command:
        case Command("write", value=value, address=address) if value is not None and address is not None:
            return Store(_ref(address), value, Order.RELAXED, span=span)
        case Command("read", register=str(register), address=address) if address is not None:
            return Load(register, _ref(address), Order.RELAXED, span=span)
        case Command("local", register=str(register), value=value) if value is not None:
            return Assign(register, value, span=span)
        case Command("check", value=value) if value is not None:
            return Assume(value, span=span)
        case Command("mfence"):
            return Fence(FenceKind.MFENCE, span=span)
        case Command("lock"):
            return Lock(span=span)
        case Command("unlock"):
            return Unlock(span=span)
    return None  # noop


def _ref(address: Expr) -> Ref:
    value = constant(address)
    return Ref(MEMORY, address) if value is None else Ref(cell_name(value))
