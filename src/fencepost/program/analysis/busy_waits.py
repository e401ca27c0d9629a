"""Loops that only wait, made blocking.

A stale value that a spinning loop reads and then ignores is a benign violation of robustness: blocking instructions
mask it (observational-robustness-rc20, section 2, after Lahav and Margalit 2019).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..expr import Binary, Const, Expr, ReadValue, Reg, both, evaluate, registers_of, show, substitute
from ..form import (
    MEMORY,
    Access,
    Assign,
    BlockingCas,
    Cas,
    Instruction,
    Load,
    Program,
    Ref,
    Span,
    Thread,
    Wait,
)
from ..orders import Mark, Order
from .conditions import decided, folded, stored, with_read
from .rewrite import replace_instructions
from .spins import Spins

_ENUMERATED = 1024  # programs with no more values: conditions are tried out rather than reasoned about


@dataclass(frozen=True, slots=True)
class BusyLoop:
    """A read that spun, and blocks now."""

    thread: int
    span: Span | None
    what: str  # "load of x until r == 0"


def block_busy_waits(program: Program) -> tuple[Program, tuple[BusyLoop, ...]]:
    """`program` with blocking instructions in place of reads that only spin, and what these were.

    A `Load` (atomic) or a `Wait` becomes a `Wait` for the values with which control leaves the loop around it; a `Cas`
    whose loop is left iff it succeeds becomes a `BlockingCas`, and its result, which is then known, an `Assign`. All
    else stays as it is: the branches that closed the loop now always leave it.

    When control comes back to the read (or to an equal one that goes on in the same way, as in
    `r = x.load(); while (r) { r = x.load(); }`), the iteration must have done nothing:
    - it is one read, assignments, branches and jumps: no other access, fence, choice, assumption, assertion or use;
    - every live register (`live_registers`) has the value that it had before the read; so each register that the
      iteration writes is written again before it is used, and what the read itself uses (index, expected and desired
      value) is the same in each iteration;
    - each way from the read, out of the loop or back, depends on a condition over the value read.
    Then the thread can drop such iterations from a run, and the run remains one; the other way round, a wait that ends
    is a read with which the loop is left. Only a thread that would spin for ever is now blocked instead. Other ways
    back to the read, which count iterations for example, are kept: a wait may end with them and be run again.
    """
    if not program.wraps:
        return program, ()  # the conditions below are about values modulo the program's range
    found: list[BusyLoop] = []
    threads: list[Thread] = []
    for number, thread in enumerate(program.threads):
        spins = Spins(program, thread)
        blocking: dict[int, tuple[Instruction, ...]] = {}
        for pc, instruction in enumerate(thread.code):
            new = _blocking(program, spins, pc)
            if new:
                blocking[pc] = new
                found.append(BusyLoop(number, instruction.span, _description(instruction, new[0])))
        threads.append(replace_instructions(thread, blocking) if blocking else thread)
    return (replace(program, threads=tuple(threads)) if found else program), tuple(found)


def _blocking(program: Program, spins: Spins, pc: int) -> tuple[Instruction, ...]:
    """What the read at `pc` becomes; empty if it stays."""
    access = spins.thread.code[pc]
    if not isinstance(access, Access) or access.ref.location == MEMORY:
        return ()
    if isinstance(access, Load) and (
        access.order is Order.NON_ATOMIC or not program.location(access.ref.location).atomic
    ):
        return ()  # a wait would hide a race
    leaves, before = spins.exit_condition(pc), spins.at(pc)
    if leaves is None or before is None:
        return ()
    match access:
        case Load(marks=marks) if Mark.EXCLUSIVE in marks:
            return ()  # a store-conditional belongs to it
        case Load(reg, ref, order):
            return (Wait(reg, ref, leaves, order, marks=access.marks, span=access.span),)
        case Wait(until=until):
            return (replace(access, until=both(until, leaves)),)
        case Cas(str(reg), ref, expected, desired, success, _):
            wanted = stored(substitute(expected, before), program.max_value)
            if _is_equality(leaves, wanted, program.max_value):
                span = access.span
                return (
                    BlockingCas(ref, wanted, desired, success, marks=access.marks, span=span),
                    Assign(reg, wanted, span=span),
                )
    return ()


def _is_equality(leaves: Expr, wanted: Expr, max_value: int) -> bool:
    """Whether the condition `leaves` surely means that the value read is `wanted`."""
    if isinstance(wanted, Const) and not registers_of(leaves) and max_value < _ENUMERATED:
        return all(bool(evaluate(leaves, {}, read)) == (read == wanted.value) for read in range(max_value + 1))

    def if_equal(op: str, left: Expr, right: Expr) -> bool | None:
        left, right = with_read(left, wanted), with_read(right, wanted)
        if left == right:
            return op in ("==", "<=", ">=")
        result = folded(Binary(op, left, right))
        return result.value != 0 if isinstance(result, Const) else None

    def if_not(op: str, left: Expr, right: Expr) -> bool | None:
        compared = (left, right) in ((ReadValue(), wanted), (wanted, ReadValue()))
        return op == "!=" if compared and op in ("==", "!=") else None

    return decided(leaves, if_equal) is True and decided(leaves, if_not) is False


def _description(old: Instruction, new: Instruction) -> str:
    match new:
        case Wait(reg, ref, until, _):
            condition = until if reg is None else with_read(until, Reg(reg))
            return f"{'load of' if isinstance(old, Load) else 'wait for'} {_place(ref)} until {show(condition)}"
        case BlockingCas(ref, expected, _, _):
            return f"CAS of {_place(ref)} until it finds {show(expected)}"
    raise ValueError(f"does not block: {new}")


def _place(ref: Ref) -> str:
    return ref.location if ref.index is None else f"{ref.location}[{show(ref.index)}]"
