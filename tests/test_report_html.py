"""The HTML page: complete, escaped, closed to everything from outside, and at work in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from support import results
from support.browser import Page, browser, find_browser

import fencepost
from fencepost.frontends import loads
from fencepost.reports import document, render
from fencepost.reports.failure import Failure
from fencepost.reports.outcomes_html import document as litmus_page
from fencepost.verdict.types import NotRobust

HOSTILE = "</script></style><script>alert(1)</script><img src=x onerror=alert(2)>\"'&\x1b\u202e\ud800" + "long" * 300


class Reader(HTMLParser):
    """The tags and the visible text of a page; every tag must be closed."""

    VOID = frozenset({"meta", "br", "img", "link", "input", "hr", "path", "rect"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def hostile():
    program = results.sb_program()
    changed = replace(
        program,
        name=HOSTILE,
        source=program.source.replace("x.store", HOSTILE),
        threads=tuple(replace(thread, name=HOSTILE) for thread in program.threads),
    )
    return replace(results.sb(), program=changed, file=HOSTILE, warnings=(HOSTILE,))


@pytest.mark.parametrize("name", results.EVERY)
def test_every_answer_gives_a_page_that_is_well_formed_and_says_the_verdict(name: str) -> None:
    result = results.EVERY[name]()
    page = Reader(render(result, "html"))
    text = render(result, "text")
    assert " ".join(text.split()[:3]) in page.text
    steps = sum(tag == "tr" for tag, _ in page.tags)
    assert ("step thread line" in page.text) == (steps > 0)


def test_program_graph_steps_and_reasons_are_all_there() -> None:
    page = Reader(render(results.sb(), "html"))
    for text in (
        "a = x.load(rlx);",
        "W rlx x = 1",
        "writes x = 1",
        "Why SC forbids it",
        "What would forbid this execution",
    ):
        assert text in page.text
    lines = {attributes["data-line"] for tag, attributes in page.tags if tag == "li" and "data-line" in attributes}
    steps = [attributes for tag, attributes in page.tags if tag == "tr" and "data-line" in attributes]
    assert {step["data-line"] for step in steps} <= lines
    drawn = {attributes["data-event"] for tag, attributes in page.tags if tag == "g" and "data-event" in attributes}
    assert {step["data-event"] for step in steps if "data-event" in step} <= drawn


def test_a_step_is_marked_in_its_own_column_of_a_litmus_test() -> None:
    text = (
        "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n | NOP ;\nexists (true)\n"
    )
    page = Reader(render(fencepost.check(loads(text, "sb.litmus"), model="tso", against="sc"), "html"))
    cells = {
        attributes["data-column"] for tag, attributes in page.tags if tag == "span" and "data-column" in attributes
    }
    steps = {attributes["data-column"] for tag, attributes in page.tags if tag == "tr" and "data-column" in attributes}
    assert steps == cells == {"2", "15", "16"}
    assert "MOV [x],$1 | MOV [y],$1 ;" in page.text


def test_nothing_is_loaded_from_outside_and_no_other_script_may_run() -> None:
    page = Reader(render(hostile(), "html"))
    assert not [tag for tag, _ in page.tags if tag in ("img", "link", "iframe", "object", "embed", "base")]
    assert sum(tag == "script" for tag, _ in page.tags) == sum(tag == "style" for tag, _ in page.tags) == 1
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "style")], tag
        assert (attributes.get("href") or "#").startswith("#")
    (policy,) = [a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; base-uri 'none'", policy
    )


def test_hostile_names_are_text() -> None:
    page = render(hostile(), "html")
    page.encode("utf-8")
    assert "<script>alert" not in page
    assert "</script></style><script>alert(1)</script>" in Reader(page).text


def test_ids_are_unique_with_several_pictures() -> None:
    page = Reader(document([results.sb(), results.mp(), results.iriw()], "html"))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_several_programs_have_a_summary_also_of_those_without_an_answer() -> None:
    failed = Failure("broken.tpl", "expected ';', not '}'", 3, 7, "try ;")
    page = Reader(document([results.sb(), results.robust(), results.unknown(), failed], "html"))
    assert page.text.startswith("fencepost 4 programs 1 NOT robust, 1 robust, 1 unknown, 1 no answer")
    assert "broken.tpl:3:7" in page.text
    assert "hint: try ;" in page.text
    links = {attributes["href"] for tag, attributes in page.tags if tag == "a"}
    ids = {f"#{attributes['id']}" for _, attributes in page.tags if "id" in attributes}
    assert len(links) == 4
    assert links <= ids


def test_nothing_checked_is_said() -> None:
    assert "nothing was checked" in Reader(document([], "html")).text


# In a browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    program = find_browser()
    if program is None:
        pytest.skip("there is no chromium, and it cannot be installed here")
    with browser(program, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def opened(page: Page, folder: Path, content: str) -> None:
    path = folder / "report.html"
    path.write_text(content, encoding="utf-8")
    page.problems.clear()
    page.emulate()
    page.open(path)
    assert page.requests in ([], [path.as_uri()])


def at(page: Page, section: int = 0) -> str:
    return str(page.value(f"document.querySelectorAll('.witness output')[{section}].textContent"))


def test_the_schedule_is_stepped_through_with_keys_and_buttons(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, render(results.sb(), "html"))
    count = len(results.sb_witness().trace)
    assert at(page).startswith(f"step {count} of {count}: ")
    page.press("Home")
    assert at(page).startswith("step 1 of ")
    now = "[...document.querySelectorAll('.now')].map(each => each.localName).sort().join(' ')"
    assert page.value(now) == "g li tr", "the step, its line and its event are marked"
    assert page.value("document.querySelector('button[data-go=back]').disabled")
    later = "document.querySelectorAll('svg g.later').length"
    assert page.value(later) > 0, "what has not happened yet is faint"
    for step in range(2, count + 1):
        page.press("ArrowRight")
        assert at(page).startswith(f"step {step} of ")
    page.press("ArrowRight")
    assert at(page).startswith(f"step {count} of ")
    assert page.value(later) == 0
    page.press("ArrowLeft")
    assert at(page).startswith(f"step {count - 1} of ")
    page.value("document.querySelector('button[data-go=forward]').click()")
    assert at(page).startswith(f"step {count} of ")
    page.value("document.querySelectorAll('.steps tbody tr')[1].click()")
    assert at(page).startswith("step 2 of ")
    assert page.problems == []


def test_keys_go_to_the_execution_that_was_used_last(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, document([results.sb(), results.iriw()], "html"))
    page.value("document.querySelectorAll('.witness')[1].focus()")
    page.press("Home")
    assert at(page, 1).startswith("step 1 of ")
    assert not at(page, 0).startswith("step 1 of ")
    assert page.problems == []


def test_a_hostile_program_runs_nothing(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, "<script>0</script>" + render(hostile(), "html"))
    assert page.value("document.scripts.length") == 2
    assert page.value("document.images.length") == 0
    html = "[...document.body.querySelectorAll('*')].filter(each => !each.closest('svg'))"
    wide = f"{html}.filter(each => each.getBoundingClientRect().right > innerWidth)"
    assert page.value(f"{wide}.map(e => e.localName + '.' + e.className)") == [], "long names wrap"
    page.press("Home")
    assert page.problems == []


def test_every_answer_loads_without_errors(page: Page, tmp_path: Path) -> None:
    every = [make() for make in results.EVERY.values()]
    opened(page, tmp_path, document(every, "html"))
    assert page.value("document.querySelectorAll('article').length") == len(every)
    assert page.problems == []


ROOT = Path(__file__).parent.parent
ENGINES = {  # a program that is not robust, for each way of finding that out
    "search": "examples/litmus/iriw.tpl",
    "store buffers": "examples/litmus-files/sb-x86.litmus",
    "execution graphs": "examples/litmus-files/iriw-ppc.litmus",
}


@pytest.mark.parametrize("engine", ENGINES)
def test_what_each_engine_finds_can_be_stepped_through(page: Page, tmp_path: Path, engine: str) -> None:
    result = fencepost.check(ROOT / ENGINES[engine])
    assert isinstance(result.verdict, NotRobust)
    opened(page, tmp_path, render(result, "html"))
    count = len(result.verdict.witness.trace)
    for step in range(count, 1, -1):
        assert at(page).startswith(f"step {step} of {count}: ")
        assert page.value("document.querySelectorAll('tr.now').length") == 1
        page.press("ArrowLeft")
    assert page.value("document.querySelectorAll('svg [data-event]').length") > 0
    assert page.problems == []


def test_the_page_of_a_litmus_test_has_an_execution_for_every_final_state(page: Page, tmp_path: Path) -> None:
    results = [fencepost.litmus(ROOT / name, graphs=True) for name in ENGINES.values()]
    failed = Failure(HOSTILE, HOSTILE)
    opened(page, tmp_path, litmus_page([*results, failed]))
    states = sum(len(result.states) for result in results)
    assert page.value("document.querySelectorAll('.witness svg').length") == states
    links = "[...document.querySelectorAll('a')].every(a => document.getElementById(a.hash.slice(1)))"
    assert page.value(links)
    assert page.value("document.images.length") == 0
    page.press("Home")
    assert at(page).startswith("step 1 of ")
    assert page.problems == []


def test_dark_and_printed_pages_can_be_read(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, render(results.sb(), "html"))
    colours = "(() => { const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]; })()"

    def brightness(colour: str) -> float:
        return sum(int(part) for part in re.findall(r"\d+", colour)[:3]) / 765

    page.emulate(dark=True)
    ink, ground = map(brightness, page.value(colours))
    assert ink > 0.8
    assert ground < 0.2
    paper = "getComputedStyle(document.querySelector('.graph')).backgroundColor"
    assert brightness(page.value(paper)) == 1, "pictures stay on white paper"
    page.emulate(media="print")
    page.press("Home")
    assert page.value("getComputedStyle(document.querySelector('.controls')).display") == "none"
    faint = "[...document.querySelectorAll('svg .later')].every(each => getComputedStyle(each).opacity === '1')"
    assert page.value(faint), "printed, all of the graph is there"
    assert page.problems == []
