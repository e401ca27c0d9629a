"""Repairs under TSO: full fences.

Thesis of Derevenetc, section 6.5, by implicit hitting sets. A witness (Theorem 6.5) delays the stores of one thread
from one instruction to another and is a run under SC otherwise. Fences elsewhere do not touch it, so it is one of every
program that has no fence where that thread passes in between: every repair has one of those. Fences only forbid, so
what a repair needs, no fence makes superfluous. The same holds of each instance of a program with templates, in all
copies of which the fences of a template stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fencepost.models.computation import Computation, Did
from fencepost.program.analysis.flow import flow_of
from fencepost.program.form import Instruction, Isa, Jump, Program, Span, Store
from fencepost.program.lts import Step, ThreadState, initial_state, steps
from fencepost.program.orders import FenceKind, Order
from fencepost.program.places import Lines
from fencepost.program.templates import instance_of
from fencepost.verdict.types import Witness

from .editor import Editor
from .edits import Edit, InstructionId
from .optimum import Choice, Clause
from .problem import INSERTED, Problem
from .vocabulary import Vocabulary

COSTS: Mapping[Order | FenceKind, Fraction] = {FenceKind.SEQ_CST: Fraction(1), FenceKind.MFENCE: Fraction(1)}


def candidates(editor: Editor) -> Iterator[Edit]:
    """A full fence at every place."""
    kind = FenceKind.MFENCE if editor.program.isa is Isa.X86 else FenceKind.SEQ_CST
    for t, places in enumerate(editor.places):
        for number, place in enumerate(places):
            yield Edit(t, place.pc, kind, place.depth, number, place.span, place.name)


@dataclass(frozen=True)
class TsoLearner:
    """One clause for each violation."""

    problem: Problem

    def learn(self, chosen: Choice, witness: Witness) -> list[Clause]:
        """One of the fences that would stand in the way of the delayed store.

        If some of `chosen` stands in a loop that only waits, and makes it one that does not, the run is none of
        programs where it still waits: then the clause is about repairs with all of `chosen`.
        """
        problem = self.problem
        prepared = problem.info.prepare(instance_of(problem.decided(chosen), witness.copies))
        parts = ((move.thread, move.instructions, move.choices, move.delays) for move in witness.schedule)
        computation = problem.info.computation(prepared, parts, problem.notion)
        waits = problem.waits(chosen)
        full = problem.info.prepare(instance_of(problem.full_with(waits), witness.copies))
        passed = Choice(_passed(prepared, full, computation))
        return [Clause(passed, Choice() if waits == problem.waits(Choice()) else chosen)]


def _passed(program: Program, full: Program, computation: Computation) -> Iterator[int]:
    """The candidates that the attacker passes after its first delayed store and before its last load.

    Its part of a computation of `program` is run on `full`, which has every candidate.
    """
    attacker = computation.attacker
    thread = full.threads[attacker]
    mine = [did for did in computation.done if did.thread == attacker and did.step is not None]
    state = initial_state(thread)
    delaying = False
    for did in mine:
        assert did.step is not None
        name = program.threads[attacker].code[did.step.pc].span
        if isinstance(program.threads[attacker].code[did.step.pc], Jump) or _is_inserted(name):
            continue
        while _is_inserted(here := thread.code[state.pc].span) or isinstance(thread.code[state.pc], Jump):
            if delaying and here is not None and _is_inserted(here):
                yield here.line
            state = _after(full, attacker, state, did).after
        if here != name:
            raise RuntimeError("a run of a repair is none of the program with all changes")
        if did.event == computation.load:
            return
        state = _after(full, attacker, state, did).after
        delaying = delaying or did.event == computation.store


def _is_inserted(name: Span | None) -> bool:
    return name is not None and name.column == INSERTED


def _after(program: Program, thread: int, state: ThreadState, did: Did) -> Step:
    """The next step of the thread, with the choice that `did` made and the value that it read."""
    assert did.step is not None
    label, choice = did.step.label, did.step.choice
    read = () if label is None or label.read is None else (label.read,)
    possible = list(steps(program, program.threads[thread], state, lambda cell: read))
    return next((step for step in possible if step.choice == choice), possible[0])


def hint(program: Program, place: InstructionId) -> str | None:
    """Where control comes to the fence from a store alone, that store can be locked instead: it flushes as well."""
    thread = program.threads[place[0]]
    flow = flow_of(thread)
    before, waiting = set[int](), [place[1]]
    while waiting:
        for pc in flow.predecessors[waiting.pop()]:
            if pc not in before:
                before.add(pc)
                waiting += [pc] if isinstance(thread.code[pc], Jump) else []
    origins: list[Instruction] = [thread.code[pc] for pc in sorted(before) if not isinstance(thread.code[pc], Jump)]
    if place[1] == 0 or not origins or not all(isinstance(origin, Store) for origin in origins):
        return None
    lines = Lines(program)
    stores = " and ".join(lines.text(origin.span, "the store") for origin in origins)
    return f"a locked exchange (x86 xchg, C11 seq_cst store) in place of the store before it does the same: {stores}"


VOCABULARY = Vocabulary(
    candidates=candidates,
    costs=COSTS,
    learner=TsoLearner,
    words="fences",
    hint=hint,
)
