"""Programs of our own form as C11 programs, for the sanitizer: each instruction becomes the C operation that means it.

Many programs make one file; which of them runs is told by the environment variable PROGRAM. Values are those of an
unsigned C type, so the range of a program must be one of theirs. `expressible` brings a program into that form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fencepost.program.expr import Binary, Const, Expr, ReadValue, Reg, Unary
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
    Program,
    Ref,
    Rmw,
    RmwOp,
    Store,
    Thread,
    Use,
    Wait,
)
from fencepost.program.orders import FenceKind, Order

_TYPES = {255: "unsigned char", 65535: "unsigned short", 2**32 - 1: "unsigned int"}
_ORDERS = {
    Order.RELAXED: "memory_order_relaxed",
    Order.ACQUIRE: "memory_order_acquire",
    Order.RELEASE: "memory_order_release",
    Order.ACQ_REL: "memory_order_acq_rel",
    Order.SEQ_CST: "memory_order_seq_cst",
}
_FENCES = {
    FenceKind.ACQUIRE: "memory_order_acquire",
    FenceKind.RELEASE: "memory_order_release",
    FenceKind.ACQ_REL: "memory_order_acq_rel",
    FenceKind.SEQ_CST: "memory_order_seq_cst",
}
_FETCHES = {
    RmwOp.ADD: "atomic_fetch_add_explicit",
    RmwOp.SUB: "atomic_fetch_sub_explicit",
    RmwOp.AND: "atomic_fetch_and_explicit",
    RmwOp.OR: "atomic_fetch_or_explicit",
    RmwOp.XOR: "atomic_fetch_xor_explicit",
    RmwOp.EXCHANGE: "atomic_exchange_explicit",
}

_PRELUDE = """\
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "fencepost.h"

int __fencepost_choose(int count);

/* clang makes a load of an update that changes nothing, and a store of an exchange whose result is not used, should it
   know that. */
static inline long long opaque(long long value) {
  __asm__ volatile("" : "+r"(value));
  return value;
}
"""


def expressible(program: Program) -> Program:
    """The program with values 0 to 255, and without orders of failing CAS that C compilers make stronger."""

    def change(instruction: Instruction) -> Instruction:
        if isinstance(instruction, Cas) and not instruction.success.is_at_least(instruction.failure):
            return replace(instruction, failure=Order.RELAXED)
        return instruction

    threads = tuple(
        replace(thread, code=tuple(change(instruction) for instruction in thread.code)) for thread in program.threads
    )
    return replace(program, threads=threads, max_value=255)


def to_c(programs: Sequence[Program]) -> str:
    """A C file: its main runs the program that PROGRAM names, by number."""
    parts = [_PRELUDE]
    parts += [_Writer(number, program).text() for number, program in enumerate(programs)]
    cases = "".join(f"    case {number}: return run_{number}();\n" for number in range(len(programs)))
    parts.append(
        'int main(void) {\n  switch (atoi(getenv("PROGRAM"))) {\n' + cases + "  }\n  return 3;\n}\n",
    )
    return "\n".join(parts)


class _Writer:
    def __init__(self, number: int, program: Program) -> None:
        if program.min_value != 0 or not program.wraps or program.max_value not in _TYPES:
            raise ValueError("the values of the program are not those of an unsigned C type")
        self.number = number
        self.program = program
        self.type = _TYPES[program.max_value]
        self.helpers: list[str] = []

    def text(self) -> str:
        # Not static: compilers drop stores to what nobody else can see and nobody reads.
        locations = [
            f"{'_Atomic ' if location.atomic else 'volatile '}{self.type} {self.name(location.name)}"
            f"[{location.size}] = {{{', '.join(map(str, location.initial))}}};\n"
            for location in self.program.locations
        ]
        threads = [self.thread(index, thread) for index, thread in enumerate(self.program.threads)]
        count = len(threads)
        create = "".join(
            f"  if (pthread_create(&threads[{index}], 0, thread_{self.number}_{index}, 0)) abort();\n"
            for index in range(count)
        )
        main = (
            f"static int run_{self.number}(void) {{\n  pthread_t threads[{count}];\n{create}"
            f"  for (int i = 0; i < {count}; ++i) pthread_join(threads[i], 0);\n  return 0;\n}}\n"
        )
        return "".join([*locations, *self.helpers, *threads, main])

    def name(self, location: str) -> str:
        return f"p{self.number}_{location}"

    def thread(self, index: int, thread: Thread) -> str:
        registers = {name: f"r[{place}]" for place, name in enumerate(thread.registers)}
        values = ", ".join(map(str, thread.initial_registers().values())) or "0"
        lines = [
            f"static void *thread_{self.number}_{index}(void *unused) {{",
            f"  long long r[{max(1, len(registers))}] = {{{values}}};",
            "  (void)unused; (void)r;",
        ]
        for pc, instruction in enumerate(thread.code):
            lines.append(f"l{pc}:; /* {type(instruction).__name__} */")
            lines += [f"  {line}" for line in self.instruction(index, pc, instruction, registers)]
        lines += [f"l{len(thread.code)}:", "  return 0;", "}", ""]
        return "\n".join(lines)

    def instruction(self, index: int, pc: int, instruction: Instruction, registers: dict[str, str]) -> list[str]:
        def value(expr: Expr) -> str:
            return _c(expr, registers)

        def wrapped(expr: Expr) -> str:
            return f"({self.type})({value(expr)})"

        def out(register: str | None, text: str) -> str:
            return f"{registers[register]} = {text};" if register is not None else f"(void){text};"

        match instruction:
            case Assign(register, expr):
                return [f"{registers[register]} = {wrapped(expr)};"]
            case Branch(condition, target):
                return [f"if ({value(condition)}) goto l{target};"]
            case Jump(target):
                return [f"goto l{target};"]
            case Choose(targets):
                cases = "".join(f"case {number}: goto l{target}; " for number, target in enumerate(targets))
                return [f"switch (__fencepost_choose({len(targets)})) {{ {cases}}}"]
            case Assume(condition) | Assert(condition):
                return [f"if (!({value(condition)})) return 0;"]
            case Use():
                return []
            case Fence(kind):
                return [f"atomic_thread_fence({_FENCES[kind]});"]

        if not isinstance(instruction, Load | Store | Rmw | Cas | BlockingCas | Wait):
            raise ValueError(f"C has no {type(instruction).__name__}")
        lines = self.index(instruction.ref, registers)
        place = f"&{self.name(instruction.ref.location)}[i]"
        match instruction:
            case Load(register, _, Order.NON_ATOMIC):
                lines.append(out(register, f"*({place})"))
            case Load(register, _, order):
                lines.append(out(register, f"atomic_load_explicit({place}, {_ORDERS[order]})"))
            case Store(_, expr, Order.NON_ATOMIC):
                lines.append(f"*({place}) = {wrapped(expr)};")
            case Store(_, expr, order):
                lines.append(f"atomic_store_explicit({place}, {wrapped(expr)}, {_ORDERS[order]});")
            case Rmw(register, op, _, operand, order):
                changed = f"({self.type})opaque({value(operand)})"
                lines.append(out(register, f"opaque({_FETCHES[op]}({place}, {changed}, {_ORDERS[order]}))"))
            case Cas(register, _, expected, desired, success, failure):
                lines.append(f"{self.type} expected = {wrapped(expected)};")
                lines.append(
                    f"fencepost_strong_cas({place}, &expected, {wrapped(desired)}, {_ORDERS[success]}, "
                    f"{_ORDERS[failure]});"
                )
                lines.append(out(register, "expected"))
            case BlockingCas(_, expected, desired, order):
                lines.append(
                    f"fencepost_blocking_cas({place}, {wrapped(expected)}, {wrapped(desired)}, {_ORDERS[order]});"
                )
            case Wait(register, _, until, order):
                lines += self.wait(f"{self.number}_{index}_{pc}", place, until, order, registers)
                lines.append(out(register, "seen"))
        return ["{", *(f"  {line}" for line in lines), "}"]

    def index(self, ref: Ref, registers: dict[str, str]) -> list[str]:
        """An index outside the array is a failed assertion: the thread ends."""
        if ref.index is None:
            return ["const long long i = 0;"]
        size = self.program.location(ref.location).size
        return [f"const long long i = {_c(ref.index, registers)};", f"if (i < 0 || i >= {size}) return 0;"]

    def wait(self, label: str, place: str, until: Expr, order: Order, registers: dict[str, str]) -> list[str]:
        self.helpers.append(
            f"static int holds_{label}(const void *registers, unsigned long long seen) {{\n"
            "  const long long *r = registers;\n  const long long value = (long long)seen;\n"
            f"  (void)r; (void)value;\n  return ({_c(until, registers)}) != 0;\n}}\n"
        )
        return [
            f"const struct fencepost_condition condition = {{holds_{label}, r}};",
            f"{self.type} seen;",
            f"fencepost_wait_begin({place}, FENCEPOST_HOLDS, (unsigned long long)&condition);",
            f"do seen = atomic_load_explicit({place}, {_ORDERS[order]}); while (!holds_{label}(r, seen));",
            "fencepost_wait_end();",
        ]


def _c(expr: Expr, registers: dict[str, str]) -> str:
    """The same in C, on long long; compile with -fwrapv."""
    match expr:
        case Const(value):
            return f"{value}LL"
        case Reg(name):
            return registers[name]
        case ReadValue():
            return "value"
        case Unary(op, arg):
            return f"({op}{_c(arg, registers)})"
        case Binary("<<" | ">>", _, _):
            raise ValueError("shifts of processors are not those of C")
        case Binary(op, left, right):
            return f"({_c(left, registers)} {op} {_c(right, registers)})"
