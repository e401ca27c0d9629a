"""Random programs for TSO: a few threads on few addresses, with what matters to store buffers in all combinations.

Plain and locked accesses, computed addresses, fences, locked blocks, checks, choices. `random_tso_program(seed)` is a
function of its argument. Loop-free unless asked.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from fencepost.program.analysis.locks import locked_places
from fencepost.program.expr import Binary, Const, Expr, ReadValue, Reg
from fencepost.program.form import (
    MEMORY,
    Assign,
    Assume,
    BlockingCas,
    Branch,
    Cas,
    Choose,
    Fence,
    Instruction,
    Isa,
    Load,
    Location,
    Lock,
    Program,
    Ref,
    Rmw,
    RmwOp,
    Store,
    Thread,
    Unlock,
    Wait,
)
from fencepost.program.orders import FenceKind, Order

REGISTERS = ("a", "b")
RELAXED = Order.RELAXED


def random_tso_program(seed: int, *, loops: bool = False) -> Program:
    random = Random(f"tso {seed}" + " loops" * loops)
    program = _Generator(random).program(f"tso-{seed}")
    if not loops:
        return program
    return replace(program, threads=tuple(_with_loop(thread, random) for thread in program.threads))


def _with_loop(thread: Thread, random: Random) -> Thread:
    """Often with a way back from the end to some place that is not inside a lock."""
    held = locked_places(thread)
    targets = [pc for pc in range(len(thread.code)) if not held[pc]]
    if random.random() < 0.4:
        return thread
    condition = Binary(random.choice(("==", "!=")), Reg(random.choice(REGISTERS)), Const(random.randint(0, 1)))
    return replace(thread, code=(*thread.code, Branch(condition, random.choice(targets))))


class _Generator:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.cells = random.choice((2, 2, 2, 3))
        self.fences = random.choice((0.0, 0.1, 0.25))
        self.locked = random.choice((0.0, 0.1, 0.25))
        self.computed = random.choice((0.0, 0.0, 0.3))
        self.control = random.choice((0.0, 0.15, 0.3))
        self.buffering = random.choice((0.0, 0.7, 0.9))
        self.max_value = random.choice((1, 2, 2))

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def program(self, name: str) -> Program:
        threads = self.random.choice((2, 2, 2, 3))
        accesses = 4 if threads == 2 else self.random.choice((2, 3))
        locations = tuple(Location(f"[{address}]", address=address) for address in range(self.cells))
        code = tuple(
            Thread(f"t{number}", REGISTERS, tuple(self.thread(number, self.random.randint(2, accesses))))
            for number in range(threads)
        )
        largest = max(self.max_value, self.cells - 1)
        return Program(name, locations, code, largest, isa=Isa.X86)

    def thread(self, number: int, accesses: int) -> list[Instruction]:
        """Often with the two accesses that make store buffering: a store, and later a load of what others store."""
        if not self.chance(self.buffering):
            return self.mixed(0, accesses)
        mine, theirs = (Ref(f"[{(number + step) % self.cells}]") for step in (0, 1))
        before = self.mixed(0, self.random.randint(0, accesses - 2))
        between = [Store(mine, self.value(), RELAXED)]
        between += self.mixed(len(before) + 1, self.random.randint(0, 1))
        return [*before, *between, Load(self.register(), theirs, RELAXED)]

    def mixed(self, start: int, accesses: int) -> list[Instruction]:
        """Instructions of all kinds, from pc `start` on."""
        code: list[Instruction] = []
        while accesses > 0:
            if self.chance(self.control):
                code += self.local(start + len(code))
            if self.chance(self.locked) and accesses > 1:
                block = [access for _ in range(2) for access in self.access(locked=False)]
                code += [Lock(), *block, Unlock()]
                accesses -= 2
                continue
            if self.chance(self.fences):
                code.append(Fence(self.random.choice((FenceKind.MFENCE, FenceKind.MFENCE, FenceKind.SFENCE))))
            code += self.access(locked=self.chance(self.locked))
            accesses -= 1
        return code

    def local(self, pc: int) -> list[Instruction]:
        """A check, a choice of values, an assignment, or a skipped assignment."""
        match self.random.randrange(4):
            case 0:
                return [Assume(self.condition())]
            case 1:  # pc: choose; pc + 1: one value; pc + 2: over the other; pc + 3: the other
                register = self.register()
                skip = Branch(Const(1), pc + 4)
                return [Choose((pc + 1, pc + 3)), Assign(register, Const(0)), skip, Assign(register, Const(1))]
            case 2:
                return [Assign(self.register(), Binary("+", Reg(self.register()), Const(1)))]
            case _:
                return [Branch(self.condition(), pc + 2), Assign(self.register(), Const(1))]

    def access(self, *, locked: bool) -> list[Instruction]:
        ref = self.ref()
        if locked:
            register = self.random.choice((None, self.register()))
            match self.random.randrange(3):
                case 0:
                    op = self.random.choice((RmwOp.ADD, RmwOp.EXCHANGE))
                    return [Rmw(register, op, ref, self.value(), RELAXED)]
                case 1:
                    return [Cas(register, ref, Const(0), self.value(), RELAXED, RELAXED)]
                case _:
                    return [BlockingCas(ref, Const(self.random.randint(0, 1)), self.value(), RELAXED)]
        match self.random.randrange(9):
            case 0 | 1 | 2 | 3:
                return [Store(ref, self.value(), RELAXED)]
            case 4 if self.chance(0.3):
                return [Wait(self.register(), ref, Binary("==", ReadValue(), Const(1)), RELAXED)]
            case 5 if self.chance(0.1):
                return [Store(ref, self.value(), Order.SEQ_CST)]
            case _:
                return [Load(self.register(), ref, RELAXED)]

    def ref(self) -> Ref:
        if self.chance(self.computed):
            return Ref(MEMORY, Binary("&", Reg(self.register()), Const(1)))
        return Ref(f"[{self.random.randrange(self.cells)}]")

    def register(self) -> str:
        return self.random.choice(REGISTERS)

    def value(self) -> Expr:
        return Const(self.random.randint(1, self.max_value)) if self.chance(0.7) else Reg(self.register())

    def condition(self) -> Expr:
        return Binary(self.random.choice(("==", "!=")), Reg(self.register()), Const(self.random.randint(0, 1)))
