"""A JSON report read back, so that it can be shown in another format: the inverse of `reports.json`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeVar

from fencepost.frontends import InputError, loads
from fencepost.program.expr import Const
from fencepost.program.form import Assert, Location, Program, Span, Thread
from fencepost.program.lts import Cell, Label
from fencepost.program.orders import FenceKind, Order
from fencepost.program.templates import Copies, instance
from fencepost.verdict.types import (
    Agreement,
    Answer,
    Attack,
    BusyWait,
    Change,
    CheckResult,
    Edge,
    Event,
    Move,
    Notion,
    NotRobust,
    Repair,
    Robust,
    Statistics,
    TraceStep,
    Unknown,
    Verdict,
    Witness,
    WitnessKind,
)

from .json import RACES, SCHEMA

_T = TypeVar("_T")
_E = TypeVar("_E", bound=Enum)


class SavedReportError(ValueError):
    """The text is not what `fencepost check --format json` writes: where, and what was expected there."""


def parse(text: str) -> list[CheckResult]:
    """The results in a JSON report. Files that could not be checked have none."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SavedReportError(f"this is not JSON: {error}") from None
    entries = document if isinstance(document, list) else [document]
    records = [_Record.of(entry, "report" if entry is document else f"[{n}]") for n, entry in enumerate(entries)]
    return [_result(record) for record in records if "error" not in record.fields]


@dataclass(frozen=True, slots=True)
class _Record:
    """An object of the report, whose fields are taken with the type that they must have."""

    fields: Mapping[str, object]
    path: str

    @staticmethod
    def of(value: object, path: str) -> _Record:
        if not isinstance(value, dict):
            raise SavedReportError(f"{path}: expected an object")
        return _Record(value, path)

    def text(self, name: str) -> str:
        return self._typed(name, str, "a string")

    def integer(self, name: str) -> int:
        return self._typed(name, int, "an integer")

    def truth(self, name: str) -> bool:
        value = self.fields.get(name)
        if not isinstance(value, bool):
            raise SavedReportError(f"{self.path}.{name}: expected true or false")
        return value

    def number(self, name: str) -> float:
        return float(self._typed(name, (int, float), "a number"))

    def word(self, name: str, words: Mapping[str, _T]) -> _T:
        word = self.text(name)
        if word not in words:
            raise SavedReportError(f"{self.path}.{name}: expected one of {', '.join(words)}")
        return words[word]

    def record(self, name: str) -> _Record:
        return _Record.of(self.fields.get(name), f"{self.path}.{name}")

    def items(self, name: str, read: Callable[[_Record], _T]) -> tuple[_T, ...]:
        return tuple(read(_Record.of(item, path)) for item, path in self._list(name))

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(_Record({"": item}, path).text("") for item, path in self._list(name))

    def integers(self, name: str) -> tuple[int, ...]:
        return tuple(_Record({"": item}, path).integer("") for item, path in self._list(name))

    def optional(self, name: str, read: Callable[[str], _T]) -> _T | None:
        return None if self.fields.get(name) is None else read(name)

    def _list(self, name: str) -> list[tuple[object, str]]:
        found = self._typed(name, list, "an array")
        return [(item, f"{self.path}.{name}[{number}]") for number, item in enumerate(found)]

    def _typed(self, name: str, kind: type[_T] | tuple[type[_T], ...], what: str) -> _T:
        value = self.fields.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise SavedReportError(f"{self.path}.{name}: expected {what}" if name else f"{self.path}: expected {what}")
        return value


def _words(kind: type[_E]) -> dict[str, _E]:
    return {member.value: member for member in kind}


_ORDERS: dict[str, Order | FenceKind] = {**_words(FenceKind), **_words(Order)}
_MOST_COPIES = 1024  # more than any search has threads
_RACES = {word: answer for answer, word in RACES.items()}


def _result(record: _Record) -> CheckResult:
    if record.integer("schema") != SCHEMA:
        raise SavedReportError(f"{record.path}.schema: this version of fencepost reads {SCHEMA}")
    program = _program(record.record("program"))

    def witness(name: str) -> Witness:
        return _witness(record.record(name), len(program.threads))

    return CheckResult(
        program=program,
        model=record.text("model"),
        against=record.text("against"),
        notion=record.word("notion", _words(Notion)),
        verdict=_verdict(record, record.optional("witness", witness)),
        assertions=record.word("assertions", _words(Answer)),
        races=record.word("races", _RACES),
        assertion_witness=record.optional("assertion_witness", witness),
        deadlock=record.optional("deadlock", witness),
        busy_waits=record.items("busy_waits", _busy_wait),
        statistics=_statistics(record.record("statistics")),
        warnings=record.texts("warnings"),
        expectation=record.word("expectation", _words(Agreement)),
        file=record.record("program").optional("file", record.record("program").text),
        copies=_copies(record.record("program")),
    )


def _verdict(record: _Record, witness: Witness | None) -> Verdict:
    match record.text("verdict"), witness:
        case "robust", _:
            return Robust(record.text("reason"))
        case "not-robust", Witness():
            return NotRobust(witness)
        case "unknown", _:
            return Unknown(record.text("reason"))
    raise SavedReportError(f"{record.path}.verdict: expected robust, unknown, or not-robust with a witness")


def _program(record: _Record) -> Program:
    """The program itself if its text is there; else as much of it as reports speak of."""
    name, language, source = record.text("name"), record.text("language"), record.optional("source", record.text)
    if source is None:
        return _outline(record, name, language)
    try:
        whole = replace(loads(source, name, language), name=name)
    except InputError as error:
        raise SavedReportError(f"{record.path}.source: {error}") from None
    copies = dict(_copies(record))
    try:
        return instance(whole, copies) if copies else whole
    except ValueError as error:
        raise SavedReportError(f"{record.path}.copies: {error}") from None


def _copies(record: _Record) -> Copies:
    """Of an instance of a program with templates, how many threads of each; reports of before have none."""
    if "copies" not in record.fields:
        return ()
    return record.items("copies", _copy)


def _copy(record: _Record) -> tuple[str, int]:
    count = record.integer("count")
    if not 0 <= count <= _MOST_COPIES:
        raise SavedReportError(f"{record.path}.count: expected 0 to {_MOST_COPIES}")
    return record.text("thread"), count


def _outline(record: _Record, name: str, language: str) -> Program:
    """Threads, locations and the number of assertions."""
    threads = record.texts("threads")
    if not threads:
        raise SavedReportError(f"{record.path}.threads: expected at least one")
    templates = record.texts("templates") if "templates" in record.fields else ()
    asserting = (Assert(Const(1)),) * record.integer("assertions")
    return Program(
        name,
        record.items("locations", _location),
        tuple(
            Thread(thread, (), () if number else asserting, any_number=thread in templates)
            for number, thread in enumerate(threads)
        ),
        language=language,
    )


def _location(record: _Record) -> Location:
    return Location(record.text("name"), (0,) * record.integer("size"), record.truth("atomic"))


def _witness(record: _Record, threads: int) -> Witness:
    witness = Witness(
        kind=record.word("kind", _words(WitnessKind)),
        schedule=record.items("schedule", _move),
        headline=record.text("headline"),
        trace=record.items("trace", _step),
        reasons=record.texts("reasons"),
        repairs=record.items("repairs", lambda repair: Repair(repair.items("changes", _change))),
        events=record.items("events", _event),
        edges=record.items("edges", _edge),
        cycle=record.items("cycle", _edge),
        confirmed=record.truth("confirmed"),
        thread=record.optional("thread", record.integer),
        span=record.optional("span", lambda name: _span(record.record(name))),
        attack=record.optional("attack", lambda name: _attack(record.record(name))),
        copies=_copies(record),
        axiom=record.optional("axiom", record.text),
    )
    _require_known(witness, threads, record.path)
    return witness


def _require_known(witness: Witness, threads: int, path: str) -> None:
    """Every thread and event that is spoken of exists."""
    numbers = {event.number for event in witness.events}
    changes = [change.thread for repair in witness.repairs for change in repair.changes]
    mentioned = {*changes, *(step.thread for step in witness.trace), *(event.thread for event in witness.events)}
    if not mentioned - {None} <= set(range(threads)):
        raise SavedReportError(f"{path}: a thread that the program does not have")
    if not {end for edge in (*witness.edges, *witness.cycle) for end in (edge.source, edge.target)} <= numbers:
        raise SavedReportError(f"{path}: an edge between events that are not there")


def _move(record: _Record) -> Move:
    return Move(
        record.integer("thread"), record.integer("instructions"), record.integers("choices"), record.truth("delays")
    )


def _attack(record: _Record) -> Attack:
    return Attack(record.integer("thread"), record.integer("store"), record.integer("load"), record.integers("passed"))


def _step(record: _Record) -> TraceStep:
    return TraceStep(
        record.integer("thread"),
        _optional_span(record),
        record.text("effect"),
        record.optional("event", record.integer),
        record.text("code"),
    )


def _change(record: _Record) -> Change:
    return Change(record.integer("thread"), _optional_span(record), record.text("what"), record.text("code"))


def _event(record: _Record) -> Event:
    location = record.optional("location", record.text)
    label = Label(
        record.text("kind"),
        None if location is None else Cell(location, record.integer("slot")),
        record.optional("order", lambda name: record.word(name, _ORDERS)),
        record.optional("read", record.integer),
        record.optional("written", record.integer),
    )
    return Event(record.integer("number"), record.optional("thread", record.integer), label, _optional_span(record))


def _edge(record: _Record) -> Edge:
    return Edge(record.integer("source"), record.integer("target"), record.text("kind"))


def _busy_wait(record: _Record) -> BusyWait:
    return BusyWait(record.integer("thread"), _optional_span(record), record.text("what"))


def _statistics(record: _Record) -> Statistics:
    return Statistics(
        record.integer("states"),
        record.integer("transitions"),
        record.number("seconds"),
        record.integer("peak_bytes"),
        record.integer("workers"),
        record.integer("executions"),
    )


def _optional_span(record: _Record) -> Span | None:
    return record.optional("span", lambda name: _span(record.record(name)))


def _span(record: _Record) -> Span:
    return Span(record.integer("line"), record.integer("column"))
