"""What still matters once a thread holds an outdated version number.

Say that register r is less than the value of location z, and that z never decreases. Then whatever the thread reads
from z later is greater than r, so tests such as `z's value == r` are decided, a CAS on z that expects r fails, and
registers that only matter on the other side of such a test do not matter. A `StaleRule` says which registers do, for
each place; r itself usually does not. (Speculative reads keep many outdated snapshots: a seqlock's reader that has
lost the race, a stealer whose index is taken.)

That z never decreases is not analysed here: whoever uses a rule must observe it on every step that is searched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..expr import Binary, Const, Expr, ReadValue, Reg, Unary, registers_of
from ..form import (
    Access,
    Assert,
    Assign,
    Assume,
    BlockingCas,
    Branch,
    Cas,
    Instruction,
    Program,
    Store,
    Thread,
    Wait,
    operands,
    successors,
    written_register,
)
from .liveness import live_registers
from .values import ValueSet, possible_values

# u > r decides these comparisons of u with r.
_ABOVE = {"==": False, "!=": True, "<": False, "<=": False, ">": True, ">=": True}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

_Node = tuple[int, frozenset[str]]  # a pc, and the registers known to be greater than r


@dataclass(frozen=True, slots=True)
class StaleRule:
    """At pc, while `register` < `location`: only the registers in live[pc] matter (None: as usual)."""

    thread: int
    register: str
    location: str
    live: tuple[frozenset[str] | None, ...]


def stale_rules(program: Program) -> tuple[StaleRule, ...]:
    """The rules that gain something, for locations that may be non-decreasing as far as constants tell."""
    rising = rising_locations(program)
    rules = []
    for number, thread in enumerate(program.threads):
        usual = live_registers(thread)
        for location in rising:
            for register in sorted(_compared(thread, location)):
                live = _Outdated(thread, register, location, usual).solve()
                if any(kept is not None for kept in live):
                    rules.append(StaleRule(number, register, location, live))
    return tuple(rules)


def rising_locations(program: Program) -> tuple[str, ...]:
    """Locations that may be non-decreasing as far as constants tell."""
    values = possible_values(program)
    return tuple(
        location.name
        for location in program.locations
        if location.size == 1 and _may_rise(program, location.name, values.reads(location.name))
    )


def _may_rise(program: Program, location: str, held: ValueSet) -> bool:
    """No write of a constant below another possible value; and something to rise to."""
    written = [
        instruction.value if isinstance(instruction, Store) else instruction.desired
        for thread in program.threads
        for instruction in thread.code
        if isinstance(instruction, Store | Cas | BlockingCas) and instruction.ref.location == location
    ]
    constants = [program.wrap(expr.value) for expr in written if isinstance(expr, Const)]
    return len(held) > 2 and all(value >= max(held) for value in constants)


def _compared(thread: Thread, location: str) -> frozenset[str]:
    """Registers whose relation to the location may decide something."""
    if not any(isinstance(i, Access) and i.ref.location == location and written_register(i) for i in thread.code):
        return frozenset()
    names: set[str] = set()
    for instruction in thread.code:
        match instruction:
            case Branch(condition=condition) | Assume(condition=condition) | Assert(condition=condition):
                names |= registers_of(condition)
            case Cas(expected=Reg(name)) | BlockingCas(expected=Reg(name)):
                names.add(name)
    return frozenset(names)


class _Outdated:
    """Liveness over the product of control flow and what is known to be greater than r."""

    def __init__(self, thread: Thread, register: str, location: str, usual: tuple[frozenset[str], ...]) -> None:
        self.thread = thread
        self.register = register
        self.location = location
        self.usual = usual
        self.graph: dict[_Node, tuple[_Node, ...]] = {}

    def solve(self) -> tuple[frozenset[str] | None, ...]:
        starts: list[_Node] = [(pc, frozenset()) for pc in range(len(self.thread.code))]
        pending = list(starts)
        while pending:
            node = pending.pop()
            if node in self.graph or node[0] == len(self.thread.code):
                continue
            self.graph[node] = tuple(self.follow(*node))
            pending.extend(self.graph[node])
        live: dict[_Node, frozenset[str]] = dict.fromkeys(self.graph, frozenset())
        changed = True
        while changed:
            changed = False
            for node in reversed(self.graph):
                before = self.before(node, live)
                if before != live[node]:
                    live[node] = before
                    changed = True
        kept = [live[start] for start in starts]
        return (*(now if now < self.usual[pc] else None for pc, now in enumerate(kept)), None)

    def follow(self, pc: int, above: frozenset[str]) -> Iterator[_Node]:
        """Where control may go while r stays outdated."""
        instruction = self.thread.code[pc]
        written = written_register(instruction)
        if written == self.register or self.never_passes(instruction):
            return
        match instruction:
            case Assign(reg, Reg(source)) if source in above:
                above |= {reg}
            case _ if written is not None:
                above = above | {written} if self.reads_location(instruction) else above - {written}
        match instruction:
            case Branch(condition, target):
                truth = self.decide(condition, above)
                if truth is not True:
                    yield pc + 1, above
                if truth is not False:
                    yield target, above
            case Assume(condition) | Assert(condition) if self.decide(condition, above) is False:
                return
            case _:
                for target in successors(self.thread.code, pc):
                    yield target, above

    def before(self, node: _Node, live: dict[_Node, frozenset[str]]) -> frozenset[str]:
        pc, above = node
        instruction = self.thread.code[pc]
        written = written_register(instruction)
        if written == self.register:  # a new version: r is not outdated any more
            after = self.usual[pc + 1]
        else:
            after = frozenset[str]().union(*(live.get(target, frozenset()) for target in self.graph[node]))
        if isinstance(instruction, Assign) and instruction.reg not in after:
            return after
        used = frozenset[str]().union(*map(registers_of, self.matters(instruction, above)))
        return (after - {written} if written else after) | used

    def matters(self, instruction: Instruction, above: frozenset[str]) -> tuple[Expr, ...]:
        """The operands on whose values anything depends."""
        if self.never_passes(instruction) or self.fails(instruction):
            return ()
        match instruction:
            case Branch(condition=condition) | Assume(condition=condition) | Assert(condition=condition):
                return () if self.decide(condition, above) is not None else (condition,)
        return operands(instruction)

    def reads_location(self, instruction: Instruction) -> bool:
        return isinstance(instruction, Access) and instruction.ref.location == self.location

    def fails(self, instruction: Instruction) -> bool:
        """A CAS that expects the outdated version. Which stale values it would accept is the caller's concern."""
        return (
            isinstance(instruction, Cas)
            and instruction.ref.location == self.location
            and instruction.expected == Reg(self.register)
        )

    def never_passes(self, instruction: Instruction) -> bool:
        """Blocks until the location holds the outdated version: for ever."""
        mine = Reg(self.register)
        match instruction:
            case BlockingCas(ref, expected):
                return ref.location == self.location and expected == mine
            case Wait(_, ref, Binary("==", left, right)):
                return ref.location == self.location and {left, right} == {ReadValue(), mine}
        return False

    def decide(self, condition: Expr, above: frozenset[str]) -> bool | None:
        """The truth of a condition, as far as u > r for all u in `above` tells."""
        match condition:
            case Const(value):
                return value != 0
            case Unary("!", arg):
                truth = self.decide(arg, above)
                return None if truth is None else not truth
            case Binary("&&", left, right):
                truths = {self.decide(left, above), self.decide(right, above)}
                return False if False in truths else None if None in truths else True
            case Binary("||", left, right):
                truths = {self.decide(left, above), self.decide(right, above)}
                return True if True in truths else None if None in truths else False
            case Binary(op, Reg(left), Reg(right)) if op in _ABOVE:
                if left in above and right == self.register:
                    return _ABOVE[op]
                if right in above and left == self.register:
                    return _ABOVE[_MIRRORED[op]]
        return None
