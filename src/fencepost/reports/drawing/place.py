"""Where things are drawn: a column of boxes for each thread, initial writes in a row above, gutters for edges."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass

from fencepost.verdict.types import Event

from .select import Graph

BOX_HEIGHT = 40.0
ROW_GAP = 36.0
INITIAL_HEIGHT = 24.0
CHANNEL = 40.0  # between the initial writes and the thread names: edges of initial writes turn here
HEADER = 26.0  # thread names
MARGIN = 16.0


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def centre(self) -> float:
        return self.left + self.width / 2

    @property
    def middle(self) -> float:
        return self.top + self.height / 2


@dataclass(frozen=True, slots=True)
class Gutter:
    """The space left of column `i` (gutter i); the last one is right of the last column."""

    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Placement:
    boxes: Mapping[int, Box]  # by event number
    column_of: Mapping[int, int]  # by event number; initial writes have none
    row_of: Mapping[int, int]
    headers: Mapping[int, Box]  # by thread
    columns: tuple[Box, ...]  # each column as a whole
    gutters: tuple[Gutter, ...]
    rows: int
    first_row: float  # top of the first row
    width: float
    height: float

    def gap(self, above_row: int) -> float:
        """The middle of the free strip above a row; `rows` is below the last one."""
        return self.first_row + above_row * (BOX_HEIGHT + ROW_GAP) - ROW_GAP / 2


def place(graph: Graph, box_width: float, initial_width: float, top: float, least_width: float) -> Placement:
    """All coordinates but those of edges. `top` is the height that the title takes."""
    rows = _rows(graph)
    count = 1 + max(rows.values(), default=0)
    column_of = {event.number: index for index, column in enumerate(graph.columns.values()) for event in column}
    widths = _gutter_widths(graph, column_of)
    missing = least_width - 2 * MARGIN - sum(widths) - box_width * len(graph.columns)
    if missing > 0:
        widths = [width + missing / len(widths) for width in widths]

    first_row = top + HEADER + (INITIAL_HEIGHT + CHANNEL if graph.initial else 0.0)
    bottom = first_row + count * (BOX_HEIGHT + ROW_GAP) - ROW_GAP
    gutters: list[Gutter] = []
    columns: list[Box] = []
    x = MARGIN
    for index, width in enumerate(widths):
        gutters.append(Gutter(x, x + width))
        x += width
        if index < len(graph.columns):
            columns.append(Box(x, first_row, box_width, bottom - first_row))
            x += box_width
    width = x + MARGIN

    boxes = {
        number: Box(columns[column].left, first_row + rows[number] * (BOX_HEIGHT + ROW_GAP), box_width, BOX_HEIGHT)
        for number, column in column_of.items()
    }
    headers = {
        thread: Box(column.left, first_row - HEADER, column.width, HEADER)
        for thread, column in zip(graph.columns, columns, strict=True)
    }
    pitch = (width - 2 * MARGIN) / max(len(graph.initial), 1)
    for index, event in enumerate(sorted(graph.initial, key=lambda event: _mean_column(event, graph, column_of))):
        left = MARGIN + pitch * (index + 0.5) - initial_width / 2
        boxes[event.number] = Box(left, top, initial_width, INITIAL_HEIGHT)
    return Placement(
        boxes, column_of, rows, headers, tuple(columns), tuple(gutters), count, first_row, width, bottom + ROW_GAP
    )


def _mean_column(event: Event, graph: Graph, column_of: Mapping[int, int]) -> float:
    """Where an initial write is read: it stands above, so that fewer edges cross."""
    targets = [column_of[link.target] for link in graph.links if link.source == event.number]
    return sum(targets) / len(targets)


def _rows(graph: Graph) -> dict[int, int]:
    """Program order goes down, and a read stands no higher than the write it reads, so that rf never goes up."""
    numbers = {event.number for column in graph.columns.values() for event in column}
    steps = [
        (link.source, link.target, 1 if link.kinds == ("po",) else 0)
        for link in graph.links
        if (link.kinds == ("po",) or "rf" in link.kinds) and link.source in numbers
    ]
    rows = _longest_paths(numbers, steps)
    if rows is None:  # a model in which po and rf have cycles: program order alone
        rows = _longest_paths(numbers, [step for step in steps if step[2]])
    if rows is None:
        raise ValueError("program order has a cycle")
    return rows


def _longest_paths(numbers: set[int], steps: list[tuple[int, int, int]]) -> dict[int, int] | None:
    """The longest path to every node, or None if there is a cycle."""
    after: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    before = dict.fromkeys(numbers, 0)
    for source, target, length in steps:
        after[source].append((target, length))
        before[target] += 1
    longest = dict.fromkeys(sorted(numbers), 0)
    ready = deque(number for number in longest if not before[number])
    done = 0
    while ready:
        number = ready.popleft()
        done += 1
        for target, length in after[number]:
            longest[target] = max(longest[target], longest[number] + length)
            before[target] -= 1
            if not before[target]:
                ready.append(target)
    return longest if done == len(numbers) else None


def own_gutter(column: int, columns: int) -> int:
    """The gutter for edges within a column and from initial writes: outside for the first and the last column."""
    return column + 1 if column == columns - 1 and columns > 1 else column


def _gutter_widths(graph: Graph, column_of: Mapping[int, int]) -> list[float]:
    """Wider where more edges pass."""
    count = len(graph.columns)
    load = [0] * (count + 1)
    for link in graph.links:
        if link.kinds != ("po",):
            target = column_of[link.target]
            low, high = sorted((column_of.get(link.source, target), target))
            for gutter in [own_gutter(low, count)] if low == high else range(low + 1, high + 1):
                load[gutter] += 1
    least = [10.0 if gutter in (0, count) else 90.0 for gutter in range(count + 1)]
    return [
        min(max(floor, 44.0 + 11.0 * edges if edges else 0.0), 210.0) for floor, edges in zip(least, load, strict=True)
    ]
