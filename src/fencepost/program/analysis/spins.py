"""What a thread does between a read and its repetition, executed symbolically."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..expr import Binary, Const, Expr, ReadValue, Reg, parts, substitute
from ..form import Assign, Branch, Cas, Instruction, Jump, Load, Program, Thread, Wait
from .conditions import choice, holds, stored
from .constants import known_constants
from .flow import flow_of, reachable
from .liveness import live_registers

_State = Mapping[str, Expr]  # what registers hold, in terms of the value read and of their values at the read

_STEPS = 500  # instructions executed per read; a loop that only waits takes a handful
_PARTS = 100  # of an expression


class Spins:
    """The reads of one thread that may be repeated without effect."""

    def __init__(self, program: Program, thread: Thread) -> None:
        self.program = program
        self.thread = thread
        self.live = live_registers(thread)
        self.known = known_constants(program, thread)
        local = [isinstance(instruction, Assign | Branch | Jump) for instruction in thread.code]
        before = flow_of(thread).predecessors
        self.local_predecessors = tuple(tuple(pc for pc in places if local[pc]) for places in before)
        self.places: dict[Instruction, list[int]] = {}
        for pc, instruction in enumerate(thread.code):
            if isinstance(instruction, Load | Wait | Cas):
                self.places.setdefault(instruction, []).append(pc)

    def at(self, pc: int) -> _State | None:
        """What is known of the registers when control comes to `pc`; None if it never does."""
        known = self.known[pc]
        if known is None:
            return None
        return {name: Const(known[name]) if name in known else Reg(name) for name in self.thread.registers}

    def exit_condition(self, pc: int) -> Expr | None:
        """The values with which control leaves the loop around the read at `pc`; None if the read does not spin.

        The condition, in normal form, is over `ReadValue()` and the registers as they are before the read. It is false
        iff control comes back to the read, or to an equal one, over assignments, branches and jumps alone and with
        every live register unchanged: then the iteration has done nothing.
        """
        access = self.thread.code[pc]
        before = self.at(pc)
        if not isinstance(access, Load | Wait | Cas) or before is None:
            return None
        again = frozenset(place for place in self.places[access] if self.same_continuation(pc + 1, place + 1))
        inside = reachable(self.local_predecessors, again)
        if pc + 1 not in inside:
            return None
        unchanged = {name: before[name] for name in self.live[pc]}
        iteration = _Iteration(self.thread.code, self.program.max_value, again, inside, unchanged)
        after = before if access.reg is None else {**before, access.reg: ReadValue()}
        leaves = iteration.leaves(pc + 1, after, frozenset(), tests_read=isinstance(access, Wait))
        return leaves if leaves is not None and not isinstance(leaves, Const) and _always_defined(leaves) else None

    def same_continuation(self, a: int, b: int) -> bool:
        """Whether a thread goes on in the same way from `a` and from `b`: equal assignments lead to one place."""
        code = self.thread.code
        for _ in code:
            a, b = self.landing(a), self.landing(b)
            if a == b:
                return True
            if max(a, b) == len(code) or not isinstance(code[a], Assign) or code[a] != code[b]:
                return False
            a, b = a + 1, b + 1
        return False

    def landing(self, pc: int) -> int:
        """Where jumps lead from `pc`."""
        jumps = set()
        while pc < len(self.thread.code) and pc not in jumps:
            instruction = self.thread.code[pc]
            if not isinstance(instruction, Jump):
                break
            jumps.add(pc)
            pc = instruction.target
        return pc


@dataclass(slots=True)
class _Iteration:
    """What happens after one read, up to the next instruction that is not local."""

    code: tuple[Instruction, ...]
    max_value: int
    again: frozenset[int]  # arriving here with `unchanged` registers, the iteration has done nothing
    inside: frozenset[int]  # from here, `again` can be reached over local instructions
    unchanged: _State
    steps: int = _STEPS

    def leaves(self, pc: int, state: _State, seen: frozenset[int], *, tests_read: bool) -> Expr | None:
        """When control that is at `pc` does not come back unchanged; None if that is too long to say.

        None also if some way does not depend on the value read (`tests_read`: it already does). A load need not matter
        to the observational notion, a wait does: only a load that is looked at in any case may become a wait.
        """
        while pc in self.inside and pc not in self.again and pc not in seen:
            seen |= {pc}
            self.steps -= 1
            if self.steps < 0:
                return None
            match self.code[pc]:
                case Jump(target):
                    pc = target
                case Assign(reg, value):
                    result = stored(substitute(value, state), self.max_value)
                    if sum(1 for _ in parts(result)) > _PARTS:
                        return None
                    state = {**state, reg: result}
                    pc += 1
                case Branch(condition, target):
                    test = holds(substitute(condition, state))
                    if isinstance(test, Const):
                        pc = target if test.value else pc + 1
                        continue
                    tests_read |= ReadValue() in parts(test)
                    taken = self.leaves(target, state, seen, tests_read=tests_read)
                    passed = self.leaves(pc + 1, state, seen, tests_read=tests_read)
                    return None if taken is None or passed is None else choice(test, taken, passed)
        if not tests_read:
            return None
        back = pc in self.again and all(state[name] == value for name, value in self.unchanged.items())
        return Const(int(not back))


def _always_defined(expr: Expr) -> bool:
    """Whether `expr` divides by constants only, and not by 0."""
    divisors = (part.right for part in parts(expr) if isinstance(part, Binary) and part.op in ("/", "%"))
    return all(isinstance(divisor, Const) and divisor.value for divisor in divisors)
