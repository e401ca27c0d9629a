"""The compiled core (core/bindings/module.cpp)."""

from collections.abc import Sequence
from typing import TypedDict

MAX_THREADS: int
MAX_REGISTERS: int  # of a thread
MAX_CELLS: int
MAX_VALUE: int

class Discovery(TypedDict):
    kind: int
    thread: int
    pc: int
    moves: list[tuple[int, int, tuple[int, ...], bool]]

class Result(TypedDict):
    ending: int
    states: int
    transitions: int
    levels: int
    bytes: int
    undecided: int
    not_rising: int
    violation: Discovery
    assertion: Discovery
    deadlock: Discovery
    range: Discovery

class Program:
    def __init__(self, max_value: int) -> None: ...
    def add_cell(self, initial: int, atomic: bool, classes: Sequence[int], class_count: int) -> None: ...
    def set_range(self, min_value: int, wraps: bool) -> None: ...
    def set_address(self, address: int) -> None: ...
    def set_delays(self, locked: Sequence[int], open_loads: Sequence[int]) -> None: ...
    def add_expression(self, ops: Sequence[int], arguments: Sequence[int]) -> int: ...
    def add_thread(
        self, initial: Sequence[int], live: Sequence[int], reads: Sequence[int], writes: Sequence[int]
    ) -> None: ...
    def add_instruction(
        self,
        *,
        op: int,
        rmw_op: int,
        acquire: bool,
        release: bool,
        failure_acquire: bool,
        reg: int,
        cell: int,
        cells: int,
        index: int,
        first: int,
        second: int,
        target: int,
        targets: Sequence[int],
        used: int,
        flushes: bool = False,
        by_address: bool = False,
    ) -> None: ...
    def add_stale_rule(self, reg: int, cell: int, kept: Sequence[int]) -> None: ...
    def add_symmetric_group(self, group: Sequence[int]) -> None: ...

class Search:
    def run(self) -> Result: ...
    def stop(self) -> None: ...
    @property
    def states(self) -> int: ...
    @property
    def transitions(self) -> int: ...
    @property
    def bytes(self) -> int: ...

def create_search(
    program: Program,
    *,
    monitor: str,
    observational: bool,
    dead_registers: bool,
    fuse_local: bool,
    partial_order: bool,
    symmetry: bool,
    forget: bool,
    subsume: bool,
    compress: bool,
    workers: int,
    max_states: int,
    max_bytes: int,
    max_seconds: float,
    goal: str = "cycle",
) -> Search: ...
