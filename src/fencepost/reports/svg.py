"""The witness's execution graph as a picture: readable on paper, without colours, and on its own.

Threads are columns and time goes down. Relations differ by dashes, arrow heads and labels; colours only repeat that.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fencepost.program.form import Isa, Program
from fencepost.program.orders import Order
from fencepost.program.places import Lines
from fencepost.verdict.types import CheckResult, Event, NotRobust, Witness

from .drawing.lines import LINES, line_of, name_of
from .drawing.place import BOX_HEIGHT, MARGIN, Box, Placement, place
from .drawing.route import Curve, Point, route
from .drawing.select import Graph, Link, select
from .drawing.shapes import MONO, SANS, clip, escape, length, rect, writing
from .words import consequence, label_text, model_title, printable, thread_name, verdict_line

_LEAST_WIDTH = 560.0
_LABEL_SIZE, _SOURCE_SIZE, _NAME_SIZE, _TITLE_SIZE, _NOTE_SIZE = 13.0, 10.5, 11.5, 15.0, 11.5
_MONO_WIDTH, _SANS_WIDTH = 0.603, 0.58  # width of a character, in units of the font size
_MOST_SOURCE, _MOST_LABEL = 32, 44  # characters


_KINDS = {
    "R": "R reads",
    "W": "W writes",
    "RMW": "RMW reads and writes in one step",
    "R*": "R* is a wait's read, or a CAS that fails",
    "F": "F is a fence",
    "CTRL": "CTRL uses a value: a branch, an assertion",
}


def render(result: CheckResult) -> str:
    """A standalone SVG document."""
    witness = _witness(result)
    title = [printable(verdict_line(result))]
    if witness is None:
        title.append(printable(consequence(result)))
    elif not isinstance(result.verdict, NotRobust) and witness.headline not in title[0]:
        title += [printable(text) for text in (witness.headline, *witness.reasons)]
    facts = f"{printable(result.program.name)}: {model_title(result.model)} against {model_title(result.against)}"
    if witness is None or not witness.events:
        parts, height = _heading(title, facts, _LEAST_WIDTH)
        return _document(parts, height, _LEAST_WIDTH)
    return _picture(witness, result.program, title, facts)


def _witness(result: CheckResult) -> Witness | None:
    if isinstance(result.verdict, NotRobust):
        return result.verdict.witness
    return result.assertion_witness or result.deadlock


@dataclass(frozen=True, slots=True)
class Picture:
    """An execution graph on its place on paper."""

    program: Program
    graph: Graph
    placement: Placement
    curves: tuple[Curve, ...]
    sources: Mapping[int, str]  # by event: its line's number and text

    def _repr_svg_(self) -> str:
        """For Jupyter."""
        return graph_svg(self, "")

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(event for column in self.graph.columns.values() for event in column)


def lay_out(witness: Witness, program: Program, heading: Callable[[float], float] = lambda width: MARGIN) -> Picture:
    """`heading` tells for a width where what is written above the graph ends."""
    graph = select(witness)
    events = [event for column in graph.columns.values() for event in column]
    labels = max((len(_label(event, program)) for event in events), default=0)
    sources = _sources(witness, program)
    longest = min(max(map(len, sources.values()), default=0), _MOST_SOURCE)
    box_width = max(labels * _LABEL_SIZE * _MONO_WIDTH, longest * _SOURCE_SIZE * _MONO_WIDTH, 90.0) + 18
    initial = max((len(_initial(event)) for event in graph.initial), default=0)
    initial_width = initial * _LABEL_SIZE * _MONO_WIDTH + 18
    width = place(graph, box_width, initial_width, 0.0, _LEAST_WIDTH).width
    placement = place(graph, box_width, initial_width, heading(width), _LEAST_WIDTH)
    return Picture(program, graph, placement, tuple(route(graph, placement)), sources)


def size_of(picture: Picture) -> tuple[float, float]:
    """Width and height, with the legend."""
    return picture.placement.width, _legend(picture.graph, picture.placement, "")[1]


def graph_svg(picture: Picture, ids: str) -> str:
    """The graph alone, to stand in a page; `ids` begins the names that it defines there, and no other's."""
    return _drawn(picture, (), ids)


def _picture(witness: Witness, program: Program, title: list[str], facts: str) -> str:
    picture = lay_out(witness, program, lambda width: _heading(title, facts, width)[1])
    return _drawn(picture, _heading(title, facts, picture.placement.width)[0], "")


def _drawn(picture: Picture, heading: Iterable[str], ids: str) -> str:
    graph, placement, curves = picture.graph, picture.placement, picture.curves
    legend, height = _legend(graph, placement, ids)
    parts = [
        *_markers(graph, ids),
        *heading,
        *_headers(graph, placement, picture.program),
        *(_curve(curve, ids) for curve in sorted(curves, key=lambda curve: curve.link.marked)),
        *(part for event in graph.initial for part in _initial_box(event, placement.boxes[event.number])),
        *(part for event in picture.events for part in _event_box(event, picture)),
        *_curve_labels(curves, placement),
        *legend,
    ]
    return _document(parts, height, placement.width)


def _document(parts: list[str], height: float, width: float) -> str:
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{length(width)}" height="{length(height)}" '
        f'viewBox="0 0 {length(width)} {length(height)}" font-family="{MONO}" font-size="{_LABEL_SIZE}">',
        '<rect width="100%" height="100%" fill="white"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _heading(title: list[str], facts: str, width: float) -> tuple[list[str], float]:
    """The parts, and where they end."""
    columns = int((width - 2 * MARGIN) / (_TITLE_SIZE * _SANS_WIDTH))
    parts, y = [], MARGIN + _TITLE_SIZE
    for number, text in enumerate(title):
        for line in textwrap.wrap(text, columns):
            weight = "bold" if number == 0 else "normal"
            parts.append(writing(MARGIN, y, line, size=_TITLE_SIZE, family=SANS, weight=weight))
            y += _TITLE_SIZE * 1.4
    for line in textwrap.wrap(facts, int((width - 2 * MARGIN) / (_NOTE_SIZE * _SANS_WIDTH))):
        parts.append(writing(MARGIN, y, line, size=_NOTE_SIZE, family=SANS))
        y += _NOTE_SIZE * 1.5
    return parts, y + 8


def _headers(graph: Graph, placement: Placement, program: Program) -> Iterator[str]:
    for thread in graph.columns:
        box = placement.headers[thread]
        most = int(box.width / (_LABEL_SIZE * _SANS_WIDTH))
        name = clip(printable(thread_name(program, thread)), most)
        yield writing(box.centre, box.bottom - 9, name, size=_LABEL_SIZE, family=SANS, weight="bold", anchor="middle")


def _event_box(event: Event, picture: Picture) -> Iterator[str]:
    graph, box, source = picture.graph, picture.placement.boxes[event.number], picture.sources.get(event.number, "")
    offending = event.number == graph.offending
    border = 2.6 if event.number in graph.marked or offending else 1.0
    fill = "#e4e4e4" if offending else "white"
    yield f'<g data-event="{event.number}">'
    if source:
        yield f"<title>{escape(source)}</title>"
    yield rect(box, fill, border)
    if event.label.kind == "F":  # a bar above and below: nothing passes
        yield rect(Box(box.left, box.top, box.width, 4), "black", 0, radius=1)
        yield rect(Box(box.left, box.bottom - 4, box.width, 4), "black", 0, radius=1)
    label_y = box.top + (17 if source else 25)
    yield writing(box.centre, label_y, _label(event, picture.program), size=_LABEL_SIZE, anchor="middle", weight="bold")
    if source:
        yield writing(
            box.centre, box.top + BOX_HEIGHT - 8, clip(source, _MOST_SOURCE), size=_SOURCE_SIZE, anchor="middle"
        )
    yield "</g>"


def _initial_box(event: Event, box: Box) -> Iterator[str]:
    yield f'<g data-event="{event.number}">'
    yield rect(box, "white", 1.0, radius=box.height / 2)
    yield writing(box.centre, box.top + 16.5, _initial(event), size=_LABEL_SIZE, anchor="middle")
    yield "</g>"


def _label(event: Event, program: Program) -> str:
    """A processor's plain access has no order that it would know of."""
    plain = program.isa is not Isa.C11 and event.label.order is Order.RELAXED
    label = replace(event.label, order=None) if plain else event.label
    return clip(printable(label_text(label)), _MOST_LABEL)


def _initial(event: Event) -> str:
    return clip(printable(f"{event.label.cell} = {event.label.written}"), _MOST_LABEL)


def _sources(witness: Witness, program: Program) -> dict[int, str]:
    """For each event that has a place in the source: its line's number and text."""
    lines = Lines(program)
    code = {step.event: step.code for step in witness.trace if step.event is not None}
    return {
        event.number: printable(f"{lines.number(event.span)}: {lines.text(event.span, code.get(event.number, ''))}")
        for event in witness.events
        if event.span is not None
    }


def _curve(curve: Curve, ids: str) -> str:
    kind = curve.link.kinds[0]
    line = line_of(kind)
    (x, y), *_ = curve.pieces[0]
    path = f"M{length(x)} {length(y)} " + " ".join(
        "C" + " ".join(f"{length(px)} {length(py)}" for px, py in piece[1:]) for piece in curve.pieces
    )
    dashes = f' stroke-dasharray="{line.dashes}"' if line.dashes else ""
    head = _marker(kind, ids, thick=curve.link.marked)
    return (
        f'<path {_ends(curve.link)}d="{path}" fill="none" stroke="{line.colour}" '
        f'stroke-width="{3.2 if curve.link.marked else 1.3}"{dashes} marker-end="url(#{head})"/>'
    )


def _ends(link: Link) -> str:
    """Names the events of an edge to who reads the picture's text; the lines of the legend have none."""
    return "" if link.source == link.target else f'data-source="{link.source}" data-target="{link.target}" '


def _curve_labels(curves: Sequence[Curve], placement: Placement) -> Iterator[str]:
    """The relation's name on each edge but plain po, where it covers least."""
    paths = [curve.points() for curve in curves]
    taken = [*placement.boxes.values(), *placement.headers.values()]
    for number, curve in enumerate(curves):
        name = _link_name(curve.link)
        if not name:
            continue
        others = [point for other, path in enumerate(paths) if other != number for point in path]
        spots = [_label_box(point, name) for point in _from_the_middle(paths[number])]
        if curve.link.kinds == ("po",):  # beside its short edge, so that the arrow stays visible
            spots = [Box(spot.left + spot.width / 2 + 6, spot.top, spot.width, spot.height) for spot in spots]
        best = _least_covering(spots, taken, others)
        taken.append(best)
        line = line_of(curve.link.kinds[0])
        yield f"<g {_ends(curve.link)}>"
        yield (
            f'<rect x="{length(best.left)}" y="{length(best.top)}" '
            f'width="{length(best.width)}" height="{length(best.height)}" fill="white"/>'
        )
        weight = "bold" if curve.link.marked else "normal"
        base = best.bottom - 3.5
        yield writing(best.centre, base, name, size=_NAME_SIZE, anchor="middle", weight=weight, colour=line.colour)
        yield "</g>"


def _link_name(link: Link) -> str:
    if link.kinds == ("po",):
        return f"{link.skipped} more" if link.skipped else "po" if link.marked else ""
    return printable(" ".join(link.kinds))


def _label_box(centre: Point, name: str) -> Box:
    width, height = len(name) * _NAME_SIZE * _MONO_WIDTH + 4, _NAME_SIZE + 2
    return Box(centre[0] - width / 2, centre[1] - height / 2, width, height)


def _from_the_middle(path: list[Point]) -> list[Point]:
    """The points of a path, the middle first, its ends (where arrow heads are) not at all."""
    end = len(path) // 6
    middle = len(path) / 2
    inner = range(end, len(path) - end)
    return [path[index] for index in sorted(inner, key=lambda index: abs(index - middle))]


def _least_covering(spots: list[Box], taken: list[Box], points: list[Point]) -> Box:
    def cost(spot: Box) -> int:
        near = Box(spot.left - 5, spot.top - 5, spot.width + 10, spot.height + 10)
        covered = sum(near.left <= x <= near.right and near.top <= y <= near.bottom for x, y in points)
        return covered + 100 * sum(_overlap(spot, box) for box in taken)

    return min(spots, key=cost)


def _overlap(a: Box, b: Box) -> bool:
    return a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom


def _legend(graph: Graph, placement: Placement, ids: str) -> tuple[list[str], float]:
    """The parts, and the height of the whole picture."""
    parts: list[str] = []
    y = placement.height + 10
    kinds = [kind for kind in LINES if any(kind in link.kinds for link in graph.links)]
    for kind in kinds:
        start, end = (MARGIN, y - 4), (MARGIN + 46, y - 4)
        parts.append(_curve(Curve(Link(0, 0, (kind,), marked=False), ((start, start, end, end),)), ids))
        parts.append(writing(MARGIN + 56, y, LINES[kind].meaning, size=_NOTE_SIZE, family=SANS))
        y += _NOTE_SIZE * 1.6
    for note in _notes(graph):
        for line in textwrap.wrap(note, int((placement.width - 2 * MARGIN) / (_NOTE_SIZE * _SANS_WIDTH))):
            parts.append(writing(MARGIN, y, line, size=_NOTE_SIZE, family=SANS))
            y += _NOTE_SIZE * 1.4
    return parts, y + 4


def _notes(graph: Graph) -> Iterator[str]:
    kinds = {event.label.kind for column in graph.columns.values() for event in column}
    yield "; ".join(text for kind, text in _KINDS.items() if kind in kinds) + "."
    if any("race" in link.kinds for link in graph.links):
        yield "Thick: the race. Grey: its second step."
    elif graph.marked:
        yield "Thick: the cycle that is forbidden." + (
            " Grey: the step at fault." if graph.offending is not None else ""
        )
    elif graph.offending is not None:
        yield "Grey: the last step."
    if graph.left_out:
        near = "the cycle, and what it reads and overwrites" if graph.marked else "what is nearest to the last step"
        yield f"{graph.left_out} more steps are left out; shown is {near}."


def _markers(graph: Graph, ids: str) -> Iterator[str]:
    """Arrow heads, for thin and for thick lines."""
    yield "<defs>"
    for kind in dict.fromkeys(link.kinds[0] for link in graph.links):
        line = line_of(kind)
        fill = line.colour if line.filled else "white" if line.head.endswith("Z") else "none"
        for thick, size in ((False, 11), (True, 15)):
            yield (
                f'<marker id="{_marker(kind, ids, thick=thick)}" viewBox="0 0 12 12" refX="11" refY="6" '
                f'markerWidth="{size}" markerHeight="{size}" markerUnits="userSpaceOnUse" orient="auto">'
                f'<path d="{line.head}" fill="{fill}" stroke="{line.colour}" stroke-width="1.6"/></marker>'
            )
    yield "</defs>"


def _marker(kind: str, ids: str, *, thick: bool) -> str:
    return f"{ids}{name_of(kind)}-{'thick' if thick else 'thin'}"
