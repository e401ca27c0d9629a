"""The runs of one thread by itself: all its control-flow paths, what it reads left open.

A path lists the events that a run of the thread makes, the syntactic dependencies between them, and the conditions on
the values read under which control goes this way. Values are named: `Reg("v3")` in an expression is value number 3 of
the path. Which write each read sees, and the order of the writes, are chosen afterwards, for all threads together
(candidates.py for the definition, core/graphs for speed).

A loop is unrolled: a path may enter an instruction at most `bound` times from behind. A path that would go on is kept
as cut short, so that a verdict can tell whether the bound mattered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import product
from math import prod
from time import perf_counter

from fencepost.program.analysis.values import Values, possible_values
from fencepost.program.expr import Binary, Const, Expr, ReadValue, Reg, Unary, evaluate, parts, registers_of, substitute
from fencepost.program.form import (
    MEMORY,
    Assert,
    Assign,
    Assume,
    BlockingCas,
    Branch,
    Cas,
    Choose,
    Fence,
    Isa,
    Jump,
    Load,
    Lock,
    Program,
    Ref,
    Rmw,
    RmwOp,
    Span,
    Store,
    StoreConditional,
    Thread,
    Unlock,
    Use,
    Wait,
)
from fencepost.program.lts import Cell
from fencepost.program.orders import Mark
from fencepost.program.templates import require_no_templates

from .tags import LOCK, access_tags, fence_tags

_EVALUATIONS = 1024  # of one condition, at most, to find out whether it can hold
_MAX_PATHS = 50_000
_WORD = 1 << 62

Origins = frozenset[int]  # events whose values a value is computed from
Pairs = frozenset[tuple[int, int]]
_NONE: Origins = frozenset()

_Access = Load | Store | StoreConditional | Rmw | Cas | BlockingCas | Wait

# Of a CAS that fails: whether it writes back, and whether its result waits for the comparison.
_CAS_FAILURES = ((False, False), (False, True), (True, True))

_BINARY_OF = {RmwOp.ADD: "+", RmwOp.SUB: "-", RmwOp.AND: "&", RmwOp.OR: "|", RmwOp.XOR: "^"}


class TooManyPathsError(ValueError):
    """A thread has more control-flow paths than can be listed."""


class End(Enum):
    """How a path ends."""

    OVER = "over"
    BLOCKED = "blocked"  # at a wait that is not satisfied
    FAILED = "failed"  # an assertion
    CUT = "cut"  # by the bound on loops


@dataclass(frozen=True, slots=True)
class PathEvent:
    """Number i of the path's events. `read` and `written` are expressions over the path's values."""

    kind: str  # R, W or F
    tags: frozenset[str]
    cell: Cell | None
    pc: int
    span: Span | None
    value: Expr | None = None  # what is read (a `Reg`) or written


@dataclass(frozen=True, slots=True)
class Path:
    thread: int
    events: tuple[PathEvent, ...]
    values: tuple[Expr | int, ...]  # the event that reads the value, or what it is computed from
    conditions: tuple[Expr, ...]  # all must hold
    relations: Mapping[str, Pairs]  # addr, data, ctrl, rmw, amo, lxsx, rmw-data, rmw-ctrl
    registers: Mapping[str, Expr]  # at the end
    end: End = End.OVER
    pc: int = -1  # where it ends
    used: Origins = frozenset()  # reads on whose value something depends (for observational robustness)


@dataclass(frozen=True, slots=True)
class Unrolling:
    """How paths are listed."""

    bound: int = 2  # how often control may come back to an instruction
    store_conditionals_fail: bool = True


def thread_paths(
    program: Program, thread: int, unrolling: Unrolling, values: Values, deadline: float | None = None
) -> list[Path]:
    """All paths of a thread. Raises models.Unsupported, and TooManyPathsError."""
    found = []
    todo = [_start(program.threads[thread])]
    runner = _Runner(program, thread, unrolling, values)
    while todo:
        run = todo.pop()
        if run.end is not None:
            found.append(run.path(thread))
            name = program.threads[thread].name
            if len(found) > _MAX_PATHS:
                raise TooManyPathsError(f"thread {name} has more than {_MAX_PATHS:,} control-flow paths")
            if deadline is not None and perf_counter() > deadline:
                raise TooManyPathsError(f"the time was over when {len(found):,} paths of thread {name} were listed")
        else:
            todo.extend(reversed(list(runner.step(run))))
    return found


def within_words(program: Program) -> Program:
    """A program whose values have no bound, with so much room that bounded runs do not leave it."""
    return program if program.wraps else replace(program, min_value=-_WORD, max_value=_WORD - 1)


def all_paths(program: Program, unrolling: Unrolling, deadline: float | None = None) -> list[list[Path]]:
    """The paths of every thread. Raises models.Unsupported, and TooManyPathsError (also at `deadline`)."""
    require_no_templates(program)
    values = possible_values(program)
    return [thread_paths(program, thread, unrolling, values, deadline) for thread in range(len(program.threads))]


@dataclass(frozen=True, slots=True)
class _Run:
    """A path in the making."""

    pc: int
    env: Mapping[str, Expr]  # constants or names of values
    origins: Mapping[str, Origins]
    picks: Mapping[str, Origins]  # what only decided, by a comparison, which value a register got
    control: Origins = frozenset()
    pick_control: Origins = frozenset()
    selecting: Origins = frozenset()  # what decided which of two values the assignment that comes now gives
    events: tuple[PathEvent, ...] = ()
    values: tuple[Expr | int, ...] = ()
    conditions: tuple[Expr, ...] = ()
    relations: Mapping[str, Pairs] = field(default_factory=dict)
    visits: Mapping[int, int] = field(default_factory=dict)  # how often control came back to an instruction
    reservation: int | None = None  # the load-linked that is open
    block: tuple[int, ...] | None = None  # the events since the Lock that is open
    used: Origins = frozenset()
    end: End | None = None

    def path(self, thread: int) -> Path:
        assert self.end is not None
        return Path(
            thread,
            self.events,
            self.values,
            self.conditions,
            self.relations,
            self.env,
            self.end,
            self.pc,
            self.used,
        )


def _start(thread: Thread) -> _Run:
    env = {name: Const(value) for name, value in thread.initial_registers().items()}
    return _Run(
        0, env, dict.fromkeys(env, Origins()), dict.fromkeys(env, Origins()), end=None if thread.code else End.OVER
    )


class _Runner:
    def __init__(self, program: Program, thread: int, unrolling: Unrolling, values: Values) -> None:
        self.program = program
        self.number = thread
        self.thread = program.threads[thread]
        self.unrolling = unrolling
        self.possible = values

    # Values

    def origins(self, run: _Run, *exprs: Expr | None) -> Origins:
        """The reads behind the registers that the expressions name (syntactically: r ^ r depends on r)."""
        names = frozenset[str]().union(*map(registers_of, exprs))
        return Origins().union(*(run.origins[name] for name in names))

    def picked(self, run: _Run, *exprs: Expr | None) -> Origins:
        """The same for the reads that decided which values the registers got."""
        names = frozenset[str]().union(*map(registers_of, exprs))
        return Origins().union(*(run.picks[name] for name in names))

    def wrapped(self, run: _Run, expr: Expr) -> tuple[_Run, Expr]:
        """What a register or a location holds after it was given the value of `expr` (over the path's values)."""
        names = registers_of(expr)
        if not names:
            return run, Const(self.program.wrap(evaluate(expr, {})))
        if isinstance(expr, Reg):
            return run, expr
        name = Reg(f"v{len(run.values)}")
        return replace(run, values=(*run.values, expr)), name

    def domain(self, run: _Run, name: str) -> Collection[int] | None:
        """The values that a named value may have, if they are few."""
        value = run.values[int(name[1:])]
        if isinstance(value, int):
            cell = run.events[value].cell
            assert cell is not None
            held = self.possible.reads(cell.location)
            return None if isinstance(held, range) else held  # a range is all values
        names = sorted(registers_of(value))
        results: set[int] = set()
        found = self.environments(run, names)
        if found is None:
            return None
        results.update(self.program.wrap(evaluate(value, env)) for env in found)
        return sorted(results)

    def environments(self, run: _Run, names: Sequence[str]) -> Iterator[dict[str, int]] | None:
        """All that the values with these names may be, or None if that is too much."""
        sets = []
        for name in names:
            held = self.domain(run, name)
            if held is None:
                return None
            sets.append(held)
        if prod(map(len, sets)) > _EVALUATIONS:
            return None
        return (dict(zip(names, chosen, strict=True)) for chosen in product(*sets))

    def assuming(self, run: _Run, condition: Expr, truth: bool = True) -> _Run | None:
        """`run` if the condition may hold (or may not), with what must be remembered of it."""
        wanted = condition if truth else Unary("!", condition)
        names = sorted(registers_of(condition))
        if not names:
            return run if bool(evaluate(wanted, {})) else None
        found = self.environments(run, names)
        if found is not None:
            answers = {bool(evaluate(wanted, env)) for env in found}
            if True not in answers:
                return None
            if False not in answers:
                return run
        return replace(run, conditions=(*run.conditions, wanted))

    # Events

    def event(self, run: _Run, event: PathEvent, address: Expr | None = None, data: Expr | None = None) -> _Run:
        """`address` and `data` are over the thread's registers."""
        number = len(run.events)
        behind = {
            "ctrl": run.control,
            "addr": self.origins(run, address),
            "data": self.origins(run, data),
            "pick-ctrl": run.pick_control,
            "pick-addr": self.picked(run, address),
            "pick-data": self.picked(run, data),
        }
        if run.block is not None:
            together = Pairs((a, b) for other in run.block for a, b in ((other, number), (number, other)))
            run = _related(replace(run, block=(*run.block, number)), {"block": together})
        run = replace(run, events=(*run.events, event), used=run.used | behind["addr"] | behind["data"])
        return _related(run, {name: Pairs((origin, number) for origin in reads) for name, reads in behind.items()})

    def cells(self, run: _Run, ref: Ref) -> Iterator[tuple[_Run, Cell | None]]:
        """The cells that an access may be to, None for none, and the run in each case."""
        if ref.index is None:
            yield run, Cell(ref.location)
            return
        index = substitute(ref.index, run.env)
        program = self.program
        if ref.location == MEMORY:
            index_of = {
                program.address_of(location.name, slot): Cell(location.name, slot)
                for location in program.locations
                if location.address is not None
                for slot in range(location.size)
            }
            run, index = self.wrapped(run, index)
        else:
            index_of = {slot: Cell(ref.location, slot) for slot in range(program.location(ref.location).size)}
        outside: _Run | None = run
        for number, cell in index_of.items():
            is_it = Binary("==", index, Const(number))
            here = self.assuming(run, is_it)
            if here is not None:
                yield here, cell
            outside = outside and self.assuming(outside, is_it, False)
        if outside is not None:
            yield outside, None

    # Steps

    def step(self, run: _Run) -> Iterator[_Run]:
        """What may follow: one instruction further."""
        pc = run.pc
        instruction = self.thread.code[pc]
        match instruction:
            case Assign(reg, value):
                origins, picks = self.origins(run, value), self.picked(run, value) | run.selecting
                run, result = self.wrapped(replace(run, selecting=_NONE), substitute(value, run.env))
                yield self.goto(self.assigned(run, reg, result, origins, picks), pc + 1)
            case Jump(target):
                yield self.goto(run, target)
            case Choose(targets):
                yield from (self.goto(run, target) for target in targets)
            case Branch(condition, target, selects):
                run = self.selected(run, condition) if selects else self.controlled(run, condition)
                for truth, following in ((True, target), (False, pc + 1)):
                    taken = self.assuming(run, substitute(condition, run.env), truth)
                    if taken is not None:
                        yield self.goto(taken, following)
            case Assume(condition) | Assert(condition):
                run = self.controlled(run, condition)
                for truth in (True, False):
                    taken = self.assuming(run, substitute(condition, run.env), truth)
                    if taken is not None and truth:
                        yield self.goto(taken, pc + 1)
                    elif taken is not None:
                        yield replace(taken, end=End.FAILED if isinstance(instruction, Assert) else End.OVER)
            case Use(value):
                yield self.goto(replace(run, used=run.used | self.origins(run, value)), pc + 1)
            case Fence(kind):
                yield self.goto(self.event(run, PathEvent("F", fence_tags(kind), None, pc, instruction.span)), pc + 1)
            case Lock() | Unlock():
                fence = PathEvent("F", frozenset({LOCK}), None, pc, instruction.span)
                block = () if isinstance(instruction, Lock) else None
                yield self.goto(replace(self.event(replace(run, block=None), fence), block=block), pc + 1)
            case _:
                yield from self.access(run, instruction)

    def status_origins(self, used: Origins) -> Origins:
        """What the status of a store-conditional depends on. On Arm it carries no dependency (Arm ARM, B2.3.2)."""
        return used if self.program.isa is Isa.POWER else Origins()

    def controlled(self, run: _Run, condition: Expr) -> _Run:
        behind = self.origins(run, condition)
        return replace(
            run,
            control=run.control | behind,
            pick_control=run.pick_control | self.picked(run, condition),
            used=run.used | behind,
        )

    def selected(self, run: _Run, condition: Expr) -> _Run:
        behind = self.origins(run, condition)
        return replace(run, selecting=behind | self.picked(run, condition), used=run.used | behind)

    def assigned(self, run: _Run, reg: str | None, value: Expr, origins: Origins, picks: Origins = _NONE) -> _Run:
        if reg is None:
            return run
        return replace(
            run,
            env={**run.env, reg: value},
            origins={**run.origins, reg: origins},
            picks={**run.picks, reg: picks},
        )

    def goto(self, run: _Run, target: int) -> _Run:
        end = None
        if target >= len(self.thread.code):
            end = End.OVER
        elif target <= run.pc:
            count = run.visits.get(target, 0) + 1
            if count > self.unrolling.bound:
                end = End.CUT
            run = replace(run, visits={**run.visits, target: count})
        return replace(run, pc=target, end=end)

    def access(self, run: _Run, instruction: _Access) -> Iterator[_Run]:
        if isinstance(instruction, StoreConditional):
            if self.unrolling.store_conditionals_fail:
                yield self.goto(self.store_ended(run, instruction, 1), run.pc + 1)
            if run.reservation is None:
                return
        for here, cell in self.cells(run, instruction.ref):
            if cell is None:
                address = self.origins(run, instruction.ref.index)
                # Where values have no bound, memory has none either, and only a part of it is followed.
                end = End.FAILED if self.program.wraps else End.CUT
                yield replace(here, control=here.control | address, used=here.used | address, end=end)
            else:
                yield from self.access_to(here, instruction, cell)

    def access_to(self, run: _Run, instruction: _Access, cell: Cell) -> Iterator[_Run]:
        following = run.pc + 1
        match instruction:
            case Store(_, value, _):
                run, written = self.wrapped(run, substitute(value, run.env))
                yield self.goto(self.write(run, instruction, cell, written, value), following)
            case StoreConditional(_, _, value, _):
                linked = run.reservation
                if linked is None or run.events[linked].cell != cell:
                    return
                run, written = self.wrapped(run, substitute(value, run.env))
                run = self.write(run, instruction, cell, written, value)
                pair = Pairs({(linked, len(run.events) - 1)})
                run = _related(run, {"rmw": pair, "lxsx": pair})
                yield self.goto(self.store_ended(run, instruction, 0), following)
            case Load(reg, _, _):
                run, number, value = self.read(run, instruction, cell)
                if Mark.EXCLUSIVE in instruction.marks:
                    run = replace(run, reservation=number)
                yield self.goto(self.assigned(run, reg, value, Origins({number})), following)
            case Wait(out, _, until, _):
                behind = self.origins(run, until)
                yield replace(run, end=End.BLOCKED)
                after, number, value = self.read(run, instruction, cell, starred=True)
                after = replace(after, used=after.used | behind)
                satisfied = self.assuming(after, _with_read(substitute(until, run.env), value))
                if satisfied is not None:
                    satisfied = _waited(satisfied, number, instruction)
                    yield self.goto(self.assigned(satisfied, out, value, Origins({number})), following)
            case Rmw(out, op, _, operand, _):
                run, number, value = self.read(run, instruction, cell, update=True)
                given = _with_read(substitute(operand, run.env), value)
                new = given if op not in _BINARY_OF else Binary(_BINARY_OF[op], value, given)
                run, written = self.wrapped(run, new)
                run = self.write(run, instruction, cell, written, operand, update=True)
                pair = Pairs({(number, number + 1)})
                uses_old = op in _BINARY_OF or any(isinstance(part, ReadValue) for part in parts(operand))
                run = _related(run, {"rmw": pair, "amo": pair, "rmw-data": pair if uses_old else Pairs()})
                yield self.goto(self.assigned(run, out, value, Origins({number})), following)
            case Cas():
                yield from self.successful_cas(run, instruction, cell, instruction.reg)
                yield from self.failing_cas(run, instruction, cell)
            case BlockingCas():
                yield replace(run, end=End.BLOCKED)
                for after in self.successful_cas(run, instruction, cell, None):
                    yield _waited(after, len(run.events), instruction)

    def store_ended(self, run: _Run, instruction: StoreConditional, status: int) -> _Run:
        """After a store-conditional, whatever came of it, no load-linked is open.

        Its status carries a dependency on Power, and none on Arm (Arm ARM, B2.3.2).
        """
        behind = Origins()
        if self.program.isa is Isa.POWER:
            behind = self.origins(run, instruction.ref.index, instruction.value)
        return replace(self.assigned(run, instruction.reg, Const(status), behind), reservation=None)

    def successful_cas(self, run: _Run, instruction: Cas | BlockingCas, cell: Cell, out: str | None) -> Iterator[_Run]:
        compared, decided = self.comparing(run, instruction)
        run, wanted = self.wrapped(run, substitute(instruction.expected, run.env))
        run, new = self.wrapped(run, substitute(instruction.desired, run.env))
        run, number, value = self.read(run, instruction, cell, update=True)
        success = self.assuming(run, Binary("==", value, wanted))
        if success is None:
            return
        success = self.write(success, instruction, cell, new, instruction.desired, update=True)
        pair = Pairs({(number, number + 1)})
        deciding = pair | {(origin, number + 1) for origin in decided}
        success = _related(success, {"rmw": pair, "amo": pair, "rmw-ctrl": Pairs(deciding)})
        success = replace(success, used=success.used | compared)
        read = Origins({number})
        yield self.goto(self.assigned(success, out, value, read), run.pc + 1)
        if self.program.isa is Isa.AARCH64:
            # The result equals what was compared, and may come from there, once the comparison has decided so.
            yield self.goto(self.assigned(success, out, value, compared, read | decided), run.pc + 1)

    def failing_cas(self, run: _Run, instruction: Cas, cell: Cell) -> Iterator[_Run]:
        """A CAS that reads another value. On AArch64 its result may depend on the comparison or not, and it may also
        write back what it has read, atomically (Arm ARM, CAS)."""
        compared, decided = self.comparing(run, instruction)
        run, wanted = self.wrapped(run, substitute(instruction.expected, run.env))
        differs = Unary("!", Binary("==", Reg(f"v{len(run.values)}"), wanted))
        for writes_back, waits in _CAS_FAILURES if self.program.isa is Isa.AARCH64 else _CAS_FAILURES[:1]:
            failing, number, value = self.read(run, instruction, cell, update=writes_back, starred=True)
            failure = self.assuming(failing, differs)
            if failure is None:
                return
            failure = replace(failure, used=failure.used | compared)
            if writes_back:
                failure = self.write(failure, instruction, cell, value, None, update=True)
                pair = Pairs({(number, number + 1)})
                deciding = pair | {(origin, number + 1) for origin in decided}
                failure = _related(failure, {"rmw": pair, "amo": pair, "rmw-data": pair, "rmw-ctrl": Pairs(deciding)})
            picks = decided if waits else Origins()
            failure = self.assigned(failure, instruction.reg, value, Origins({number}), picks)
            yield self.goto(failure, run.pc + 1)

    def comparing(self, run: _Run, instruction: Cas | BlockingCas) -> tuple[Origins, Origins]:
        """The reads behind what a CAS compares with, and all that decides on the outcome beside its own read."""
        compared = self.origins(run, instruction.expected)
        return compared, compared | self.picked(run, instruction.expected)

    def read(
        self,
        run: _Run,
        instruction: Load | Rmw | Cas | BlockingCas | Wait,
        cell: Cell,
        *,
        update: bool = False,
        starred: bool = False,
    ) -> tuple[_Run, int, Reg]:
        """`update`: the read of an update that writes; `starred`: R* (a wait, or a CAS that fails)."""
        number, value = len(run.events), Reg(f"v{len(run.values)}")
        tags = access_tags(self.program, instruction, cell, "R", update=update, starred=starred)
        event = PathEvent("R", tags, cell, run.pc, instruction.span, value)
        run = self.event(run, event, instruction.ref.index)
        return replace(run, values=(*run.values, number)), number, value

    def write(
        self,
        run: _Run,
        instruction: Store | StoreConditional | Rmw | Cas | BlockingCas,
        cell: Cell,
        value: Expr,
        data: Expr | None,
        *,
        update: bool = False,
    ) -> _Run:
        """`value` is over the path's values; `data` is what it is computed from, over the thread's registers."""
        tags = access_tags(self.program, instruction, cell, "W", update=update)
        return self.event(run, PathEvent("W", tags, cell, run.pc, instruction.span, value), instruction.ref.index, data)


def _waited(run: _Run, number: int, instruction: Wait | BlockingCas) -> _Run:
    """What follows a loop that spins on read `number` depends on its branch."""
    linked = number if Mark.EXCLUSIVE in instruction.marks else run.reservation
    return replace(run, control=run.control | {number}, reservation=linked)


def _related(run: _Run, new: Mapping[str, Pairs]) -> _Run:
    added = {name: run.relations.get(name, Pairs()) | pairs for name, pairs in new.items() if pairs}
    return replace(run, relations={**run.relations, **added}) if added else run


def _with_read(expr: Expr, value: Expr) -> Expr:
    """`expr` with `value` for what is read."""
    match expr:
        case ReadValue():
            return value
        case Unary(op, arg):
            return Unary(op, _with_read(arg, value))
        case Binary(op, left, right):
            return Binary(op, _with_read(left, value), _with_read(right, value))
    return expr
