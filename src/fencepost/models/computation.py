"""What a model shows for a violation by an operational witness: a computation, its trace, and the cycle in it."""

from __future__ import annotations

from dataclasses import dataclass

from fencepost.program.lts import Cell, Step

from .evidence import Link
from .execution import EventId, Graph


class InvalidWitnessError(RuntimeError):
    """A schedule that is no witness by the definition: an error of fencepost, never of the program."""


@dataclass(frozen=True, slots=True)
class Did:
    """An action of a computation: a thread's instruction or, without `step`, a delayed store (`event`) that arrives."""

    thread: int
    step: Step | None
    event: EventId | None = None
    early: bool = False  # a load that reads the thread's own delayed store
    cell: Cell | None = None  # of a store that arrives
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Computation:
    """`store` is the first delayed store of the attacker, `load` the load that overtakes it.

    `cycle` are links of happens-before that begin at `store`; for a race, that of its last event with `load` alone.
    """

    graph: Graph
    done: tuple[Did, ...]
    attacker: int
    store: EventId
    load: EventId
    cycle: tuple[Link, ...]
    race: EventId | None = None  # the other access of a triangular race
