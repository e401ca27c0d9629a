"""What a search for the places that threads come to answers."""

from __future__ import annotations

from dataclasses import dataclass

from .computation import Did
from .execution import Graph

Visit = tuple[int, int]  # a thread and a pc


@dataclass(frozen=True, slots=True)
class Arrival:
    """A thread comes to a place to which it never comes under SC: the computation that leads there, and its trace.

    `moves` are its steps: a thread, how many instructions it runs, and its choices; with 0 instructions, the oldest
    store in its buffer reaches memory.
    """

    where: Visit
    moves: tuple[tuple[int, int, tuple[int, ...]], ...]
    done: tuple[Did, ...]
    graph: Graph


@dataclass(frozen=True, slots=True)
class Reached:
    """`longest`: how many stores a buffer held at most; `bounded`: it would have been more without the bound.

    `left`: some runs leave the values that are followed. `stopped`: not everything was searched.
    """

    states: int
    failed: bool  # an assertion, under SC
    arrival: Arrival | None
    longest: int = 0
    bounded: bool = False
    left: bool = False
    stopped: bool = False
