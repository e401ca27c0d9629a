"""The curves of edges. Between neighbouring columns a curve stays inside the gutter; to get past a column it crosses
in the free strip between two rows; so no curve runs through a box."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from .place import BOX_HEIGHT, Placement, own_gutter
from .select import Graph, Link

Point = tuple[float, float]
Piece = tuple[Point, Point, Point, Point]  # a cubic Bezier curve

_LANES = (0.0, 8.0, -8.0, 13.0, -13.0, 4.0, -4.0)  # in a strip between two rows
_CROWDED = 30.0  # a strip that is in use counts as this much further away
_TURN = 20.0


@dataclass(frozen=True, slots=True)
class Curve:
    """A chain of pieces: each starts where the one before ends."""

    link: Link
    pieces: tuple[Piece, ...]

    def points(self, per_piece: int = 12) -> list[Point]:
        """Points along the curve."""
        found = [self.pieces[0][0]]
        for piece in self.pieces:
            found.extend(_bezier(piece, step / per_piece) for step in range(1, per_piece + 1))
        return found


def route(graph: Graph, placement: Placement) -> list[Curve]:
    """A curve for every link."""
    curves = [_straight(link, placement) for link in graph.links if link.kinds == ("po",)]
    others = [link for link in graph.links if link.kinds != ("po",)]
    ports = _ports(others, placement)
    taken: defaultdict[tuple[int, int], int] = defaultdict(int)  # lanes in use, by column and strip between rows
    turning = _turning_lanes(others, placement)
    for link in others:
        start, end = ports[link, True], ports[link, False]
        if link.source not in placement.column_of:
            pieces = _from_above(start, end, turning[link], placement)
        elif placement.column_of[link.source] == placement.column_of[link.target]:
            pieces = [_arc(start, end, link, placement)]
        else:
            pieces = _across(start, end, link, placement, taken)
        curves.append(Curve(link, tuple(pieces)))
    return curves


def _straight(link: Link, placement: Placement) -> Curve:
    above, below = placement.boxes[link.source], placement.boxes[link.target]
    start, end = (above.centre, above.bottom), (below.centre, below.top)
    return Curve(link, ((start, start, end, end),))


def _ports(links: list[Link], placement: Placement) -> Mapping[tuple[Link, bool], Point]:
    """Where links leave (True) and enter (False): spread over the side of the box, in the order of their other ends."""
    sides: defaultdict[tuple[int, bool], list[tuple[float, Link, bool]]] = defaultdict(list)
    found: dict[tuple[Link, bool], Point] = {}
    for link in links:
        for leaving in (True, False):
            number, other = (link.source, link.target) if leaving else (link.target, link.source)
            if number in placement.column_of:
                sides[number, _on_right(number, other, placement)].append(
                    (placement.boxes[other].middle, link, leaving)
                )
            else:
                box = placement.boxes[number]
                found[link, leaving] = (box.centre, box.bottom)
    for (number, right), ends in sides.items():
        box = placement.boxes[number]
        ends.sort(key=lambda end: (end[0], end[1].source, end[2]))
        for index, (_, link, leaving) in enumerate(ends, start=1):
            found[link, leaving] = (box.right if right else box.left, box.top + BOX_HEIGHT * index / (len(ends) + 1))
    return found


def _on_right(number: int, other: int, placement: Placement) -> bool:
    column = placement.column_of[number]
    far = placement.column_of.get(other, column)
    return own_gutter(column, len(placement.columns)) > column if far == column else far > column


def _arc(start: Point, end: Point, link: Link, placement: Placement) -> Piece:
    """Within one column: out into the gutter and back."""
    column = placement.column_of[link.source]
    gutter = own_gutter(column, len(placement.columns))
    space = placement.gutters[gutter].right - placement.gutters[gutter].left
    rows = abs(placement.row_of[link.source] - placement.row_of[link.target])
    bulge = min(24.0 + 9.0 * rows, space * 0.95) * (1 if gutter > column else -1) * 4 / 3
    return start, (start[0] + bulge, start[1]), (end[0] + bulge, end[1]), end


def _across(
    start: Point, end: Point, link: Link, placement: Placement, taken: dict[tuple[int, int], int]
) -> list[Piece]:
    """To another column; the columns in between are crossed in one free strip below some row."""
    source, target = placement.column_of[link.source], placement.column_of[link.target]
    step = 1 if target > source else -1
    between = range(source + step, target, step)
    if not between:
        return [_level(start, end)]
    wanted = (start[1] + end[1]) / 2
    busy = {row: max(taken[column, row] for column in between) for row in range(1, placement.rows + 1)}
    strip = min(busy, key=lambda row: abs(placement.gap(row) - wanted) + _CROWDED * busy[row])
    for column in between:
        taken[column, strip] = busy[strip] + 1
    y = placement.gap(strip) + _LANES[busy[strip] % len(_LANES)]
    first, last = placement.columns[between[0]], placement.columns[between[-1]]
    enter, leave = ((first.left, y), (last.right, y)) if step > 0 else ((first.right, y), (last.left, y))
    return [_level(start, enter), (enter, enter, leave, leave), _level(leave, end)]


def _level(start: Point, end: Point) -> Piece:
    """A curve that is level at both ends and stays between them."""
    middle = (start[0] + end[0]) / 2
    return start, (middle, start[1]), (middle, end[1]), end


def _turning_lanes(links: list[Link], placement: Placement) -> dict[Link, float]:
    """Where in the gutter each edge from an initial write goes down."""
    by_gutter: defaultdict[int, list[Link]] = defaultdict(list)
    for link in links:
        if link.source not in placement.column_of:
            by_gutter[own_gutter(placement.column_of[link.target], len(placement.columns))].append(link)
    lanes: dict[Link, float] = {}
    for number, below in by_gutter.items():
        gutter = placement.gutters[number]
        column_is_right = number < len(placement.columns) and placement.column_of[below[0].target] == number
        # The lower its end, the further from the boxes, so that these edges do not cross each other.
        below.sort(key=lambda link: placement.boxes[link.target].top)
        for index, link in enumerate(below, start=1):
            away = min(_TURN + 9.0 * (index - 1), (gutter.right - gutter.left) * 0.9)
            lanes[link] = gutter.right - away if column_is_right else gutter.left + away
    return lanes


def _from_above(start: Point, end: Point, lane: float, placement: Placement) -> list[Piece]:
    """From an initial write: into the gutter above the thread names, down, and round the corner into the box."""
    header = min(box.top for box in placement.headers.values())
    entry = (lane, header)
    corner = (lane, max(end[1] - _TURN, header))
    half = (start[1] + header) / 2
    return [
        (start, (start[0], half), (lane, half), entry),
        (entry, entry, corner, corner),
        (corner, (lane, end[1] - _TURN / 4), ((lane + end[0]) / 2, end[1]), end),
    ]


def _bezier(piece: Piece, t: float) -> Point:
    s = 1 - t
    weights = (s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t)
    x = sum(weight * point[0] for weight, point in zip(weights, piece, strict=True))
    y = sum(weight * point[1] for weight, point in zip(weights, piece, strict=True))
    return x, y
