"""The data behind the pictures and pages of known programs, as they were looked at: where what stands, and which edges.

After a change that is meant, write them anew with FENCEPOST_BLESS=1, look at the pictures, and check both in.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import fencepost
from fencepost.reports.svg import lay_out
from fencepost.verdict.types import CheckResult, NotRobust

ROOT = Path(__file__).parent.parent
SNAPSHOTS = Path(__file__).parent / "snapshots"
BLESS = "FENCEPOST_BLESS"

PROGRAMS = {
    "mp": "examples/litmus/mp.tpl",
    "sb": "examples/litmus/sb.tpl",
    "iriw": "examples/litmus/iriw.tpl",
    "sb-x86": "examples/litmus-files/sb-x86.litmus",
    "iriw-power": "examples/litmus-files/iriw-ppc.litmus",
    "mp-aarch64": "tests/snapshots/mp-aarch64.litmus",
}


def checked(name: str) -> CheckResult:
    return replace(fencepost.check(ROOT / PROGRAMS[name]), file=PROGRAMS[name])


def compare(name: str, found: Any) -> None:
    path = SNAPSHOTS / f"{name}.json"
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", short, json.dumps(found, indent=1)) + "\n"
    if os.environ.get(BLESS):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def short(array: re.Match[str]) -> str:
    """A small array on one line."""
    one = ", ".join(line.strip().rstrip(",") for line in array[1].splitlines())
    return f"[{one}]" if len(one) < 80 else array[0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_picture(name: str) -> None:
    result = checked(name)
    assert isinstance(result.verdict, NotRobust)
    picture = lay_out(result.verdict.witness, result.program)
    boxes = picture.placement.boxes
    compare(
        f"{name}.picture",
        {
            "size": [round(picture.placement.width), round(picture.placement.height)],
            "threads": {
                result.program.threads[thread].name: [event.number for event in column]
                for thread, column in picture.graph.columns.items()
            },
            "initial": [event.number for event in picture.graph.initial],
            "boxes": {
                str(number): [round(box.left), round(box.top), round(box.width), round(box.height)]
                for number, box in sorted(boxes.items())
            },
            "sources": {str(number): text for number, text in sorted(picture.sources.items())},
            "edges": sorted(
                [link.source, link.target, " ".join(link.kinds), "thick" if link.marked else "thin"]
                for link in picture.graph.links
            ),
            "at fault": picture.graph.offending,
        },
    )


class Outline(HTMLParser):
    """Headings, steps and items of a page, and what they point at."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside = 0
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("h1", "h2", "h3", "h4", "dd", "tr", "li", "button"):
            self.words = [f"{name[5:]} {value}:" for name, value in attrs if name.startswith("data-")]
            self.inside = 1

    def handle_endtag(self, tag: str) -> None:
        if tag in ("h1", "h2", "h3", "h4", "dd", "tr", "li", "button") and self.inside:
            self.found.append(f"{tag} {' '.join(self.words)}")
            self.inside = 0

    def handle_data(self, data: str) -> None:
        if self.inside and data.strip():
            self.words.append(" ".join(data.split()))


@pytest.mark.parametrize("name", PROGRAMS)
def test_page(name: str) -> None:
    result = checked(name)
    compare(f"{name}.page", Outline(fencepost.render(result, "html")).found)
