"""Repairs under RC20 and RA: stronger orders, fences; and what a violation of one repair says of the others.

A violation is a run under SC after which an access may be stale (Def 4.5, or 4.14 with taint) or races (Def 6.1). Two
things make it one, and they move in opposite directions:
- the thread must be hb_SC-aware of the newest write. Only SC fences change that: they add hb_SC edges, so that it may
  cease to hold when some are *removed* (semantics: SC fences are RMWs of a hidden location);
- the thread must not be RC20-aware of the newest write. Every edit may change that: it can only cease to hold when
  edits are *added*. Taint (reads that may be stale through which nothing synchronises) moves with it.
So if the first holds with the SC fences of a set L alone, and the second with all edits of a set U, then the run is a
violation of every repair between L and U: the clause is "one of L is missing, or one outside U is there". The monitors
are those of the reading version, fed with different sets of fences: V_SC with those of L, the views with those of U.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fencepost.models.notions import Notion
from fencepost.models.rc20 import sc_m
from fencepost.models.rc20.lower import split_non_atomics
from fencepost.program.form import (
    Access,
    BlockingCas,
    Cas,
    Choose,
    Instruction,
    Jump,
    Load,
    Program,
    Rmw,
    Store,
    Wait,
)
from fencepost.program.lts import Cell, Label, Step, ThreadState, initial_state, steps
from fencepost.program.orders import FenceKind, Order
from fencepost.program.templates import Copies, instance_of, origins
from fencepost.verdict.types import Move, Witness, WitnessKind

from .editor import Editor, loop_depths
from .edits import Edit
from .optimum import Choice, Clause
from .problem import INSERTED, Name, Problem
from .vocabulary import Vocabulary

_FENCES = (FenceKind.ACQUIRE, FenceKind.RELEASE, FenceKind.SEQ_CST)
COSTS: Mapping[Order | FenceKind, Fraction] = {
    Order.ACQUIRE: Fraction(1),
    Order.RELEASE: Fraction(1),
    FenceKind.ACQUIRE: Fraction(2),
    FenceKind.RELEASE: Fraction(2),
    FenceKind.SEQ_CST: Fraction(5),
}
_MOST_CLAUSES = 4  # that one violation is asked for


def candidates(editor: Editor) -> Iterator[Edit]:
    """All that can be changed, thread by thread."""
    for t, thread in enumerate(editor.program.threads):
        depths = loop_depths(thread)
        for pc, instruction in enumerate(thread.code):
            for order in _missing(instruction):
                yield Edit(t, pc, order, depths[pc], span=instruction.span)
        for number, place in enumerate(editor.places[t]):
            for kind in _FENCES:
                yield Edit(t, place.pc, kind, place.depth, number, place.span, place.name)


def _missing(instruction: Instruction) -> Iterator[Order]:
    """The orders that an access could have and has not."""
    match instruction:
        case Load(order=order) | Store(order=order) if order is Order.NON_ATOMIC:
            return
        case Load(order=order) | Wait(order=order):
            wanted, present = [Order.ACQUIRE], order
        case Store(order=order):
            wanted, present = [Order.RELEASE], order
        case Rmw(order=order) | BlockingCas(order=order):
            wanted, present = [Order.ACQUIRE, Order.RELEASE], order
        case Cas(success=success, failure=failure):
            wanted = [Order.ACQUIRE, Order.RELEASE]
            present = success if failure.is_at_least(Order.ACQUIRE) else _without_acquire(success)
        case _:
            return
    for order in wanted:
        if not present.is_at_least(order):
            yield order


def _without_acquire(order: Order) -> Order:
    return {Order.ACQUIRE: Order.RELAXED, Order.ACQ_REL: Order.RELEASE}.get(order, order)


class Rc20Learner:
    """Clauses from violations."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._sc_fences = Choice(i for i, edit in enumerate(problem.edits) if edit.what is FenceKind.SEQ_CST)
        self._everything = Choice(range(len(problem.edits)))
        self._waits = problem.waits(Choice())
        self._delicate = self._find_delicate()

    def learn(self, chosen: Choice, witness: Witness) -> list[Clause]:
        """Clauses that `chosen` and all else of which `witness` is a violation does not satisfy."""
        problem = self._problem
        prepared = problem.info.prepare(instance_of(problem.decided(chosen), witness.copies))
        assert witness.thread is not None
        run = Run(tuple(_followed(prepared, witness.schedule)), witness.thread, witness.kind, witness.copies)
        trial = Trial(problem, problem.waits(chosen), run)
        lower = chosen & (self._sc_fences | self._delicate)
        if not trial.fails(lower, chosen):
            raise RuntimeError("the reading version does not confirm a violation of the search")
        for index in sorted(chosen & self._sc_fences - self._delicate, reverse=True):
            if trial.fails(lower - {index}, chosen):
                lower -= {index}
        free = self._everything - chosen - self._delicate
        found: list[Clause] = []
        preferred: Choice = Choice()  # what the next clause should not rely on
        for _ in range(_MOST_CLAUSES):
            upper = trial.grown(lower, chosen, sorted(free & preferred) + sorted(free - preferred))
            clause = Clause(self._everything - upper, lower)
            if clause in found:
                break
            found.append(clause)
            preferred |= clause.wanted
        return found

    def _find_delicate(self) -> Choice:
        """Edits that change which loops only wait: what holds with one says nothing of repairs without it."""
        problem = self._problem
        if not self._waits:
            return Choice()

        def shape(chosen: Choice) -> object:
            return {name: tuple(map(_without_order, new)) for name, new in problem.waits(chosen).items()}

        usual = shape(Choice())
        return Choice(index for index in self._everything if shape(Choice({index})) != usual)


def _without_order(instruction: Instruction) -> Instruction:
    if isinstance(instruction, Wait | BlockingCas):
        return replace(instruction, order=Order.RELAXED)
    return instruction


# Runs


@dataclass(frozen=True, slots=True)
class Item:
    """One instruction of a run, by name."""

    thread: int
    name: Name
    choice: int


@dataclass(frozen=True, slots=True)
class Run:
    """A run under SC, after which the next instruction of `thread` is at fault."""

    items: tuple[Item, ...]
    thread: int
    kind: WitnessKind
    copies: Copies = ()  # it is one of this instance of a program with templates


def _followed(program: Program, schedule: Sequence[Move]) -> Iterator[Item]:
    """The instructions that a schedule runs. One that stands for several is named where it accesses memory."""
    machine = _Machine(program)
    for move in schedule:
        choices = iter(move.choices)
        for _ in range(move.instructions):
            t = move.thread
            code = program.threads[t].code
            pc = machine.states[t].pc
            choice = next(choices) if isinstance(code[pc], Choose) else 0
            machine.step(t, choice)
            name = code[pc].span
            assert name is not None
            if not isinstance(code[pc], Jump) and pc == _speaker(code, pc):
                yield Item(t, name, choice)


class _Machine:
    """A program as it runs under SC."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.states = [initial_state(thread) for thread in program.threads]
        self._memory = {
            Cell(location.name, slot): program.wrap(value)
            for location in program.locations
            for slot, value in enumerate(location.initial)
        }

    def step(self, t: int, choice: int) -> Step:
        """Runs one instruction."""

        def readable(cell: Cell) -> tuple[int]:
            return (self._memory[cell],)

        possible = steps(self.program, self.program.threads[t], self.states[t], readable)
        step = next(step for step in possible if step.choice == choice)
        self.states[t] = step.after
        if step.label is not None and step.label.cell is not None and step.label.written is not None:
            self._memory[step.label.cell] = step.label.written
        return step

    def skip(self, t: int, pc: int) -> None:
        self.states[t] = replace(self.states[t], pc=pc)


def _block(code: Sequence[Instruction], pc: int) -> range:
    """The instructions around `pc` with the same name: what one instruction has become."""
    start = pc
    while start > 0 and code[start - 1].span == code[pc].span:
        start -= 1
    end = pc + 1
    while end < len(code) and code[end].span == code[pc].span:
        end += 1
    return range(start, end)


def _speaker(code: Sequence[Instruction], pc: int) -> int:
    block = _block(code, pc)
    return next((at for at in block if isinstance(code[at], Access)), block.start)


@dataclass(frozen=True, slots=True)
class _Own:
    """An instruction of the program itself. `step` is None for the last one, which is only checked."""

    thread: int
    before: ThreadState
    orders: dict[int, Order]  # edits that make it stronger
    step: Step | None


@dataclass(frozen=True, slots=True)
class _Gap:
    """All new fences that the thread passes between two of its own instructions."""

    thread: int
    fences: tuple[tuple[int, FenceKind], ...]


class Trial:
    """One run, tried with other edits than those it was found with. Values are those of SC, whatever is edited."""

    def __init__(self, problem: Problem, waits: dict[tuple[int, Name], tuple[Instruction, ...]], run: Run) -> None:
        self._problem = problem
        self._racing = run.kind is WitnessKind.RACE
        full = problem.full_with(waits)
        self._origins = origins(full, dict(run.copies))
        program = problem.info.prepare(instance_of(full, run.copies))
        self._program = split_non_atomics(program) if self._racing else program
        self._fences: dict[FenceKind, tuple[Step, ...]] = {}  # what a new fence of each kind does
        self._script = tuple(self._scripted(run))
        self._gaps: dict[int, list[int]] = {}  # where each new fence occurs in the script
        for number, entry in enumerate(self._script):
            if isinstance(entry, _Gap):
                for index, _ in entry.fences:
                    self._gaps.setdefault(index, []).append(number)

    def grown(self, lower: Choice, upper: Choice, more: Sequence[int]) -> Choice:
        """`upper` with as many of `more` as can be, in this order of preference.

        Fences of one kind that the run always passes together are the same to it.
        """
        alike: dict[object, list[int]] = {}
        for index in more:
            edit = self._problem.edits[index]
            key = (edit.what, *self._gaps.get(index, ())) if edit.is_fence else index
            alike.setdefault(key, []).append(index)
        return self._grown(lower, upper, list(alike.values()))

    def _grown(self, lower: Choice, upper: Choice, more: list[list[int]]) -> Choice:
        if not more:
            return upper
        everything = upper.union(*more)
        if self.fails(lower, everything):
            return everything
        if len(more) == 1:
            return upper
        half = len(more) // 2
        return self._grown(lower, self._grown(lower, upper, more[:half]), more[half:])

    def fails(self, lower: Choice, upper: Choice) -> bool:
        """Whether the run is a violation of every repair between `lower` and `upper`."""
        state = sc_m.initial(self._program)
        for entry in self._script:
            if isinstance(entry, _Gap):
                state = self._fenced(state, entry, lower, upper)
            elif self._is_wrong(state, entry, upper):
                return True
            elif entry.step is not None:
                step = replace(entry.step, label=_labelled(entry, entry.step.label, upper))
                state = sc_m.take(state, entry.thread, step, self._problem.notion)
        return False

    def _fenced(self, state: sc_m.State, gap: _Gap, lower: Choice, upper: Choice) -> sc_m.State:
        """After the fences of a gap that are in `upper`; of several of a kind one is enough, and SC is all kinds."""
        present = {kind for index, kind in gap.fences if index in upper}
        counted = any(index in lower for index, kind in gap.fences if kind is FenceKind.SEQ_CST)
        for kind in [FenceKind.SEQ_CST] if FenceKind.SEQ_CST in present else sorted(present, key=_FENCES.index):
            before = state.sc
            for step in self._fences[kind]:
                state = sc_m.take(state, gap.thread, step, self._problem.notion)
            state = state if counted else replace(state, sc=before)
        return state

    def _is_wrong(self, state: sc_m.State, own: _Own, upper: Choice) -> bool:
        """Whether a step that the program enables there, whatever memory holds, is an error."""
        t = own.thread

        def readable(cell: Cell) -> frozenset[int]:
            return state.views.current[t, cell] | {state.memory[cell]}

        for step in steps(self._program, self._program.threads[t], own.before, readable):
            label = _labelled(own, step.label, upper)
            if label is None:
                continue
            if self._racing:
                if sc_m.err_race(state, t, label):
                    return True
                continue
            checked = label.kind != "R" or self._problem.notion is Notion.ROBUST
            if sc_m.err_dep(state, t, step) or (checked and sc_m.err_sc(state, t, label)):
                return True
        return False

    # The script of a run

    def _scripted(self, run: Run) -> Iterator[_Own | _Gap]:
        machine = _Machine(self._program)
        for item in run.items:
            yield from self._approach(machine, item.thread, item.name)
            if item.name.column != INSERTED:
                yield from self._own(machine, item.thread, item.choice)
        yield from self._approach(machine, run.thread, None)
        yield from self._at_fault(machine, run.thread)

    def _approach(self, machine: _Machine, t: int, name: Name | None) -> Iterator[_Gap]:
        """Up to the instruction of this name, or any of the program's own; past it, if it is a new fence."""
        code = self._program.threads[t].code
        passed: list[tuple[int, FenceKind]] = []
        while 0 <= (pc := machine.states[t].pc) < len(code):
            here = code[pc].span
            assert here is not None
            if isinstance(code[pc], Jump):
                machine.step(t, 0)
                continue
            if here.column != INSERTED:
                if name is not None and here != name:
                    raise RuntimeError("a run of a repair is none of the program with all changes")
                break
            kind = self._problem.edits[here.line].what
            assert isinstance(kind, FenceKind)
            done = tuple(machine.step(t, 0) for _ in _block(code, pc))
            self._fences.setdefault(kind, done)
            passed.append((here.line, kind))
            if here == name:
                break
        if passed:
            yield _Gap(t, tuple(passed))

    def _own(self, machine: _Machine, t: int, choice: int) -> Iterator[_Own]:
        """An instruction, with all that it has become."""
        block = _block(self._program.threads[t].code, machine.states[t].pc)
        for _ in block:
            if machine.states[t].pc in block:
                before = machine.states[t]
                yield _Own(t, before, self._orders(t, before), machine.step(t, choice))

    def _at_fault(self, machine: _Machine, t: int) -> Iterator[_Own]:
        """The last one, which memory may not let the thread finish."""
        block = _block(self._program.threads[t].code, machine.states[t].pc)
        for pc in block:
            before = machine.states[t]
            last = not self._racing or pc == block[-1]  # only accesses to copies of a location are several steps
            yield _Own(t, before, self._orders(t, before), None if last else machine.step(t, 0))
            if last:
                return

    def _orders(self, t: int, state: ThreadState) -> dict[int, Order]:
        name = self._program.threads[t].code[state.pc].span
        return {} if name is None else self._problem.strengthening.get((self._origins[t], name), {})


def _labelled(own: _Own, label: Label | None, upper: Choice) -> Label | None:
    """A label with the orders that `upper` gives it. A CAS that fails is a read: it cannot release."""
    if label is None or not own.orders or not isinstance(label.order, Order):
        return label
    order = label.order
    for index, wanted in own.orders.items():
        if index in upper and not (label.kind == "R*" and wanted is Order.RELEASE):
            order = order.join(wanted)
    return label if order is label.order else replace(label, order=order)


VOCABULARY = Vocabulary(
    candidates=candidates,
    costs=COSTS,
    learner=Rc20Learner,
    words="acquire and release orders, and acquire, release and SC fences",
    hint=lambda program, place: None,
)
