"""Programs changed: in their own text where their language allows it, or in the program form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from fencepost import frontends
from fencepost.frontends.patching import SourcePatcher
from fencepost.program.analysis.flow import flow_of, natural_loops, reachable
from fencepost.program.analysis.rewrite import replace_instructions
from fencepost.program.form import (
    Access,
    BlockingCas,
    Cas,
    Fence,
    Instruction,
    Jump,
    Load,
    Program,
    Rmw,
    Span,
    Store,
    Thread,
    Wait,
)
from fencepost.program.orders import FenceKind, Order

from .edits import Changes, InstructionId, Place, PlaceId


@dataclass(frozen=True, slots=True)
class Edited:
    """A changed program. `fences`: which of its instructions are new. `text`: in the input's language, if it can."""

    program: Program
    fences: Mapping[InstructionId, tuple[PlaceId, FenceKind]]
    text: str | None = None


class Editor(Protocol):
    """One program, the places for fences in each of its threads, and what it is with changes."""

    @property
    def program(self) -> Program: ...

    @property
    def places(self) -> tuple[tuple[Place, ...], ...]: ...

    def apply(self, changes: Changes) -> Edited: ...


def editor_of(program: Program) -> Editor:
    patcher = None if program.source is None else frontends.patcher_of(program.language, program.source)
    return FormEditor(program) if patcher is None else SourceEditor(program, patcher)


def strengthened(instruction: Instruction, orders: frozenset[Order]) -> Instruction:
    """`instruction` with these orders joined to its own."""
    for order in (Order.ACQUIRE, Order.RELEASE):
        if order not in orders:
            continue
        match instruction:
            case Cas(success=success, failure=failure):
                read = failure.join(order) if order is Order.ACQUIRE else failure
                instruction = replace(instruction, success=success.join(order), failure=read)
            case Load() | Store() | Rmw() | BlockingCas() | Wait():
                instruction = replace(instruction, order=instruction.order.join(order))
    return instruction


class FormEditor:
    """Fences go before instructions; control that went to the instruction goes to the fence."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.places = tuple(tuple(_form_places(t, thread)) for t, thread in enumerate(program.threads))

    def apply(self, changes: Changes) -> Edited:
        threads = []
        inserted: dict[InstructionId, tuple[PlaceId, FenceKind]] = {}
        for t, thread in enumerate(self.program.threads):
            added = 0
            new: dict[int, tuple[Instruction, ...]] = {}
            at = {place.pc: (t, number) for number, place in enumerate(self.places[t])}
            for pc, instruction in enumerate(thread.code):
                kinds = changes.fences.get(at[pc], ()) if pc in at else ()
                for kind in kinds:
                    inserted[t, pc + added] = at[pc], kind
                    added += 1
                orders = changes.orders.get((t, pc), frozenset())
                if kinds or orders:
                    fences = (Fence(kind, span=instruction.span) for kind in kinds)
                    new[pc] = (*fences, strengthened(instruction, orders))
            threads.append(replace_instructions(thread, new))
        program = replace(self.program, threads=tuple(threads), source=None, language="builder")
        return Edited(program, inserted)


def _form_places(number: int, thread: Thread) -> Iterator[Place]:
    depths = loop_depths(thread)
    for pc in useful_places(thread):
        yield Place(number, pc, depths[pc], thread.code[pc].span)


class SourceEditor:
    """The text is changed and read again."""

    def __init__(self, program: Program, patcher: SourcePatcher) -> None:
        self.program = program
        self._patcher = patcher
        self._numbers: dict[PlaceId, int] = {}
        self.places = self._find_places()

    def apply(self, changes: Changes) -> Edited:
        fences = {self._numbers[place]: kinds for place, kinds in changes.fences.items()}
        orders = {}
        for (t, pc), wanted in changes.orders.items():
            span = self.program.threads[t].code[pc].span
            assert span is not None
            orders[span] = wanted
        program, new, text = self._patched(orders, fences)
        places = {number: place for place, number in self._numbers.items()}
        return Edited(program, {where: (places[number], kind) for where, (number, kind) in new.items()}, text)

    def _patched(
        self, orders: Mapping[Span, frozenset[Order]], fences: Mapping[int, tuple[FenceKind, ...]]
    ) -> tuple[Program, dict[InstructionId, tuple[int, FenceKind]], str]:
        patch = self._patcher.patched(orders, fences)
        read = frontends.loads(patch.text, self.program.name, self.program.language)
        own = self.program  # whose range of values may not be that of the text (--values)
        program = replace(read, name=own.name, min_value=own.min_value, max_value=own.max_value, elastic=own.elastic)
        new = {
            (t, pc): patch.fences[instruction.span]
            for t, thread in enumerate(program.threads)
            for pc, instruction in enumerate(thread.code)
            if isinstance(instruction, Fence) and instruction.span is not None and instruction.span in patch.fences
        }
        return program, new, patch.text

    def _find_places(self) -> tuple[tuple[Place, ...], ...]:
        """Where a fence on trial ends up between accesses."""
        everywhere = dict.fromkeys(range(len(self._patcher.places)), (FenceKind.SEQ_CST,))
        tried, new, _ = self._patched({}, everywhere)
        found: list[list[Place]] = [[] for _ in self.program.threads]
        for t, thread in enumerate(tried.threads):
            useful, depths = set(useful_places(thread)), loop_depths(thread)
            originals = [pc for pc, own in enumerate(self.program.threads[t].code) if not isinstance(own, Jump)]
            passed = 0
            for pc, instruction in enumerate(thread.code):
                if (t, pc) in new:
                    number = new[t, pc][0]
                    if pc in useful and number not in self._numbers.values():  # a place may have several copies
                        self._numbers[t, len(found[t])] = number
                        source = self._patcher.places[number]
                        following = originals[passed] if passed < len(originals) else len(thread.code)
                        found[t].append(Place(t, following, depths[pc], source.span, source.name))
                elif not isinstance(instruction, Jump):
                    passed += 1
        return tuple(map(tuple, found))


def useful_places(thread: Thread) -> Iterator[int]:
    """The instructions before which a fence may matter: some access may run before it, and some after it.

    Elsewhere it orders nothing, for any model: a thread's first and last SC fence can be first and last of all.
    """
    flow = flow_of(thread)
    accesses = [pc for pc, instruction in enumerate(thread.code) if isinstance(instruction, Access)]
    after = reachable(flow.successors, (target for pc in accesses for target in flow.successors[pc]))
    before = reachable(flow.predecessors, accesses)
    for pc, instruction in enumerate(thread.code):
        if pc in after and pc in before and not isinstance(instruction, Jump):
            yield pc


def loop_depths(thread: Thread) -> list[int]:
    """In how many loops each instruction is."""
    loops = natural_loops(flow_of(thread))
    return [sum(pc in loop.body for loop in loops) for pc in range(len(thread.code))]
