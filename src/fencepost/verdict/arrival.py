"""Witnesses of state-robustness: a computation that brings a thread to where it does not come under SC."""

from __future__ import annotations

from fencepost.models.reached import Arrival
from fencepost.models.registry import ModelInfo
from fencepost.program.form import Program
from fencepost.program.lts import FAILED

from .computation import Steps
from .types import Move, Witness, WitnessKind


def witness(program: Program, arrival: Arrival, info: ModelInfo) -> Witness:
    steps = Steps(program, info, arrival.graph, arrival.done)
    thread, pc = arrival.where
    code = program.threads[thread].code
    mine = [did.step.pc for did in arrival.done if did.thread == thread and did.step is not None]
    last = code[mine[-1]].span if mine else None
    return Witness(
        kind=WitnessKind.STATE,
        schedule=tuple(Move(*move) for move in arrival.moves),
        headline=f"thread {steps.name(thread)} comes {_place(steps, thread, pc)}, where it never comes under SC",
        trace=tuple(steps.trace()),
        events=steps.view.events(),
        edges=steps.view.edges(),
        thread=thread,
        span=code[pc].span or last if 0 <= pc < len(code) else last,
    )


def _place(steps: Steps, thread: int, pc: int) -> str:
    names = dict(steps.program.threads[thread].places)
    code = steps.program.threads[thread].code
    if pc in names:
        return f"to state {names[pc]}"
    if pc == FAILED:
        return "to an assertion that fails"
    if pc == len(code):
        return "to its end"
    span = code[pc].span
    return f"to instruction {pc}" if span is None else f"to {steps.lines.where(span)}"
