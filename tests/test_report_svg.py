"""The picture: well-formed, complete, readable without colours, and no edge through a box."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace

import pytest
from support import results

from fencepost.reports import render
from fencepost.reports.drawing.place import place
from fencepost.reports.drawing.route import route
from fencepost.reports.drawing.select import LIMIT, select
from fencepost.verdict.types import Edge, NotRobust

SVG = "{http://www.w3.org/2000/svg}"

GRAPHS = {
    "sb": results.sb,
    "mp": results.mp,
    "iriw": results.iriw,
    "race": results.race,
    **{f"big-{n}": lambda n=n: results.big(threads=n, events=10 + 5 * n, seed=n) for n in range(2, 7)},
}


def draw(result):
    return ET.fromstring(render(result, "svg"))


def texts(picture):
    return [element.text for element in picture.iter(f"{SVG}text")]


def edges(picture):
    return [path for path in picture.findall(f"{SVG}path") if path.get("marker-end")]


@pytest.mark.parametrize("name", results.EVERY)
def test_every_answer_gives_a_picture_that_says_the_verdict(name):
    picture = draw(results.EVERY[name]())
    assert picture.tag == f"{SVG}svg"
    assert re.match("(NOT )?robust|unknown", texts(picture)[0])


def test_without_a_witness_the_verdict_is_all():
    assert texts(draw(results.unknown())) == [
        "unknown: the time limit of 10 s was reached after 1234",
        "states, at depth 17",
        "an unknown answer is not a robust one",
        "sb.tpl: RC20 against SC",
    ]


def test_store_buffering_is_all_there():
    shown = texts(draw(results.sb()))
    for label in ("W rlx x = 1", "R rlx y = 0", "W rlx y = 1", "R rlx x = 0", "x = 0", "y = 0", "left", "right"):
        assert label in shown
    assert "8: a = x.load(rlx);" in shown
    assert Counter(shown)["fr"] == 2
    assert Counter(shown)["po"] == 2, "po is named where it is on the cycle"
    assert Counter(shown)["rf"] == 2


def test_the_cycle_is_thick_and_relations_differ_without_colour():
    thin, thick = {}, {}
    for path in edges(draw(results.iriw())):
        kind = path.get("marker-end").removeprefix("url(#").split("-")[0]
        style = (path.get("stroke-dasharray"), kind)
        (thick if float(path.get("stroke-width")) > 2 else thin).setdefault(kind, style)
    assert set(thick) == {"po", "rf", "fr"}
    assert len({dashes for dashes, _ in thin.values()}) == len(thin) == 3


def test_arrow_heads_of_all_edges_exist():
    picture = draw(results.big())
    known = {marker.get("id") for marker in picture.iter(f"{SVG}marker")}
    assert {path.get("marker-end")[5:-1] for path in edges(picture)} <= known


def test_hostile_names_are_escaped():
    program = results.sb_program()
    hostile = replace(
        program,
        name="</svg><script>alert(1)</script>",
        source=program.source.replace("x.store", "\x00\x1b<b>&'\"\ud800\ufffe"),
        threads=tuple(replace(thread, name="<a&b>\x08") for thread in program.threads),
    )
    picture = draw(replace(results.sb(), program=hostile))
    assert "<a&b>\\u0008" in texts(picture)
    assert not list(picture.iter(f"{SVG}script"))
    render(replace(results.sb(), program=hostile), "svg").encode("utf-8")


@pytest.mark.parametrize("name", GRAPHS)
def test_no_edge_runs_through_a_box(name):
    graph = select(GRAPHS[name]().verdict.witness)
    placement = place(graph, box_width=150, initial_width=60, top=50, least_width=500)
    inside = 0.5
    for curve in route(graph, placement):
        for x, y in curve.points(per_piece=20)[1:-1]:
            assert 0 <= x <= placement.width
            assert 0 <= y <= placement.height
            for number, box in (*placement.boxes.items(), *placement.headers.items()):
                hit = box.left + inside < x < box.right - inside and box.top + inside < y < box.bottom - inside
                is_header = box in placement.headers.values()
                own_header = is_header and curve.link.source not in placement.column_of
                assert not hit or own_header, (name, curve.link, number)


@pytest.mark.parametrize("name", GRAPHS)
def test_the_picture_holds_all_that_is_drawn(name):
    picture = draw(GRAPHS[name]())
    width, height = float(picture.get("width")), float(picture.get("height"))
    for box in picture.iter(f"{SVG}rect"):
        if box.get("x"):
            assert 0 <= float(box.get("x")) <= width - float(box.get("width"))
            assert 0 <= float(box.get("y")) <= height - float(box.get("height"))
    for text in picture.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x")) <= width
        assert 0 <= float(text.get("y")) <= height


def test_time_goes_down():
    graph = select(results.big().verdict.witness)
    placement = place(graph, box_width=150, initial_width=60, top=50, least_width=500)
    for link in graph.links:
        if link.source in placement.column_of and {"po", "rf"} & set(link.kinds):
            assert placement.row_of[link.source] <= placement.row_of[link.target]


def test_the_same_edges_whether_or_not_the_graph_is_closed_under_transitivity():
    witness = results.big(events=25).verdict.witness
    closed = replace(witness, edges=(*witness.edges, *transitive(witness, "po"), *transitive(witness, "mo")))
    assert set(select(closed).links) == set(select(witness).links)


def transitive(witness, kind):
    pairs = {(edge.source, edge.target) for edge in witness.edges if edge.kind == kind}
    while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs |= more
    return [Edge(source, target, kind) for source, target in sorted(pairs)]


def test_branches_are_left_out_unless_they_are_at_fault():
    assert not any(text.startswith("CTRL") for text in texts(draw(results.mp())))
    assert "CTRL" in texts(draw(results.failing_assertion()))


def test_large_graphs_show_the_cycle_and_its_neighbours():
    witness = results.big(events=90, seed=5).verdict.witness
    graph = select(witness)
    shown = {event.number for column in graph.columns.values() for event in column}
    assert graph.marked <= shown
    assert len(shown) <= LIMIT
    own = [event for event in witness.events if event.thread is not None]
    assert graph.left_out == len(own) - len(shown) > 0
    direct = {end for edge in witness.edges if edge.kind in ("rf", "mo") for end in (edge.source, edge.target)}
    assert shown <= graph.marked | direct
    said = texts(draw(results.big(events=90, seed=5)))
    assert any(text.startswith(f"{graph.left_out} more steps are left out; shown is the cycle") for text in said)
    assert any(re.fullmatch(r"\d+ more", text) for text in said), "where they are left out"


def test_large_graphs_without_a_cycle_show_what_is_near_the_end():
    witness = replace(results.big(events=90, seed=5).verdict.witness, cycle=())
    graph = select(witness)
    shown = [event for column in graph.columns.values() for event in column]
    assert len(shown) == LIMIT
    assert witness.events[-1] in shown


def test_other_relations_are_drawn_and_named():
    witness = results.sb_witness()
    synchronizes = replace(witness, edges=(*witness.edges, Edge(2, 5, "sw<")))
    assert "sw<" in texts(draw(replace(results.sb(), verdict=NotRobust(synchronizes))))


def test_a_cycle_of_po_and_rf_is_no_obstacle():
    witness = results.sb_witness()
    buffered = replace(witness, edges=(*witness.edges, Edge(3, 4, "rf"), Edge(5, 2, "rf")))
    draw(replace(results.sb(), verdict=NotRobust(buffered)))


def test_inverse_relations_and_edges_to_initial_writes_are_drawn_the_other_way_round():
    witness = results.sb_witness()
    initial = next(event.number for event in witness.events if event.thread is None)
    own = [event.number for event in witness.events if event.thread is not None]
    back, odd = Edge(own[1], initial, "rf^-1"), Edge(own[2], initial, "odd")
    between = Edge(own[3], own[0], "sw^-1")
    edges = (*witness.edges, back, odd, between)
    graph = select(replace(witness, edges=edges, cycle=(back, odd, between)))
    links = {(link.source, link.target): link for link in graph.links}
    assert "rf" in links[initial, own[1]].kinds
    assert "odd^-1" in links[initial, own[2]].kinds
    assert "sw" in links[own[0], own[3]].kinds
    assert all(link.target in own for link in graph.links)
    place(graph, box_width=150, initial_width=60, top=50, least_width=500)
