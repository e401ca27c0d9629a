"""What goes wrong in a witness, in one sentence, and why, in a few more."""

from __future__ import annotations

from collections.abc import Iterator

from fencepost.models.evidence import Evidence, Gap
from fencepost.models.execution import INIT, EventId
from fencepost.program.form import BlockingCas, Wait
from fencepost.program.lts import is_over, named_cell

from .effects import awaited, failure
from .scene import Scene
from .types import WitnessKind


def headline(scene: Scene, kind: WitnessKind) -> str:
    evidence = scene.evidence
    match kind:
        case WitnessKind.ASSERTION:
            return _failure(scene)
        case WitnessKind.DEADLOCK:
            return _deadlock(scene)
        case WitnessKind.RACE if evidence is not None:
            return _race(scene, evidence)
        case WitnessKind.STALE_USE if evidence is not None:
            return _stale_use(scene, evidence)
        case WitnessKind.STALE_ACCESS if evidence is not None:
            return _stale_access(scene, evidence)
    raise ValueError(f"no evidence for {kind}")


def reasons(scene: Scene, kind: WitnessKind) -> Iterator[str]:
    """Sentences, the most important one first. The cycle speaks for itself."""
    evidence = scene.evidence
    match kind:
        case WitnessKind.ASSERTION:
            yield from _where_values_come_from(scene)
        case WitnessKind.DEADLOCK:
            yield from _who_waits(scene)
        case WitnessKind.RACE:
            yield (
                "Both access the same location, one of them writes, one is not atomic, and no chain of program order "
                "and synchronisation (an acquire that reads from a release) leads from the first to the second."
            )
        case _ if evidence is not None:
            yield from (_gap(scene, gap) for gap in evidence.gaps)
            if not evidence.ordering:
                yield "No execution that shows it could be built from this one."
            if not evidence.confirmed:
                yield (
                    "This may be a false alarm: it is not certain that the program can tell. What is checked for "
                    "observational robustness is sound, not complete (Example 4.19 of the paper)."
                )


# A headline for each kind


def _stale_access(scene: Scene, evidence: Evidence) -> str:
    event, stale, newest = evidence.offending, evidence.stale, evidence.newest
    assert stale is not None
    assert newest is not None
    name, where = scene.name(event.thread), scene.where(scene.places[event])
    new = f"{scene.write(newest)} {_origin(scene, newest)}"
    if scene.label(event).read is None:
        order = f"in the order of the writes to {scene.cell(event)}"
        mine = f"{scene.write(event)} ({where})"
        return f"thread {name} may put {mine} before {new} {order}, although under SC it comes after"
    seen = f"{scene.write(stale)} {_origin(scene, stale)}"
    if not evidence.ordering:
        return f"thread {name} may see {seen} at {where}, for all that is known, although {new} comes first under SC"
    return f"thread {name} may read {seen} at {where}, although {new} comes first under SC"


def _stale_use(scene: Scene, evidence: Evidence) -> str:
    event = evidence.offending
    read = min(evidence.used)
    where = f"{scene.where(scene.places[event])} of thread {scene.name(event.thread)}"
    if not evidence.ordering or evidence.stale is None:
        return (
            f"{where} uses a value of {scene.cell(read)} that {scene.where(scene.places[read])} may have read too early"
        )
    seen = f"{scene.write(evidence.stale)} {_origin(scene, evidence.stale)}"
    new = (
        ""
        if evidence.newest is None
        else f", and missed {scene.write(evidence.newest)} {_origin(scene, evidence.newest)}"
    )
    return f"{where} uses a stale value: {scene.where(scene.places[read])} may have read {seen}{new}"


def _race(scene: Scene, evidence: Evidence) -> str:
    first, second = evidence.racing, evidence.offending
    assert first is not None
    names = f"threads {scene.name(first.thread)} and {scene.name(second.thread)}"
    does = [f"{scene.where(scene.places[event])} {_verb(scene, event)} it" for event in (first, second)]
    return f"{names} race on {scene.cell(second)}: {does[0]} and {does[1]}, and nothing orders the two"


def _verb(scene: Scene, event: EventId) -> str:
    return "reads" if scene.label(event).written is None else "writes"


def _failure(scene: Scene) -> str:
    thread, pc = scene.thread, scene.taken[-1].step.pc
    words = failure(scene.program, scene.instruction((thread, pc)), scene.registers(thread))
    return f"{words}, at {scene.where((thread, pc))} of thread {scene.name(thread)}"


def _deadlock(scene: Scene) -> str:
    waiting = list(_waiting(scene))
    names = [scene.name(thread) for thread in waiting]
    who = f"thread {names[0]} waits" if len(names) == 1 else f"threads {', '.join(names[:-1])} and {names[-1]} wait"
    return f"{who} for ever, and nobody else can move"


# Reasons


def _origin(scene: Scene, write: EventId) -> str:
    """Where a write comes from, in brackets."""
    if write.thread == INIT:
        return "(the initial value)"
    return f"({scene.where(scene.places[write])}, thread {scene.name(write.thread)})"


def _gap(scene: Scene, gap: Gap) -> str:
    """A step of the cycle that SC orders and the model does not."""
    first, second = gap.link.source, gap.link.target
    one, other = scene.who(first), scene.who(second)
    match gap.link.kind:
        case "rf":
            step = f"{other} reads {scene.write(first)} from {one}"
        case "fr":
            step = f"{one} reads {scene.cell(first)} before {other} writes it"
        case "mo":
            step = f"{one} writes {scene.cell(first)} before {other} does"
        case kind:
            step = f"{one} comes before {other} ({kind})"
    return f"{step}, {gap.why}"


def _where_values_come_from(scene: Scene) -> Iterator[str]:
    """For each register that a failed assertion uses: the reads that it depends on."""
    step = scene.taken[-1].step
    for register in sorted(step.reads):
        for read in sorted(scene.state.origins_of(scene.program, scene.thread, (register,))):
            source = scene.graph.event(read).source
            assert source is not None
            value = scene.label(read).read
            yield (
                f"{register} depends on {scene.where(scene.places[read])}, which read {scene.cell(read)} = {value} "
                f"{_origin(scene, source)}"
            )


def _waiting(scene: Scene) -> Iterator[int]:
    for number, thread in enumerate(scene.program.threads):
        if not is_over(thread, scene.state.threads[number]):
            yield number


def _who_waits(scene: Scene) -> Iterator[str]:
    """For each blocked thread: what it waits for, and what is there instead."""
    for thread in _waiting(scene):
        place = (thread, scene.state.threads[thread].pc)
        instruction = scene.instruction(place)
        if not isinstance(instruction, Wait | BlockingCas):
            continue
        values = scene.registers(thread)
        cell = named_cell(scene.program, instruction.ref, values)
        assert cell is not None
        newest = scene.graph.newest(cell)
        goal = awaited(scene.program, instruction, values)
        there = f"{scene.write(newest)} {_origin(scene, newest)}"
        yield f"Thread {scene.name(thread)} waits at {scene.where(place)} until {goal}, but {there} stays."
