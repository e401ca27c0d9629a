"""What a violation says to who must act: why it can happen, and which change would forbid it.

A violation is a write w and an access a with w before a in hb_SC, by a path, and not in happens-before. Two ways to
make it so (both follow from the model's axioms, docs/sanitizer.md tells how):

- If the path goes from thread to thread only by reads of what was written, these need to synchronise: release and
  acquire.
- Else a read or a write is overtaken on it. Then SC fences, one in each thread between where the path enters and where
  it leaves it, force the order of the path; so do seq_cst accesses all along it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .results import Event, Kind
from .wording import place, reads, thread, value, what, writes

_RELEASES = ("release", "acq_rel", "seq_cst")
_ACQUIRES = ("acquire", "consume", "acq_rel", "seq_cst")


@dataclass(frozen=True, slots=True)
class Step:
    """From one event of the path to the next: po, rf, mo, fr, or sync for all that is no access of memory."""

    source: Event
    target: Event
    kind: str


def steps(chain: Sequence[Event]) -> list[Step]:
    return [Step(source, target, _kind(source, target)) for source, target in pairwise(chain)]


def _kind(source: Event, target: Event) -> str:
    if source.thread == target.thread:
        return "po"
    if source.address is None or source.address != target.address:
        return "sync"
    if writes(source):
        return "rf" if reads(target) else "mo"
    return "fr" if writes(target) else "sync"


_WORDS = {
    "rf": "reads what it wrote",
    "mo": "overwrites what it wrote",
    "fr": "overwrites what it read",
    "sync": "comes after it",
}


def reasons(chain: Sequence[Event]) -> Iterator[str]:
    """Why the last event of the chain comes after the first under SC, in sentences; and why the model lets it not."""
    for step in steps(chain):
        if step.kind == "po":
            yield f"{place(step.source)} comes before {place(step.target)} in {thread(step.target)}"
        else:
            target = f"the {what(step.target)} at {place(step.target)}, {thread(step.target)},"
            yield f"{target} {_WORDS[step.kind]}: the {what(step.source)} at {place(step.source)}"


def repairs(chain: Sequence[Event], *, path_known: bool) -> Iterator[str]:
    """Changes, each of which is enough for this violation."""
    between = [step for step in steps(chain) if step.kind != "po"]
    if path_known and between and all(step.kind == "rf" for step in between):
        changes = [change for step in between for change in _synchronise(step)]
        if changes:
            yield _joined(changes)
        yield from _sequential(chain)
        return
    fences = list(_fences(chain)) if path_known else []
    if fences:
        yield _joined(fences)
    elif not path_known:
        yield (
            f"an SC fence (atomic_thread_fence(memory_order_seq_cst)) after the {what(chain[0])} at {place(chain[0])}, "
            f"and one before the {what(chain[-1])} at {place(chain[-1])}"
        )
    yield from _sequential(chain)


def _synchronise(step: Step) -> Iterator[str]:
    if step.source.order not in _RELEASES:
        yield f"make the {what(step.source)} at {place(step.source)} release"
    if step.target.order not in _ACQUIRES:
        yield f"make the {what(step.target)} at {place(step.target)} acquire"


def _fences(chain: Sequence[Event]) -> Iterator[str]:
    """An SC fence in each part of the chain that stays in a thread for more than one event, if it has none."""
    part: list[Event] = []
    for event in [*chain, None]:
        if event is not None and (not part or part[-1].thread == event.thread):
            part.append(event)
            continue
        if len(part) > 1 and not any(inside.what == "fence" and inside.order == "seq_cst" for inside in part):
            yield f"put an SC fence between {place(part[0])} and {place(part[-1])} ({thread(part[0])})"
        part = [] if event is None else [event]


def _sequential(chain: Sequence[Event]) -> Iterator[str]:
    weak = [event for event in chain if event.order not in ("seq_cst", "", "plain") and event.what != "fence"]
    places = list(dict.fromkeys(f"{place(event)}" for event in weak))
    if places:
        yield f"make these accesses seq_cst: {', '.join(places)}"


def _joined(changes: Sequence[str]) -> str:
    return ", and ".join(dict.fromkeys(changes))


def headline(kind: str, access: Event, missed: Event, stale: Event | None) -> str:
    """One sentence: what goes wrong."""
    newer = f"the {what(missed)} at {place(missed)}"
    newer_value = value(missed)
    if newer_value is not None:
        newer += f", which wrote {newer_value},"
    subject = f"the {what(access)} at {place(access)}"
    if kind in ("write", "store"):
        return f"{subject} may be overwritten by {newer} although that comes first under SC"
    old = value(stale)
    seen = "an old value" if old is None else f"the old value {old}"
    if kind == "wait":
        return f"{subject} may end with {seen}, although {newer} comes first under SC"
    if kind in ("bcas", "cas"):
        return f"{subject} may go by {seen}, although {newer} comes first under SC"
    return f"{subject} may read {seen}, although {newer} comes first under SC"


def race_headline(first: Event, second: Event) -> str:
    return (
        f"data race: the {what(second)} at {place(second)}, {thread(second)}, is not ordered with "
        f"the {what(first)} at {place(first)}, {thread(first)}"
    )


def race_advice(first: Event, second: Event) -> tuple[str, ...]:
    plain = [event for event in (first, second) if event.order == "plain" or event.what in ("read", "write")]
    advice = [
        "let the one hand over to the other: a release store after the first access, which an acquire load before the "
        "second one reads; or a mutex around both"
    ]
    if plain:
        advice.append("or make the variable atomic, if the accesses are meant to run at the same time")
    return tuple(advice)


def title(kind: Kind) -> str:
    """Of a finding of this kind, in a report."""
    return {
        Kind.VIOLATION: "not robust",
        Kind.RACE: "data race",
        Kind.CRASH: "crash",
        Kind.DEADLOCK: "deadlock",
        Kind.FAILURE: "failed run",
        Kind.HANG: "no end",
        Kind.TROUBLE: "remark",
        Kind.BENIGN_WAIT: "benign wait",
    }[kind]
