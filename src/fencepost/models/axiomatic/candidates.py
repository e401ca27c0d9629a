"""All candidate executions of a program, by the definition: every choice of paths, sources and write orders.

Slow and obvious: what core/graphs is compared with. A candidate must make sense of its values: each read returns what
its source wrote, the conditions of the paths hold, and no value is its own only reason (values out of thin air are not
made, whatever the model).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from fencepost.models.execution import cells
from fencepost.models.relation import Relation
from fencepost.program.expr import Const, Expr, Reg, evaluate, registers_of
from fencepost.program.form import Program
from fencepost.program.lts import Cell

from .execution import INIT, RELATIONS, Event, Execution
from .paths import End, Path, Unrolling, all_paths
from .tags import USED


@dataclass(frozen=True)
class Candidate:
    """An execution of these paths. `sources[e]` and `places[e]`: what event e reads from, its place in co."""

    program: Program
    paths: tuple[Path, ...]
    execution: Execution
    values: tuple[tuple[int, ...], ...]  # per thread, of the path's values

    @property
    def end(self) -> End:
        """CUT if some thread was; else FAILED, BLOCKED or OVER, the first that some thread shows."""
        ends = {path.end for path in self.paths}
        return next(end for end in (End.CUT, End.FAILED, End.BLOCKED, End.OVER) if end in ends)

    def register(self, thread: int, name: str) -> int:
        """At the end."""
        return _evaluate(self.paths[thread].registers[name], self.values[thread])

    def memory(self, cell: Cell) -> int:
        """At the end."""
        events = self.execution.events
        for number, event in enumerate(events):
            last = event.kind == "W" and event.cell == cell and not self.execution.co.rows[number]
            if last and event.value is not None:
                return event.value
        location = self.program.location(cell.location)
        return self.program.wrap(location.initial[cell.slot])


def candidates(program: Program, unrolling: Unrolling | None = None) -> Iterator[Candidate]:
    """Every candidate, once."""
    for paths in product(*all_paths(program, unrolling or Unrolling())):
        yield from _of_paths(program, paths)


def candidate_of(
    program: Program, paths: tuple[Path, ...], sources: dict[int, int], orders: Iterable[Sequence[int]]
) -> Candidate:
    """The candidate with these sources of reads and orders of writes (event numbers). Raises ValueError if none is."""
    used, offsets = skeleton(program, paths)
    values = _solve(program, paths, used, offsets, sources)
    if values is None:
        raise ValueError("the values of these executions make no sense")
    order = dict(zip(used, map(tuple, orders), strict=True))
    return Candidate(program, paths, build(program, paths, sources, order, values), values)


def skeleton(program: Program, paths: Sequence[Path]) -> tuple[tuple[Cell, ...], tuple[int, ...]]:
    """The cells that the paths access, whose initial writes come first, and the number of each thread's first event."""
    accessed = {event.cell for path in paths for event in path.events}
    used = tuple(cell for cell in cells(program) if cell in accessed)
    offsets = [len(used)]
    for path in paths:
        offsets.append(offsets[-1] + len(path.events))
    return used, tuple(offsets)


def _of_paths(program: Program, paths: tuple[Path, ...]) -> Iterator[Candidate]:
    used, offsets = skeleton(program, paths)
    kinds: list[tuple[str, Cell | None]] = [("W", cell) for cell in used]
    kinds += [(event.kind, event.cell) for path in paths for event in path.events]
    reads = [number for number, (kind, _) in enumerate(kinds) if kind == "R"]
    writes = {cell: [n for n, what in enumerate(kinds) if what == ("W", cell)] for cell in used}
    orders = [[(cell, (first, *rest)) for rest in permutations(others)] for cell, (first, *others) in writes.items()]
    for chosen in product(*([w for c in [kinds[read][1]] if c is not None for w in writes[c]] for read in reads)):
        sources = dict(zip(reads, chosen, strict=True))
        values = _solve(program, paths, used, offsets, sources)
        if values is None:
            continue
        for order in product(*orders):
            execution = build(program, paths, sources, dict(order), values)
            yield Candidate(program, paths, execution, values)


def _solve(
    program: Program, paths: Sequence[Path], used: Sequence[Cell], offsets: Sequence[int], sources: dict[int, int]
) -> tuple[tuple[int, ...], ...] | None:
    """The values of all paths, if there are any that make sense."""
    known: list[dict[int, int]] = [{} for _ in paths]

    def written(write: int) -> int | None:
        if write < offsets[0]:
            cell = used[write]
            return program.wrap(program.location(cell.location).initial[cell.slot])
        thread = next(t for t in range(len(paths)) if write < offsets[t + 1])
        expr = paths[thread].events[write - offsets[thread]].value
        assert expr is not None
        return computed(thread, expr)

    def computed(thread: int, expr: Expr) -> int | None:
        if any(int(name[1:]) not in known[thread] for name in registers_of(expr)):
            return None
        return evaluate(expr, {name: known[thread][int(name[1:])] for name in registers_of(expr)})

    changed = True
    while changed:
        changed = False
        for thread, path in enumerate(paths):
            for number, value in enumerate(path.values):
                if number in known[thread]:
                    continue
                if isinstance(value, int):
                    result = written(sources[offsets[thread] + value])
                else:
                    result = computed(thread, value)
                    result = None if result is None else program.wrap(result)
                if result is not None:
                    known[thread][number] = result
                    changed = True
    for thread, path in enumerate(paths):
        if len(known[thread]) < len(path.values):
            return None
        if not all(computed(thread, condition) for condition in path.conditions):
            return None
    return tuple(tuple(values[number] for number in range(len(values))) for values in known)


def _evaluate(expr: Expr, values: Sequence[int]) -> int:
    match expr:
        case Const(value):
            return value
        case Reg(name):
            return values[int(name[1:])]
    return evaluate(expr, {name: values[int(name[1:])] for name in registers_of(expr)})


def build(
    program: Program,
    paths: Sequence[Path],
    sources: dict[int, int],
    order: dict[Cell, tuple[int, ...]],
    values: Sequence[Sequence[int]],
) -> Execution:
    """The execution with these sources of reads and orders of writes (event numbers), and values."""
    used, offsets = skeleton(program, paths)
    events = [
        Event(INIT, "W", frozenset(), cell, program.wrap(program.location(cell.location).initial[cell.slot]))
        for cell in used
    ]
    pairs: dict[str, list[tuple[int, int]]] = {name: [] for name in RELATIONS}
    for path, offset, known in zip(paths, offsets, values, strict=False):
        for number, event in enumerate(path.events):
            value = None if event.value is None else _evaluate(event.value, known)
            tags = event.tags | {USED} if number in path.used else event.tags
            events.append(Event(path.thread, event.kind, tags, event.cell, value, event.pc, event.span))
        for name, related in path.relations.items():
            pairs[name] += [(offset + a, offset + b) for a, b in related]
    size = len(events)
    return Execution(
        tuple(events),
        {name: Relation.of(size, related) for name, related in pairs.items()},
        Relation.of(size, ((write, read) for read, write in sources.items())),
        Relation.of(size, ((a, b) for writes in order.values() for i, b in enumerate(writes) for a in writes[:i])),
    )
