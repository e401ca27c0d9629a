"""Random programs, small enough for the definitions and close enough to known idioms to be interesting.

A program starts from a skeleton: either a known communication pattern or random accesses. Each access becomes one of
the instructions that read (write) there, with a random order; fences, uses of what was read, and control flow are then
sprinkled in. Sometimes a thread reads back what it has just written, or is a copy of another one.
`random_program(seed)` is a function of its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from random import Random

from fencepost.program.expr import Binary, Const, Expr, ReadValue, Reg
from fencepost.program.form import (
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
    Location,
    Program,
    Ref,
    Rmw,
    RmwOp,
    Span,
    Store,
    Thread,
    Use,
    Wait,
)
from fencepost.program.orders import FenceKind, Order


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    loops: bool = False  # backward jumps too: then the graphs are infinitely many, the states are not
    non_atomics: bool = False  # perhaps a non-atomic location
    max_events: int = 9  # memory accesses of a pattern that is being extended
    max_prefixes: int = 120  # product over the threads of 1 + their length: what the definitions' cost grows with


LOOP_FREE = Options()

# A pattern: per thread its accesses, "Wx" or "Rx". The letters are renamed at random.
PATTERNS = {
    "SB": ("Wx Ry", "Wy Rx"),
    "MP": ("Wx Wy", "Ry Rx"),
    "LB": ("Rx Wy", "Ry Wx"),
    "S": ("Wx Wy", "Ry Wx"),
    "R": ("Wx Wy", "Wy Rx"),
    "2+2W": ("Wx Wy", "Wy Wx"),
    "CoRR": ("Wx", "Rx Rx"),
    "CoWR": ("Wx Rx", "Wx"),
    "WRC": ("Wx", "Rx Wy", "Ry Rx"),
    "RWC": ("Wx", "Rx Ry", "Wy Rx"),
    "ISA2": ("Wx Wy", "Ry Wz", "Rz Rx"),
    "IRIW": ("Wx", "Wy", "Rx Ry", "Ry Rx"),
    "Z6": ("Wx Wy", "Wy Wz", "Wz Rx"),
    "seqlock": ("Wz Wx Wz", "Rz Rx Rz"),
    "handshake": ("Wx Wy Rz", "Ry Rx Wz"),
    "releases": ("Wx Wy", "Uy", "Ry Rx"),
    "lock": ("Uy Wx Wy", "Uy Rx Wy"),
    "far": ("Wy", "Wx", "Ry Rx"),
}
RARE = ("CoRR", "CoWR", "LB", "far")  # seldom anything but robust

REGISTERS = ("a", "b", "c")
LOADS = (Order.RELAXED, Order.ACQUIRE)
STORES = (Order.RELAXED, Order.RELEASE)
FENCES = (FenceKind.ACQUIRE, FenceKind.RELEASE, FenceKind.ACQ_REL, FenceKind.SEQ_CST)
OPERATIONS = (RmwOp.ADD, RmwOp.SUB, RmwOp.AND, RmwOp.OR, RmwOp.XOR, RmwOp.EXCHANGE)
UPDATES = (Order.RELAXED, Order.ACQUIRE, Order.RELEASE, Order.ACQ_REL)


def random_program(seed: int, options: Options = LOOP_FREE) -> Program:
    """The program number `seed` of this kind."""
    random = Random(f"{seed} {options}")
    while True:
        program = _Generator(random, options).program(f"random-{seed}")
        if _prefixes(program) <= options.max_prefixes:
            return program


def _prefixes(program: Program) -> int:
    """An SC fence counts as the three instructions that it stands for."""

    def length(code: Sequence[Instruction]) -> int:
        return sum(3 if instruction == Fence(FenceKind.SEQ_CST) else 1 for instruction in code)

    return prod(1 + length(thread.code) for thread in program.threads)


class _Generator:
    def __init__(self, random: Random, options: Options) -> None:
        self.random = random
        self.options = options
        self.max_value = random.choice((1, 1, 2, 3))
        self.strength = random.choice((0.1, 0.3, 0.6, 0.9))  # how often an access gets the strongest order
        self.fences = random.choice((0.0, 0.0, 0.1, 0.3))
        self.uses = random.choice((0.0, 0.3, 0.6))
        self.recent = "a"  # the register that was loaded last: most uses are of it
        self.locations: tuple[Location, ...] = ()

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # Programs and threads

    def program(self, name: str) -> Program:
        skeleton = self.pattern() if self.chance(0.75) else self.accesses()
        letters = sorted({access[1] for thread in skeleton for access in thread})
        self.locations = tuple(map(self.location, letters))
        threads = [self.thread(f"t{number}", accesses) for number, accesses in enumerate(skeleton)]
        if self.chance(0.1):
            one, other = self.random.sample(range(len(threads)), 2)
            threads[one] = replace(threads[other], name=threads[one].name)
        return _with_spans(Program(name, self.locations, tuple(threads), self.max_value))

    def pattern(self) -> list[list[str]]:
        """A known pattern, its letters and threads shuffled, perhaps with an access more or less."""
        names = [name for name in PATTERNS if name not in RARE] * 3 + list(RARE)
        threads = [thread.split() for thread in PATTERNS[self.random.choice(names)]]
        self.random.shuffle(threads)
        renamed = dict(zip("xyz", self.random.sample("xyz", 3), strict=True))
        if self.chance(0.1):
            one, other = self.random.sample("xyz", 2)
            renamed[one] = renamed[other]
        threads = [[access[0] + renamed[access[1]] for access in thread] for thread in threads]
        if self.chance(0.15):  # a thread that hears of itself
            thread = self.random.choice(threads)
            place, letter = self.random.randrange(len(thread) + 1), self.random.choice("xyz")
            thread[place:place] = [self.random.choice("WU") + letter, self.random.choice("RRU") + letter]
        while self.chance(0.6) and sum(map(len, threads)) < self.options.max_events:
            thread = self.random.choice(threads)
            thread.insert(self.random.randrange(len(thread) + 1), self.access("xyz"))
        if self.chance(0.2) and len(threads) < 4 and sum(map(len, threads)) < self.options.max_events:
            threads.append([self.access("xyz") for _ in range(self.random.choice((1, 1, 2)))])
        return threads

    def accesses(self) -> list[list[str]]:
        """Threads of two or three accesses, mostly not twice in a row to the same location."""
        letters = "xyz"[: self.random.choice((1, 2, 2, 2, 2, 2, 3))]
        threads = []
        for _ in range(self.random.choice((2, 2, 2, 3))):
            thread = [self.access(letters)]
            for _ in range(self.random.choice((1, 1, 2))):
                others = letters.replace(thread[-1][1], "") or letters
                thread.append(self.access(others if self.chance(0.8) else letters))
            threads.append(thread)
        return threads

    def access(self, letters: str) -> str:
        return self.random.choice("WWWRRRU") + self.random.choice(letters)

    def location(self, name: str) -> Location:
        initial = self.random.randint(0, self.max_value) if self.chance(0.1) else 0
        if self.options.non_atomics and self.chance(0.4):
            return Location(name, (initial,), atomic=False)
        return Location(name, (initial, 0) if self.chance(0.1) else (initial,))

    def thread(self, name: str, accesses: Sequence[str]) -> Thread:
        code: list[Instruction] = []
        for access in accesses:
            if self.chance(self.fences):
                code.append(Fence(self.random.choice(FENCES)))
            code.append(self.instruction(access))
            if self.chance(self.uses):
                code.append(self.use())
        if self.chance(0.15):
            code.insert(self.random.randrange(len(code) + 1), self.branch())
        if self.options.loops:
            while self.chance(0.5):
                place = self.random.randrange(len(code) + 1)
                code[place:place] = self.loop(place)
        code = _resolved(code)
        initial = tuple(self.random.randint(0, self.max_value) for _ in REGISTERS) if self.chance(0.05) else ()
        return Thread(name, REGISTERS, tuple(code), initial)

    # Instructions

    def instruction(self, access: str) -> Instruction:
        kind, name = access[0], access[1]
        location = next(location for location in self.locations if location.name == name)
        ref = self.place(location)
        if not location.atomic:
            return self.load(ref, Order.NON_ATOMIC) if kind == "R" else Store(ref, self.value(), Order.NON_ATOMIC)
        if kind == "U" or self.chance(0.08):
            return self.update(ref)
        if kind == "W":
            return Store(ref, self.value(), self.order(STORES))
        return self.wait(ref) if self.chance(0.15) else self.load(ref, self.order(LOADS))

    def place(self, location: Location) -> Ref:
        return Ref(location.name, self.index() if location.size > 1 else None)

    def order(self, orders: Sequence[Order]) -> Order:
        return orders[-1] if self.chance(self.strength) else self.random.choice(orders[:-1])

    def load(self, ref: Ref, order: Order) -> Load:
        self.recent = self.register()
        return Load(self.recent, ref, order)

    def update(self, ref: Ref) -> Instruction:
        register = self.register() if self.chance(0.7) else None
        order = self.order(UPDATES)
        match self.random.randrange(4):
            case 0:
                return Cas(register, ref, self.value(), self.value(), order, self.order(LOADS))
            case 1:
                return BlockingCas(ref, self.value(), self.value(), order)
        return Rmw(register, self.random.choice(OPERATIONS), ref, self.value(), order)

    def wait(self, ref: Ref) -> Wait:
        wanted: Expr = Binary(self.random.choice(("==", "==", "!=", ">=")), ReadValue(), self.value())
        if self.chance(0.2):
            wanted = Binary("||", wanted, Binary("==", ReadValue(), Const(0)))
        return Wait(self.register() if self.chance(0.5) else None, ref, wanted, self.order(LOADS))

    def use(self) -> Instruction:
        match self.random.randrange(6):
            case 0:
                return Assert(self.condition())
            case 1:
                return Assume(self.condition())
            case 2:
                return Assign(self.register(), self.value())
            case 3:
                return self.branch()
        return Use(self.source())

    def branch(self) -> Instruction:
        """A jump forwards: targets are relative here, and resolved when the thread is complete."""
        if self.chance(0.25):
            return Choose((0, self.random.randint(1, 2)))
        return Branch(self.condition(), self.random.randint(1, 3))

    def loop(self, place: int) -> list[Instruction]:
        """Instructions to be inserted at `place`, which jump backwards."""
        ref = self.place(self.random.choice(self.locations))
        atomic = next(location for location in self.locations if location.name == ref.location).atomic
        match self.random.randrange(6):
            case 0:  # for ever
                return [Jump(-self.random.randint(1, place + 1))]
            case 1:  # a number of times
                count = self.register()
                return [
                    Assign(count, Binary("+", Reg(count), Const(1))),
                    Branch(Binary("!=", Reg(count), self.constant()), -self.random.randint(2, place + 2)),
                ]
            case 2 if atomic:  # until something is read
                load = self.load(ref, self.order(LOADS))
                return [load, Branch(self.condition(), -2)]
            case 3 if atomic:  # read, then compare and swap what was read
                load = self.load(ref, self.order(LOADS))
                result = self.register()
                swap = Cas(result, ref, Reg(load.reg), self.value(), self.order(UPDATES), self.order(LOADS))
                return [load, swap, Branch(Binary("!=", Reg(result), Reg(load.reg)), -self.random.choice((2, 3)))]
            case 4 if atomic:  # compare and swap until it succeeds
                result, expected = self.register(), self.constant() if self.chance(0.7) else self.source()
                swap = Cas(result, ref, expected, self.value(), self.order(UPDATES), self.order(LOADS))
                return [swap, Branch(Binary("!=", Reg(result), expected), -2)]
        return [Branch(self.condition(), -self.random.randint(1, place + 1))]

    # Expressions

    def register(self) -> str:
        return self.random.choice(REGISTERS)

    def source(self) -> Expr:
        return Reg(self.recent if self.chance(0.6) else self.register())

    def constant(self) -> Const:
        return Const(self.random.randint(0, self.max_value))

    def value(self) -> Expr:
        match self.random.randrange(8):
            case 0:
                return self.source()
            case 1:
                return Binary(self.random.choice(("+", "-", "^", "==")), self.source(), self.constant())
            case 2:
                return self.constant()
        return Const(self.random.randint(1, self.max_value))

    def condition(self) -> Expr:
        if self.chance(0.1):
            return Binary("==", self.source(), self.source())
        return Binary(self.random.choice(("==", "!=")), self.source(), self.constant())

    def index(self) -> Expr:
        match self.random.randrange(4):
            case 0:
                return self.source()  # may lie outside the array
            case 1:
                return Binary("&", self.source(), Const(1))
        return Const(self.random.randrange(2))


def _resolved(code: Sequence[Instruction]) -> list[Instruction]:
    """Relative targets made absolute."""

    def target(place: int, distance: int) -> int:
        return max(0, min(place + 1 + distance, len(code)))

    def at(place: int, instruction: Instruction) -> Instruction:
        match instruction:
            case Branch(target=distance) | Jump(target=distance):
                return replace(instruction, target=target(place, distance))
            case Choose(targets=distances):
                return replace(instruction, targets=tuple(target(place, distance) for distance in distances))
        return instruction

    return [at(place, instruction) for place, instruction in enumerate(code)]


def _with_spans(program: Program) -> Program:
    """Every instruction on a line of its own, threads one after the other."""
    line = 0
    threads = []
    for thread in program.threads:
        code = []
        for instruction in thread.code:
            line += 1
            code.append(replace(instruction, span=Span(line, 1)))
        threads.append(replace(thread, code=tuple(code)))
    return replace(program, threads=tuple(threads))
