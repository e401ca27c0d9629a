"""Which program order of a circle a model does not keep, and which fences would make it keep enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from fencepost.models.axiomatic.algebra import Op, RelExpr, Rules, Test
from fencepost.models.axiomatic.execution import Evaluation, Event, Execution, is_consistent
from fencepost.models.axiomatic.explanation import Step
from fencepost.models.relation import Relation
from fencepost.program.form import Isa

# As strong as any, by the names of each processor
FULL_FENCE: dict[Isa, tuple[str, ...]] = {
    Isa.C11: ("SC",),
    Isa.X86: ("MFENCE",),
    Isa.AARCH64: ("DMB.ISH",),
    Isa.ARMV7: ("DMB.ISH",),
    Isa.POWER: ("SYNC",),
    Isa.SPARC: ("MEMBAR.LL", "MEMBAR.LS", "MEMBAR.SL", "MEMBAR.SS"),
}
FULL_FENCE_NAME = {
    Isa.C11: "seq_cst",
    Isa.X86: "mfence",
    Isa.AARCH64: "dmb ish",
    Isa.ARMV7: "dmb ish",
    Isa.POWER: "sync",
    Isa.SPARC: "membar #Sync, all four pairs",
}
_COHERENCE = frozenset({"sc-per-location", "internal"})
_MOST = 3  # fences in a repair


def kept_by(rules: Rules, execution: Execution) -> Relation | None:
    """The order that the model keeps: what its axioms say must not come in a circle, coherence aside. None if none of
    them says so in this form."""
    orders = [
        axiom.expression
        for axiom in rules.axioms
        if isinstance(axiom.expression, RelExpr)
        and axiom.name not in _COHERENCE
        and not axiom.negated
        and (axiom.test is Test.ACYCLIC or (axiom.test is Test.IRREFLEXIVE and axiom.expression.op is Op.PLUS))
    ]
    if not orders:
        return None
    evaluation = Evaluation(execution)
    kept = Relation((0,) * len(execution.events))
    for expression in orders:
        kept |= evaluation.relation(expression).plus
    return kept


def loosened(rules: Rules, execution: Execution, steps: Sequence[Step]) -> tuple[Step, ...]:
    """The pairs of accesses of a thread that the circle takes in program order and that the model may swap."""
    kept = kept_by(rules, execution)
    if kept is None:
        return ()
    return tuple(step for step in stays(steps) if not kept.rows[step.source] >> step.target & 1)


def stays(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Each stay of the circle in a thread, from the access where it comes in to that where it leaves."""
    return tuple(sorted(_in_threads(steps), key=lambda step: step.source))


def _in_threads(steps: Sequence[Step]) -> Iterator[Step]:
    def inside(step: Step) -> bool:
        return step.kind not in ("rf", "co", "fr")

    turn = next((n for n, step in enumerate(steps) if not inside(step)), None)
    if turn is None:
        return
    first: Step | None = None
    for step in (*steps[turn + 1 :], *steps[: turn + 1]):
        if inside(step):
            first = Step(step.source if first is None else first.source, step.target, "po")
        elif first is not None:
            yield first
            first = None


def changes(
    rules: Rules, execution: Execution, loose: Sequence[Step], steps: Sequence[Step], isa: Isa
) -> Iterator[tuple[Step, ...]]:
    """The smallest sets of full fences, each before the later of two events, with which the model forbids the graph.

    First where the model keeps no order, then anywhere on the circle: a fence may make a write reach all threads.
    """
    found = list(_enough(rules, execution, loose, isa))
    yield from found or _enough(rules, execution, stays(steps), isa)


def _enough(rules: Rules, execution: Execution, loose: Sequence[Step], isa: Isa) -> Iterator[tuple[Step, ...]]:
    for size in range(1, min(len(loose), _MOST) + 1):
        enough = [
            chosen
            for chosen in combinations(loose, size)
            if not is_consistent(rules, _fenced(execution, {step.target for step in chosen}, isa))
        ]
        if enough:
            yield from enough
            return


def _fenced(execution: Execution, before: set[int], isa: Isa) -> Execution:
    """The execution with a full fence right before each of these events."""
    fences = sorted(before)
    moved = {old: old + sum(fence <= old for fence in fences) for old in range(len(execution.events))}
    events: list[Event] = []
    for number, event in enumerate(execution.events):
        if number in before:
            events.append(Event(event.thread, "F", frozenset(FULL_FENCE[isa]), None, None, event.pc, event.span))
        events.append(event)

    def carried(relation: Relation) -> Relation:
        return Relation.of(len(events), ((moved[a], moved[b]) for a, b in relation.pairs()))

    given = {name: carried(relation) for name, relation in execution.given.items()}
    return Execution(tuple(events), given, carried(execution.rf), carried(execution.co))
