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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from fencepost.models.notions import Notion
from fencepost.models.rc20 import sc_m
from fencepost.models.rc20.lower import split_non_atomics
from fencepost.program.analysis.rewrite import replace_instructions
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
    Span,
    Store,
    Wait,
)
from fencepost.program.lts import Cell, Label, Step, initial_state, steps
from fencepost.program.orders import FenceKind, Order
from fencepost.verdict.types import Move, Witness, WitnessKind

from .edits import Edit
from .editor import Editor
from .optimum import Choice, Clause
from .problem import INSERTED, Name, Problem

FENCES = (FenceKind.ACQUIRE, FenceKind.RELEASE, FenceKind.SEQ_CST)
COSTS = {
    Order.ACQUIRE: Fraction(1),
    Order.RELEASE: Fraction(1),
    FenceKind.ACQUIRE: Fraction(2),
    FenceKind.RELEASE: Fraction(2),
    FenceKind.SEQ_CST: Fraction(5),
}
_MOST_CLAUSES = 6  # that one violation is asked for


def candidates(editor: Editor) -> Iterator[Edit]:
    """All that can be changed, thread by thread."""
    yield from _candidates(editor, FENCES)


def ra_candidates(editor: Editor) -> Iterator[Edit]:
    """RA already has all orders that there are: only SC fences add to them."""
    for edit in _candidates(editor, FENCES):
        if edit.what is FenceKind.SEQ_CST:
            yield edit


def _candidates(editor: Editor, fences: Sequence[FenceKind]) -> Iterator[Edit]:
    from .editor import loop_depths

    for t, thread in enumerate(editor.program.threads):
        depths = loop_depths(thread)
        for pc, instruction in enumerate(thread.code):
            for order in _missing(instruction):
                yield Edit(t, pc, order, depths[pc], span=instruction.span)
        for number, place in enumerate(editor.places[t]):
            for kind in fences:
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
        prepared = problem.info.prepare(problem.decided(chosen))
        assert witness.thread is not None
        run = Run(tuple(_followed(prepared, witness.schedule)), witness.thread, witness.kind)
        trial = _Trial(problem, self._sc_fences, problem.waits(chosen), run)
        lower = chosen & (self._sc_fences | self._delicate)
        if not trial.fails(lower, chosen):
            raise RuntimeError("the reading version does not confirm a violation of the search")
        for index in sorted(chosen & self._sc_fences - self._delicate, reverse=True):
            if trial.fails(lower - {index}, chosen):
                lower -= {index}
        free = sorted(self._everything - chosen - self._delicate)
        found: list[Clause] = []
        orders = [free, free[::-1]]
        while orders and len(found) < _MOST_CLAUSES:
            upper = trial.grown(lower, chosen, orders.pop(0))
            clause = Clause(self._everything - upper, lower)
            if clause not in found:
                found.append(clause)
                for index in sorted(clause.wanted - self._delicate):  # what the next one should not rely on
                    orders.append([index, *(other for other in free if other != index)])
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


def _followed(program: Program, schedule: Sequence[Move]) -> Iterator[Item]:
    """The instructions that a schedule runs. One that stands for several is named where it accesses memory."""
    states = [initial_state(thread) for thread in program.threads]
    memory = {
        Cell(location.name, slot): program.wrap(value)
        for location in program.locations
        for slot, value in enumerate(location.initial)
    }
    for move in schedule:
        choices = iter(move.choices)
        for _ in range(move.instructions):
            t = move.thread
            code = program.threads[t].code
            pc = states[t].pc
            choice = next(choices) if isinstance(code[pc], Choose) else 0
            step = _plain_step(program, t, states, memory, choice)
            name = code[pc].span
            assert name is not None
            if not isinstance(code[pc], Jump) and pc == _speaker(code, pc):
                yield Item(t, name, choice)


def _plain_step(
    program: Program, t: int, states: list[sc_m.ThreadState], memory: dict[Cell, int], choice: int
) -> Step:
    """Runs one instruction under SC."""

    def readable(cell: Cell) -> tuple[int]:
        return (memory[cell],)

    possible = steps(program, program.threads[t], states[t], readable)
    step = next(step for step in possible if step.choice == choice)
    states[t] = step.after
    if step.label is not None and step.label.cell is not None and step.label.written is not None:
        memory[step.label.cell] = step.label.written
    return step


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


class _Trial:
    """One run, tried with other edits than those it was found with."""

    def __init__(self, problem: Problem, sc_fences: Choice, waits: dict[tuple[int, Name], tuple[Instruction, ...]], run: Run) -> None:
        self._problem = problem
        self._sc_fences = sc_fences
        self._run = run
        self._racing = run.kind is WitnessKind.RACE
        program = problem.info.prepare(_with_waits(problem.full, waits))
        self._program = split_non_atomics(program) if self._racing else program

    def grown(self, lower: Choice, upper: Choice, more: Sequence[int]) -> Choice:
        """`upper` with as many of `more` as can be, in this order of preference."""
        if not more:
            return upper
        if self.fails(lower, upper | set(more)):
            return upper | set(more)
        if len(more) == 1:
            return upper
        half = len(more) // 2
        return self.grown(lower, self.grown(lower, upper, more[:half]), more[half:])

    def fails(self, lower: Choice, upper: Choice) -> bool:
        """Whether the run is a violation of every repair between `lower` and `upper`."""
        state = sc_m.initial(self._program)
        for item in self._run.items:
            state, arrived = self._arrive(state, item.thread, item.name, lower, upper)
            if not arrived:
                continue  # a fence that is not there
            pc = state.threads[item.thread].pc
            block = _block(self._program.threads[item.thread].code, pc)
            if self._is_wrong(state, item.thread, upper):
                return True
            for _ in block:
                if state.threads[item.thread].pc in block:
                    state = self._step(state, item.thread, item.choice, lower, upper)
        state, _ = self._arrive(state, self._run.thread, None, lower, upper)
        return self._is_wrong(state, self._run.thread, upper)

    def _arrive(
        self, state: sc_m.State, t: int, name: Name | None, lower: Choice, upper: Choice
    ) -> tuple[sc_m.State, bool]:
        """Runs thread t up to the instruction of this name (or any of the program's own), fences in between included."""
        code = self._program.threads[t].code
        while 0 <= (pc := state.threads[t].pc) < len(code):
            here = code[pc].span
            assert here is not None
            if isinstance(code[pc], Jump):
                state = self._step(state, t, 0, lower, upper)
            elif here.column != INSERTED:
                if name is None or here == name:
                    return state, True
                raise RuntimeError("a run of a repair is none of the program with all changes")
            elif here == name and here.line in upper:
                return state, True
            else:
                block = _block(code, pc)
                if here.line in upper:
                    for _ in block:
                        state = self._step(state, t, 0, lower, upper)
                else:
                    state = _at(state, t, block.stop)
        return state, False

    def _label(self, t: int, step: Step, upper: Choice) -> Label | None:
        """The label of a step, with the orders that `upper` gives it."""
        label = step.label
        name = self._program.threads[t].code[step.pc].span
        orders = self._problem.strengthening.get((t, name)) if name is not None else None
        if label is None or not orders or not isinstance(label.order, Order):
            return label
        order = label.order
        for index, wanted in orders.items():
            if index in upper and not (label.kind == "R*" and wanted is Order.RELEASE):
                order = order.join(wanted)
        return replace(label, order=order)

    def _step(self, state: sc_m.State, t: int, choice: int, lower: Choice, upper: Choice) -> sc_m.State:
        def readable(cell: Cell) -> tuple[int]:
            return (state.memory[cell],)

        possible = steps(self._program, self._program.threads[t], state.threads[t], readable)
        step = next(step for step in possible if step.choice == choice)
        after = sc_m.take(state, t, replace(step, label=self._label(t, step, upper)), self._notion)
        name = self._program.threads[t].code[step.pc].span
        if name is not None and name.column == INSERTED and name.line not in lower:
            return replace(after, sc=state.sc)
        return after

    @cached_property
    def _notion(self) -> Notion:
        return self._problem.notion

    def _is_wrong(self, state: sc_m.State, t: int, upper: Choice) -> bool:
        """Whether the next step of thread t is an error: of those that the program enables, whatever memory holds."""

        def readable(cell: Cell) -> frozenset[int]:
            return state.views.current[t, cell] | {state.memory[cell]}

        for step in steps(self._program, self._program.threads[t], state.threads[t], readable):
            label = self._label(t, step, upper)
            if label is None:
                continue
            if self._racing:
                if sc_m.err_race(state, t, label):
                    return True
            elif sc_m.err_dep(state, t, step):
                return True
            elif (label.kind != "R" or self._notion is Notion.ROBUST) and sc_m.err_sc(state, t, label):
                return True
        return False


def _at(state: sc_m.State, t: int, pc: int) -> sc_m.State:
    moved = replace(state.threads[t], pc=pc)
    return replace(state, threads=(*state.threads[:t], moved, *state.threads[t + 1 :]))


def _with_waits(program: Program, waits: dict[tuple[int, Name], tuple[Instruction, ...]]) -> Program:
    threads = []
    for t, thread in enumerate(program.threads):
        new = {
            pc: waits[t, instruction.span]
            for pc, instruction in enumerate(thread.code)
            if instruction.span is not None and (t, instruction.span) in waits
        }
        threads.append(replace_instructions(thread, new))
    return replace(program, threads=tuple(threads))


__all__ = ["COSTS", "Rc20Learner", "Span", "candidates", "ra_candidates"]
