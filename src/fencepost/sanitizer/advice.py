"""What a violation says to who must act: why it can happen, and which change would forbid it.

A violation is a write w and an access a with w before a in hb_SC, and not in happens-before. The runtime remembers the
path from w to a by the accesses at which another thread came to know of w: the first of them follows an access of w's
thread to the same location (which is not remembered), and so on; the last of them is in a's thread. Two ways to forbid
it, both by the model's axioms:

- If the path goes from thread to thread only by reads of what was written, these need to synchronise: release, acquire.
- Else a read or a write is overtaken on it. Then SC fences, one in each thread between where the path enters and where
  it leaves it, force the order of the path; so does making all accesses of these locations seq_cst.
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
    """From one event of the path to the next."""

    source: Event
    target: Event

    @property
    def stays(self) -> bool:
        """In the thread."""
        return self.source.thread is not None and self.source.thread == self.target.thread

    @property
    def is_direct(self) -> bool:
        """The target reads or overwrites what the source itself wrote."""
        return writes(self.source) and self.source.address is not None and self.source.address == self.target.address

    @property
    def overtakes(self) -> bool:
        """The target may come in by overwriting: what it overwrites, acquiring it does not help."""
        return writes(self.target)


def _steps(chain: Sequence[Event]) -> list[Step]:
    return [Step(source, target) for source, target in pairwise(chain)]


def reasons(chain: Sequence[Event]) -> Iterator[str]:
    """Why the last event of the chain comes after the first under SC, in sentences."""
    for step in _steps(chain):
        if step.stays:
            yield f"{place(step.source)} comes before {place(step.target)} in {thread(step.target)}"
            continue
        verb = "overwrites" if step.overtakes else "reads"
        target = f"the {what(step.target)} at {place(step.target)}, {thread(step.target)}, {verb}"
        if step.is_direct:
            yield f"{target} what {place(step.source)} wrote"
        elif step.overtakes:
            yield f"{target} what the thread of {place(step.source)} read or wrote after that"
        else:
            yield f"{target} what the thread of {place(step.source)} wrote after that"


def repairs(chain: Sequence[Event], *, path_known: bool) -> Iterator[str]:
    """Changes, each of which is enough for this violation."""
    found = list(_repairs(chain)) if path_known else []
    yield from found or [f"{_SC_FENCE} after {place(chain[0])}, and one before {place(chain[-1])}"]


def _repairs(chain: Sequence[Event]) -> Iterator[str]:
    between = [step for step in _steps(chain) if not step.stays]
    only_reads = bool(between) and all(reads(step.target) for step in between)
    if only_reads:
        changes = [change for step in between for change in _synchronise(step)]
        if changes:
            condition = " (if these read what was written there)" if any(step.overtakes for step in between) else ""
            yield _joined(changes) + condition
    if any(step.overtakes for step in between) or not only_reads:
        yield _joined(list(_fences(chain)))
        yield "make all accesses of these locations seq_cst: those at " + ", ".join(
            dict.fromkeys(place(event) for event in (*chain[1:-1], chain[-1]))
        )


_SC_FENCE = "put an SC fence, atomic_thread_fence(memory_order_seq_cst),"


def _synchronise(step: Step) -> Iterator[str]:
    source, target = step.source, step.target
    if step.is_direct and source.order not in _RELEASES:
        yield f"make the {what(source)} at {place(source)} release"
    elif not step.is_direct:
        yield f"let the write that {place(target)} reads be release"
    if target.order not in _ACQUIRES:
        yield f"make the {what(target)} at {place(target)} acquire"


def _fences(chain: Sequence[Event]) -> Iterator[str]:
    """One in each thread on the way, between where the path enters and where it leaves it."""
    first = True
    for step in _steps(chain):
        if step.stays:
            fence = f"between {place(step.source)} and {place(step.target)}"
        elif step.is_direct:
            continue
        else:
            fence = f"after {place(step.source)}, before that thread goes on to what {place(step.target)} accesses"
        yield f"{_SC_FENCE if first else 'one'} {fence}"
        first = False


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
