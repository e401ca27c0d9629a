"""What a search may use, and which reductions it applies. Nothing here changes a verdict, except to Unknown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Reduction(Enum):
    """What makes the search smaller. Each can be switched off; a verdict never depends on one."""

    LIVENESS = "liveness"  # registers that no later step reads count as 0
    FORGET = "forget"  # monitor entries that no later access can consult are dropped
    VALUES = "values"  # values that nothing waits for are one value to the monitor
    STALENESS = "staleness"  # registers that only matter if a lost race had been won count as 0
    LAG = "lag"  # values of a counter that lag far behind it are one value, as long as nothing tells them apart
    BUDGETS = "budgets"  # limits that only keep a counter in the range of values are ignored if nothing goes wrong then
    FUSE = "fuse"  # local steps run together with the next shared access
    PARTIAL_ORDER = "partial-order"  # of independent steps, one order is enough
    SYMMETRY = "symmetry"  # states that differ only by swapping equal threads are one state
    SUBSUME = "subsume"  # of states that differ in the monitor only, those that see most are enough
    ORDER = "order"  # states that see most are searched first, so that they cover the others (needs subsume)
    PAIRS = "pairs"  # for any number of threads: states with two members that are never there at once are left out
    COMPRESS = "compress"  # what the monitor remembers is stored once for all states that share it


ALL_REDUCTIONS = frozenset(Reduction)
DEFAULT_BUFFER = 4


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The budgets of a search; None means without limit (`jobs`: as many workers as there are processors).

    `buffer`: how many stores a store buffer holds at most, where the question is about what threads come to; None: as
    many as there can be in threads without loops, else DEFAULT_BUFFER.
    """

    jobs: int | None = None
    timeout: float | None = None  # seconds
    memory: int | None = None  # bytes
    max_states: int | None = None
    reductions: frozenset[Reduction] = ALL_REDUCTIONS
    buffer: int | None = None
    unroll: int = 2  # where executions are enumerated: how often control may come back to a place

    def __post_init__(self) -> None:
        for name in ("jobs", "timeout", "memory", "max_states", "buffer", "unroll"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"{name} must be positive, not {value}")
