"""From a run that has been replayed, and the evidence that a model gives, to a witness that a person can read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fencepost.models.evidence import Evidence, Place
from fencepost.models.generation import Generated
from fencepost.models.registry import ModelInfo
from fencepost.program.form import Program

from .reasons import headline, reasons
from .scene import Scene
from .trace import trace
from .types import Change, Edge, Move, Repair, Witness, WitnessKind

if TYPE_CHECKING:
    from .replay import Taken


def describe(
    program: Program,
    state: Generated,
    taken: tuple[Taken, ...],
    schedule: tuple[Move, ...],
    thread: int,
    kind: WitnessKind,
    info: ModelInfo,
    evidence: Evidence | None,
) -> Witness:
    """The witness for a run to `state`.

    `evidence` is about the next instruction of `thread`; without it, the last step of the run fails an assertion, or
    nobody can move any more and `thread` waits.
    """
    scene = Scene(program, state, taken, thread, info, evidence)
    steps = tuple(trace(scene, kind))
    view, cycle = scene.view, scene.view.cycle(scene.links)
    edges = view.edges(cycle)
    if evidence is not None and evidence.racing is not None:
        edges = (*edges, Edge(view.number[evidence.racing], view.number[evidence.offending], "race"))
    if kind is WitnessKind.ASSERTION:
        span = scene.span((thread, taken[-1].step.pc))
    else:
        span = scene.span((thread, state.threads[thread].pc))
    return Witness(
        kind=kind,
        schedule=schedule,
        headline=headline(scene, kind),
        trace=steps,
        reasons=tuple(reasons(scene, kind)),
        repairs=tuple(_repairs(scene)),
        events=view.events(),
        edges=edges,
        cycle=cycle,
        confirmed=evidence is None or evidence.confirmed,
        thread=thread,
        span=span,
    )


def _repairs(scene: Scene) -> Iterator[Repair]:
    if scene.evidence is None:
        return
    for changes in scene.info.repairs(scene.evidence, scene.links, scene.places):
        yield Repair(tuple(_change(scene, change.place, change.what) for change in changes))


def _change(scene: Scene, place: Place, what: str) -> Change:
    return Change(place[0], scene.span(place), what, scene.code(place))
