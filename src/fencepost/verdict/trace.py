"""The steps of a witness, one after the other, with what each of them does."""

from __future__ import annotations

from collections.abc import Iterator

from fencepost.models.evidence import Evidence
from fencepost.models.execution import EventId
from fencepost.program.form import Access, Jump

from .effects import DOES, MAY, Verbs, access_effect, effect
from .scene import Scene
from .types import TraceStep, WitnessKind


def trace(scene: Scene, kind: WitnessKind) -> Iterator[TraceStep]:
    """The run, then the step at fault. Steps that a reader need not follow are left out."""
    registers = [thread.initial_registers() for thread in scene.program.threads]
    view = scene.view
    for taken in scene.taken:
        thread, step, event = taken.thread, taken.step, taken.event
        instruction = scene.instruction((thread, step.pc))
        values = registers[thread]
        registers[thread] = dict(zip(values, step.after.registers, strict=True))
        if isinstance(instruction, Jump) or (event is not None and view.shown.get(event) != event):
            continue
        if event is not None and view.is_hidden(event):
            yield TraceStep(thread, instruction.span, "fence", view.number[event], "fence(seq_cst)")
        elif event is not None and step.label is not None and scene.label(event) != step.label:
            yield _step(scene, event, f"{_access(scene, event, MAY)}, a stale value; SC has {step.label.read}")
        elif words := effect(scene.program, instruction, step, values):
            number = None if event is None else view.number[event]
            yield TraceStep(thread, instruction.span, words, number, scene.code((thread, step.pc)))
    if scene.evidence is not None:
        yield _step(scene, scene.evidence.offending, _at_fault(scene, kind, scene.evidence))


def _step(scene: Scene, event: EventId, words: str) -> TraceStep:
    place = scene.places[event]
    return TraceStep(event.thread, scene.span(place), words, scene.view.number[event], scene.code(place))


def _at_fault(scene: Scene, kind: WitnessKind, evidence: Evidence) -> str:
    event, newest = evidence.offending, evidence.newest
    label = scene.label(event)
    match kind:
        case WitnessKind.RACE if evidence.racing is not None:
            return f"{_access(scene, event, DOES)}, in a race with {scene.who(evidence.racing)}"
        case WitnessKind.STALE_ACCESS if newest is not None and not evidence.ordering:
            return f"{_access(scene, event, DOES)}, or an older value"
        case WitnessKind.STALE_ACCESS if newest is not None and label.read is None:
            return f"{_access(scene, event, MAY)} before {scene.write(newest)} of {scene.who(newest)}"
        case WitnessKind.STALE_ACCESS if newest is not None:
            return f"{_access(scene, event, MAY)}, a stale value; SC has {scene.graph.written(newest)}"
    reads = sorted({scene.cell(read) for read in evidence.used})
    return f"uses a value of {' and '.join(reads)} that may be stale"


def _access(scene: Scene, event: EventId, verbs: Verbs) -> str:
    instruction = scene.instruction(scene.places[event])
    if not isinstance(instruction, Access):
        raise ValueError(f"no access: {instruction}")
    return access_effect(scene.program, instruction, scene.label(event), verbs)
