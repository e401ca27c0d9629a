"""Registers that only limit how often a thread does something: `if (n < 4) { n = n + 1; .. }`.

Without its limit a program does all that it does with it, and more: what never goes wrong there never does here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..expr import Binary, Const, Expr, Reg, evaluate, registers_of
from ..form import Assign, Branch, Choose, Instruction, Program, Thread, operands, written_register
from .constants import known_constants
from .flow import Adjacency, flow_of, reachable


@dataclass(frozen=True, slots=True)
class Budget:
    """A register of a thread that is set to constants, counted up, and compared with constants."""

    thread: int
    register: str
    guards: frozenset[int]  # the branches that ask for it
    steps: frozenset[int]  # where it is counted up
    most: int  # so many steps at most are ever made


def budgets(program: Program) -> tuple[Budget, ...]:
    found = []
    for number, thread in enumerate(program.threads):
        for register in thread.registers:
            budget = _budget(program, number, thread, register)
            if budget is not None:
                found.append(budget)
    return tuple(found)


def without_limits(program: Program, limits: tuple[Budget, ...]) -> Program:
    """`program` with a free choice where a budget was asked for."""
    threads = list(program.threads)
    for budget in limits:
        code = list(threads[budget.thread].code)
        for pc in budget.guards:
            branch = code[pc]
            assert isinstance(branch, Branch), "guards are branches"
            code[pc] = Choose(tuple(dict.fromkeys((pc + 1, branch.target))), span=branch.span)
        threads[budget.thread] = replace(threads[budget.thread], code=tuple(code))
    return replace(program, threads=tuple(threads))


def times(thread: Thread, pc: int, limits: tuple[Budget, ...]) -> int | None:
    """At most so often control comes to `pc` (None: no bound is known); `limits` are budgets of the thread."""
    graph = flow_of(thread).successors
    if not _comes_back(graph, pc, frozenset()):
        return 1
    bounds = [1 + budget.most for budget in limits if not _comes_back(graph, pc, budget.steps)]
    return min(bounds, default=None)


def _comes_back(graph: Adjacency, pc: int, removed: frozenset[int]) -> bool:
    """Whether control can come to `pc` again without passing a place that is removed."""
    cut = tuple(() if place in removed else after for place, after in enumerate(graph))
    return pc not in removed and pc in reachable(cut, cut[pc])


def _budget(program: Program, number: int, thread: Thread, register: str) -> Budget | None:
    steps, settings, guards = set(), set(), set()
    for pc, instruction in enumerate(thread.code):
        if written_register(instruction) == register:
            match instruction:
                case Assign(_, Const()):
                    settings.add(pc)
                case Assign(_, Binary("+", Reg(name), Const(step))) if name == register and step > 0:
                    steps.add(pc)
                case _:
                    return None
        elif any(register in registers_of(expr) for expr in operands(instruction)):
            if not isinstance(instruction, Branch):
                return None
            guards.add(pc)
    if not steps or not guards or not program.wraps:
        return None
    graph = flow_of(thread).successors
    if any(_comes_back(graph, pc, frozenset()) for pc in settings):
        return None
    limit = _limit(program, thread, register, guards, steps, frozenset(steps | settings))
    if limit is None:
        return None
    rounds = 1 + len(settings)  # it is counted up from the start, and from each setting
    return Budget(number, register, frozenset(guards), frozenset(steps), rounds * (limit + 1))


def _limit(
    program: Program, thread: Thread, register: str, guards: set[int], steps: set[int], writes: frozenset[int]
) -> int | None:
    """The largest value with which it is ever counted up; None if nothing always asks before."""
    known = known_constants(program, thread)
    largest_step = max(_step(thread.code[pc]) for pc in steps)
    edges: list[tuple[int, ...]] = list(flow_of(thread).successors)
    limit = 0
    for pc in guards:
        branch, constants = thread.code[pc], known[pc]
        assert isinstance(branch, Branch), "guards are branches"
        if constants is None or not registers_of(branch.condition) <= constants.keys() | {register}:
            return None
        for target, passes in ((branch.target, True), (pc + 1, False)):
            most = _largest(program, branch.condition, register, constants, passes)
            if most + largest_step <= program.max_value and branch.target != pc + 1:
                edges[pc] = tuple(after for after in edges[pc] if after != target)
                limit = max(limit, most)
    starts = {0}.union(*(edges[pc] for pc in writes))
    return None if steps & reachable(tuple(edges), starts) else limit


def _step(instruction: Instruction) -> int:
    match instruction:
        case Assign(_, Binary("+", _, Const(step))):
            return step
    raise ValueError(f"{instruction} does not count up")


def _largest(program: Program, condition: Expr, register: str, constants: Mapping[str, int], passes: bool) -> int:
    """The largest value of the register for which the condition has this truth."""
    values = (
        value
        for value in range(program.max_value, -1, -1)
        if bool(evaluate(condition, {**constants, register: value})) is passes
    )
    return next(values, -1)
