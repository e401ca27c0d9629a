"""The compiled core (core/bindings/module.cpp)."""

from collections.abc import Sequence
from typing import TypedDict

MAX_THREADS: int
MAX_REGISTERS: int  # of a thread
MAX_CELLS: int
MAX_VALUE: int
MAX_INTEGER: int

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
    told_apart: tuple[int, int, int]  # a thread, a set of its registers, a set of cells
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
    def add_lag(self, thread: int, reg: int, cell: int, by: int) -> None: ...
    def add_cell_lag(self, cell: int, counter: int, by: int) -> None: ...
    def set_moving(self, cell: int, by: int) -> None: ...
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
    heaviest_first: bool = False,
) -> Search: ...

_Graph = tuple[tuple[int, ...], tuple[tuple[int, int], ...], tuple[tuple[int, ...], ...]]
_Step = tuple[int, int, int, int, bool]

class Graphs(TypedDict):
    ending: int
    executions: int
    over: int
    blocked: int
    failed: int
    cut: int
    choices: int
    skeletons: int
    states: list[tuple[tuple[int, ...], int, _Graph]]
    judgements: list[tuple[int, int, _Graph | None, dict[int, int], int]]
    failure: _Graph | None
    all: list[_Graph]

class PathProgram:
    def __init__(self, min_value: int, max_value: int, initial: Sequence[int], tags: int, relations: int) -> None: ...
    def add_expression(self, ops: Sequence[int], arguments: Sequence[int]) -> int: ...
    def add_thread(self) -> None: ...
    def add_path(
        self,
        events: Sequence[tuple[int, int, int, int]],
        values: Sequence[tuple[int, int]],
        conditions: Sequence[int],
        relations: Sequence[Sequence[tuple[int, int]]],
        observed: Sequence[int],
        end: int,
    ) -> None: ...
    def observe(self, thread: int, number: int) -> None: ...

class GraphRules:
    def __init__(
        self,
        slots: int,
        bases: Sequence[tuple[int, int, int]],
        groups: Sequence[tuple[Sequence[int], Sequence[_Step], Sequence[int]]],
        checks: Sequence[tuple[int, int, bool, bool]],
        fixed: Sequence[_Step],
        pruning: Sequence[_Step],
        full: Sequence[_Step],
    ) -> None: ...

class GraphWatch:
    def __init__(self) -> None: ...
    def stop(self) -> None: ...
    @property
    def executions(self) -> int: ...
    @property
    def choices(self) -> int: ...

def enumerate_graphs(
    program: PathProgram,
    model: GraphRules,
    against: Sequence[GraphRules],
    watch: GraphWatch,
    *,
    max_graphs: int,
    max_seconds: float,
    collect: int,
    max_violations: int,
    max_states: int,
) -> Graphs: ...

class CoverabilityAnswer(TypedDict):
    kind: int
    coverable: int
    copies: list[int]
    path: list[tuple[tuple[int, int, tuple[int, ...], bool], int, int]]  # move, local states before and after
    elements: int

class CoverabilityResult(TypedDict):
    ending: int
    globals: int
    locals: int
    steps: int
    elements: int
    bytes: int
    answers: list[CoverabilityAnswer]

class Coverability:
    def run(self) -> CoverabilityResult: ...
    def stop(self) -> None: ...
    @property
    def states(self) -> int: ...
    @property
    def transitions(self) -> int: ...
    @property
    def bytes(self) -> int: ...

def create_coverability(
    program: Program,
    *,
    templates: Sequence[tuple[int, int]],
    goal: str,
    dead_registers: bool,
    fuse_local: bool,
    prune: bool,
    max_states: int,
    max_bytes: int,
    max_seconds: float,
) -> Coverability: ...
