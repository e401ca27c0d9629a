"""A `Program` as automata text.

The text means the same under TSO and under SC, with these differences in what the language can say: an assertion that
fails and an assumption that is false both leave the thread stuck; a wait spins; atomic updates are locked blocks; all
fences that do not flush the store buffer are no-ops; and values that wrap around do so only where the range ends at a
power of two.
"""

from __future__ import annotations

from collections.abc import Iterator

from fencepost.program.analysis.conditions import is_boolean
from fencepost.program.assembler import constant, negate
from fencepost.program.expr import Binary, Const, Expr, ReadValue, Reg, Unary, parts, substitute
from fencepost.program.form import (
    MEMORY,
    Access,
    Assert,
    Assign,
    Assume,
    BlockingCas,
    Branch,
    Cas,
    Choose,
    Fence,
    Instruction,
    Jump,
    Load,
    Lock,
    Program,
    Ref,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
    Thread,
    Unlock,
    Use,
    Wait,
)
from fencepost.program.orders import FenceKind, Order
from fencepost.program.printer import show_instruction

from .parser import BINARY, THREAD_WORDS

_FULL_FENCES = (FenceKind.SEQ_CST, FenceKind.MFENCE)
_DEFAULT_MEMORY = 10


class NotExpressibleError(ValueError):
    """The program uses something that automata text has no words for."""


def to_automata(program: Program) -> str:
    """`program` as automata text. Raises NotExpressibleError for what cannot be said in it."""
    addresses = _addresses(program)
    lines = [f"# {name} is at address {at}" for name, at in addresses.items() if name != f"[{at}]"]
    size = max((at + program.location(name).size for name, at in addresses.items()), default=0)
    if size > _DEFAULT_MEMORY:
        lines.append(f"memory_size {size}")
    for name, thread in zip(_words([thread.name for thread in program.threads]), program.threads, strict=True):
        lines += ["", *_ThreadWriter(program, thread, name, addresses).lines()]
    return "\n".join(lines).lstrip("\n") + "\n"


def _addresses(program: Program) -> dict[str, int]:
    """Where each location is: where the program says, or one after the other."""
    if all(location.address is not None and location.stride == 1 for location in program.locations):
        return {location.name: location.address for location in program.locations if location.address is not None}
    if any(
        isinstance(instruction, Access) and instruction.ref.location == MEMORY
        for thread in program.threads
        for instruction in thread.code
    ):
        raise NotExpressibleError("addresses are computed in steps other than 1")
    addresses, free = {}, 0
    for location in program.locations:
        addresses[location.name] = free
        free += location.size
    return addresses


def _words(names: list[str]) -> list[str]:
    """The names without blanks, and all different."""
    words: list[str] = []
    for name in names:
        word = "".join("_" if character.isspace() else character for character in name) or "_"
        while word in words:
            word += "'"
        words.append(word)
    return words


class _ThreadWriter:
    """One thread. Every pc is a state, but a jump is its target, and an arm of a choice is part of the choice."""

    def __init__(self, program: Program, thread: Thread, name: str, addresses: dict[str, int]) -> None:
        self.program = program
        self.thread = thread
        self.name = name
        self.addresses = addresses
        self.places = dict(
            zip((pc for pc, _ in thread.places), _words([name for _, name in thread.places]), strict=True)
        )
        self.registers = {old: self.register(old) for old in thread.registers}
        self.fresh = 0
        self.transitions: list[str] = []
        self.written: set[int] = set()

    @staticmethod
    def register(name: str) -> str:
        plain = name not in (*BINARY, *THREAD_WORDS, "!", "^", "#") and not name[0].isdigit() and name[0] not in "+-#"
        return name if plain else f"r_{name}"

    def lines(self) -> list[str]:
        start = self.state(0)
        initial = {old: value for old, value in self.thread.initial_registers().items() if value != 0}
        for old, value in reversed(list(initial.items())):
            before = self.new_state()
            self.say(before, start, f"local {self.registers[old]} {value}")
            start = before
        waiting = [self.target(0)]
        while waiting:
            pc = waiting.pop()
            if pc in self.written or pc >= len(self.thread.code):
                continue
            self.written.add(pc)
            waiting += reversed([self.target(after) for after in self.write(self.state(pc), pc)])
        star = " *" if self.thread.any_number else ""
        return [f"thread {self.name}{star}", f"initial {start}", *self.transitions, "end"]

    # States

    def target(self, pc: int) -> int:
        """Where control is when it comes to `pc`: jumps that are no places of their own are followed."""
        seen = set()
        while pc < len(self.thread.code) and pc not in self.places and pc not in seen:
            instruction = self.thread.code[pc]
            if not isinstance(instruction, Jump):
                break
            seen.add(pc)
            pc = instruction.target
        return pc

    def state(self, pc: int) -> str:
        pc = self.target(pc)
        return self.places.get(pc) or self.unused(f"{'done' if pc >= len(self.thread.code) else pc}.")

    def new_state(self) -> str:
        self.fresh += 1
        return self.unused(f"{self.fresh}'")

    def unused(self, name: str) -> str:
        return name + "'" * sum(place.rstrip("'") == name.rstrip("'") for place in self.places.values())

    def say(self, source: str, target: str, command: str) -> None:
        self.transitions.append(f"transition {source} {target} {command}")

    # Instructions

    def write(self, here: str, pc: int) -> list[int]:
        """The transitions that leave `here` with the instruction at `pc`; the places where control goes on."""
        instruction = self.thread.code[pc]
        following = self.state(pc + 1)
        match instruction:
            case Jump(target):
                if target < len(self.thread.code) or pc not in self.places:
                    self.say(here, self.state(target), "noop")
                    return [target]
                return []
            case Branch(condition, target):
                self.say(here, following, f"check {self.show(negate(condition))}")
                self.say(here, self.state(target), f"check {self.show(condition)}")
                return [pc + 1, target]
            case Choose(targets):
                return [after for target in dict.fromkeys(targets) for after in self.arm(here, target)]
        for source, to, command in self.commands(here, following, instruction):
            self.say(source, to, command)
        return [pc + 1]

    def arm(self, here: str, pc: int) -> list[int]:
        instruction = self.thread.code[pc] if pc < len(self.thread.code) else None
        simple = isinstance(instruction, Assign | Load | Store | Assume | Fence | Lock | Unlock)
        if pc not in self.places and simple and not self.is_target(pc):
            return self.write(here, pc)
        self.say(here, self.state(pc), "noop")
        return [pc]

    def is_target(self, pc: int) -> bool:
        """Whether control comes to `pc` from elsewhere than a choice."""
        before = self.thread.code[pc - 1] if pc > 0 else None
        falls = before is not None and not isinstance(before, Jump | Choose)
        jumps = any(isinstance(i, Jump | Branch) and i.target == pc for i in self.thread.code)
        choices = sum(i.targets.count(pc) for i in self.thread.code if isinstance(i, Choose))
        return pc == 0 or falls or jumps or choices > 1

    def commands(self, here: str, following: str, instruction: Instruction) -> Iterator[tuple[str, str, str]]:
        match instruction:
            case Assign(reg, value):
                yield here, following, f"local {self.registers[reg]} {self.stored(value)}"
            case Assume(condition) | Assert(condition):
                yield here, following, f"check {self.show(condition)}"
            case Fence(kind) if kind in _FULL_FENCES:
                yield here, following, "mfence"
            case Lock():
                yield here, following, "lock"
            case Unlock():
                yield here, following, "unlock"
            case Fence() | Use():
                yield here, following, "noop"
            case Load() | Store() | Rmw() | Cas() | BlockingCas() | Wait():
                at, bias, inside = self.address(instruction.ref)
                if inside is not None:
                    checked = self.new_state()
                    yield here, checked, f"check {self.show(inside)}"
                    here = checked
                yield from self.access(here, following, instruction, at, bias)
            case _:
                raise NotExpressibleError(f"automata text has no {show_instruction(instruction)}")

    def access(self, here: str, following: str, access: Access, at: str, bias: int) -> Iterator[tuple[str, str, str]]:
        """`bias` is what the location holds at the start: memory starts at 0, so values are stored less that."""
        old = Reg("old'")
        read = f"read {self.show(old)} {at}"
        unbias = f"local {self.show(old)} {self.show(Binary('+', old, Const(bias)))}"

        def write(value: Expr) -> str:
            text = self.stored(value)
            return f"write {text if bias == 0 else f'- {text} {bias}'} {at}"

        match access:
            case Load(reg) if bias == 0:
                yield here, following, f"read {self.registers[reg]} {at}"
                return
            case Store(_, value, order) if order is not Order.SEQ_CST:
                yield here, following, write(value)
                return
            case Store(_, value):
                locked, done = self.new_state(), self.new_state()
                yield here, locked, "lock"
                yield locked, done, write(value)
                yield done, following, "unlock"
                return
            case StoreConditional():
                raise NotExpressibleError(f"automata text has no {show_instruction(access)}")
        start = here
        if isinstance(access, Rmw | Cas | BlockingCas):
            locked = self.new_state()
            yield here, locked, "lock"
            here = locked
        got = self.new_state()
        yield here, got, read
        if bias:
            seen = self.new_state()
            yield got, seen, unbias
            got = seen
        result = following
        register = None if isinstance(access, BlockingCas) else access.reg
        if register is not None:
            result = self.new_state()
            yield result, following, f"local {self.registers[register]} {self.show(old)}"
        match access:
            case Load():
                yield got, result, "noop"
            case Wait(_, _, until, _):
                condition = self.show(_with(until, old))
                yield got, result, f"check {condition}"
                yield got, start, f"check {self.show(negate(_with(until, old)))}"
            case Rmw(_, op, _, operand, _):
                done = self.new_state()
                yield got, done, write(_updated(op, old, _with(operand, old)))
                yield done, result, "unlock"
            case Cas(_, _, expected, desired, _, _) | BlockingCas(_, expected, desired, _):
                equal, done, differs = self.new_state(), self.new_state(), self.new_state()
                wanted = self.stored(expected)
                yield got, equal, f"check == {self.show(old)} {wanted}"
                yield equal, done, write(desired)
                yield done, result, "unlock"
                yield got, differs, f"check != {self.show(old)} {wanted}"
                yield differs, start if isinstance(access, BlockingCas) else result, "unlock"

    def address(self, ref: Ref) -> tuple[str, int, Expr | None]:
        """The address, what is there at the start, and what must hold for it to be one of the location's."""
        if ref.location == MEMORY and ref.index is not None:
            if any(any(location.initial) for location in self.program.locations):
                raise NotExpressibleError("with computed addresses, memory can only start at 0")
            return self.show(ref.index), 0, None
        location = self.program.location(ref.location)
        base = Const(self.addresses[ref.location])
        index = Const(0) if ref.index is None else ref.index
        known = constant(index)
        if known is not None and 0 <= known < location.size:
            return str(base.value + known), location.initial[known], None
        if len(set(location.initial)) > 1:
            raise NotExpressibleError(f"the slots of {location.name} start with different values")
        inside = Binary("&&", Binary(">=", index, Const(0)), Binary("<", index, Const(location.size)))
        return self.show(Binary("+", base, index)), location.initial[0], inside

    # Expressions

    def stored(self, value: Expr) -> str:
        """`value` as it is once stored: wrapped into the program's range."""
        known = constant(value)
        if known is not None:
            return str(self.program.wrap(known))
        if isinstance(value, Reg) or is_boolean(value) or not self.program.wraps:
            return self.show(value)
        size = self.program.max_value + 1
        if self.program.min_value != 0 or size & (size - 1):
            raise NotExpressibleError(f"values modulo {size} cannot be said: only powers of two can")
        return self.show(Binary("&", value, Const(size - 1)))

    def show(self, expr: Expr) -> str:
        match expr:
            case Const(value):
                return str(value)
            case Reg(name):
                return self.registers.get(name, name)
            case Unary("!", arg):
                return f"! {self.show(arg)}"
            case Unary("-", arg):
                return f"- 0 {self.show(arg)}"
            case Unary(_, arg):
                return f"- -1 {self.show(arg)}"
            case Binary("|", left, right):
                return self.show(Binary("-", Binary("+", left, right), Binary("&", left, right)))
            case Binary("^", left, right):
                both = Binary("&", left, right)
                return self.show(Binary("-", Binary("+", left, right), Binary("+", both, both)))
            case Binary(op, left, right) if op in BINARY:
                return f"{op} {self.show(left)} {self.show(right)}"
            case Binary(op, _, _):
                raise NotExpressibleError(f"automata text has no operator {op}")
            case ReadValue():
                raise NotExpressibleError("automata text has no name for the value that is read")


def _with(expr: Expr, old: Reg) -> Expr:
    """`expr` with the register `old` for the value that is read."""
    if not any(isinstance(part, ReadValue) for part in parts(expr)):
        return substitute(expr, {})
    match expr:
        case Unary(op, arg):
            return Unary(op, _with(arg, old))
        case Binary(op, left, right):
            return Binary(op, _with(left, old), _with(right, old))
    return old


def _updated(op: RmwOp, old: Expr, operand: Expr) -> Expr:
    return operand if op in (RmwOp.EXCHANGE, RmwOp.UPDATE) else Binary(op.value, old, operand)
