"""The words that all reports share."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from fencepost.models.registry import find, shown
from fencepost.program.form import Assert, Program
from fencepost.program.lts import Label
from fencepost.program.places import Lines
from fencepost.program.templates import counted, template_names
from fencepost.verdict.types import (
    Answer,
    CheckResult,
    Event,
    Notion,
    NotRobust,
    Robust,
    Unknown,
    Verdict,
    Witness,
    WitnessKind,
)


def verdict_word(verdict: Verdict) -> str:
    match verdict:
        case Robust():
            return "robust"
        case NotRobust():
            return "not-robust"
        case Unknown():
            return "unknown"


def reason(verdict: Verdict) -> str:
    """One sentence: what was covered, what goes wrong, or why there is no answer."""
    match verdict:
        case Robust(coverage):
            return coverage
        case NotRobust(witness):
            return witness.headline
        case Unknown(why):
            return why


def model_title(name: str) -> str:
    return printable(shown(name))


def notion_title(result: CheckResult) -> str:
    against = model_title(result.against)
    match result.notion:
        case Notion.ROBUST:
            return f"robustness (every execution must be one of {against})"
        case Notion.OBSERVATIONAL:
            return f"observational robustness (reads that {against} does not have are fine while nothing uses them)"
        case Notion.STATE:
            return f"state-robustness (threads must come only to where they come under {against})"
        case Notion.TRIANGULAR:
            return "triangular-race freedom (stronger than robustness)"


def verdict_line(result: CheckResult) -> str:
    """The first line of a report: the verdict, and whatever else goes wrong."""
    line = _verdict_line(result)
    fails = isinstance(result.verdict, NotRobust) or Answer.FAIL in (result.assertions, result.races)
    return f"{line}, with {counted(result.copies)}" if result.copies and fails else line


def _verdict_line(result: CheckResult) -> str:
    match result.verdict:
        case Robust() if result.races is Answer.FAIL:
            return f"{_robust(result)}, but two accesses to a non-atomic location race"
        case Robust() if result.assertions is Answer.FAIL:
            return f"{_robust(result)}, but an assertion fails under {model_title(result.against)}{_assertion(result)}"
        case Robust(coverage):
            return f"{_robust(result)}: {_agreement(result)} ({coverage})"
        case NotRobust(witness) if result.notion is Notion.TRIANGULAR:
            return f"NOT free of triangular races: {witness.headline.removeprefix('triangular race: ')}"
        case NotRobust(witness):
            kind = "data race: " if witness.kind is WitnessKind.RACE else ""
            return f"NOT robust: {kind}{witness.headline}"
        case Unknown(why) if result.assertions is Answer.FAIL:
            return f"unknown, but an assertion fails under {model_title(result.against)}{_assertion(result)} ({why})"
        case Unknown(why):
            return f"unknown: {why}"


def _robust(result: CheckResult) -> str:
    several = bool(result.program.templates)
    return f"robust for any number of threads of {template_names(result.program)}" if several else "robust"


def safety(result: CheckResult) -> Answer:
    """Whether the program is safe under the model: robust, and no assertion fails, and no race (Prop 4.3, 4.12)."""
    if isinstance(result.verdict, NotRobust) or Answer.FAIL in (result.assertions, result.races):
        return Answer.FAIL
    answered = isinstance(result.verdict, Robust) and result.assertions is Answer.HOLD
    return Answer.HOLD if answered and not _races_open(result) else Answer.UNKNOWN


def outcome_word(result: CheckResult) -> str:
    """The answer in a few words, for counting."""
    word = "NOT robust" if isinstance(result.verdict, NotRobust) else verdict_word(result.verdict)
    return f"{word} but failing" if word != "NOT robust" and safety(result) is Answer.FAIL else word


def consequence(result: CheckResult) -> str:
    """What the answers together mean for the program's assertions, and whether it can block for ever."""
    deadlock = f"; it can deadlock under {model_title(result.against)}" if result.deadlock else ""
    return _what_holds(result) + deadlock


def _what_holds(result: CheckResult) -> str:
    """Prop 4.3, 4.12."""
    model, against = model_title(result.model), model_title(result.against)
    if result.races is Answer.FAIL:
        return f"a program with a data race has no meaning under {model}, whatever its assertions say"
    match result.verdict, result.assertions:
        case Robust(), Answer.HOLD if result.notion is Notion.STATE:
            asserted = f"no assertion fails under {model} either; " if _asserts(result.program) else ""
            return f"{asserted}where threads are at the same time was not compared"
        case Robust(), Answer.HOLD if _races_open(result):
            return f"robust, and no assertion fails under {against}; data races were not decided"
        case Robust(), Answer.HOLD if _asserts(result.program):
            return f"robust, and no assertion fails: safe under {model}"
        case Robust(), Answer.HOLD:
            return f"robust: what holds under {against} holds under {model} (the program itself asserts nothing)"
        case Robust(coverage), Answer.FAIL:
            return f"{_agreement(result)} ({coverage}), so the assertion fails under {model} exactly as under {against}"
        case Robust(), Answer.UNKNOWN:
            return f"robust, but whether an assertion fails under {against} is not known"
        case NotRobust(), Answer.HOLD | Answer.UNKNOWN if result.notion is Notion.TRIANGULAR:
            return "the program may be robust all the same: a triangular race need not lead to a cycle"
        case NotRobust(), Answer.FAIL:
            return f"an assertion fails already under {against}{_assertion(result)}"
        case NotRobust(Witness(confirmed=False)), _:
            return f"this may be a false alarm; if it is none, what holds under {against} need not hold under {model}"
        case NotRobust(), Answer.HOLD if _asserts(result.program):
            return f"no assertion fails under {against}; that says nothing about {model}"
        case NotRobust(), _:
            return f"what holds under {against} need not hold under {model}"
        case Unknown(), Answer.FAIL:
            return f"what fails under {against} fails under {model}; whether {model} adds to it is not known"
        case Unknown(), Answer.HOLD:
            return f"no assertion fails under {against}; about {model} nothing is known"
    return "an unknown answer is not a robust one"


def threads_text(result: CheckResult) -> str:
    """How many threads there are."""
    program = result.program
    number = len(program.threads) - len(program.templates)
    others = f"{number} thread{'' if number == 1 else 's'}"
    if program.templates:
        several = f"any number of threads of {template_names(program)}"
        return f"{several}, and {others} more" if number else several
    return f"{others}: {counted(result.copies)}" if result.copies else others


def thread_name(program: Program, thread: int | None) -> str:
    return "init" if thread is None else program.threads[thread].name


def label_text(label: Label) -> str:
    """An event label in short: `R acq x = 1`, `RMW acq_rel x: 0 to 1`, `F seq_cst`, `CTRL`."""
    words = [label.kind]
    if label.order is not None:
        words.append(label.order.value)
    match label.read, label.written:
        case None, None:
            place = "" if label.cell is None else str(label.cell)
        case read, None:
            place = f"{label.cell} = {read}"
        case None, written:
            place = f"{label.cell} = {written}"
        case read, written:
            place = f"{label.cell}: {read} to {written}"
    return " ".join((*words, place) if place else words)


def execution_title(witness: Witness, result: CheckResult) -> str:
    if witness.kind is WitnessKind.RACE:
        return "An execution with the race"
    if witness.kind is WitnessKind.TRIANGULAR_RACE:
        return "An execution with the triangular race"
    if witness.kind is WitnessKind.STATE:
        return f"How {model_title(result.model)} leads there"
    if not witness.cycle:
        return "The execution that raises the doubt"
    return f"An execution that {model_title(result.model)} allows and {model_title(result.against)} forbids"


def assertion_title(result: CheckResult) -> str:
    return f"How the assertion fails under {model_title(result.against)}"


def deadlock_title(result: CheckResult) -> str:
    deadlock = "" if result.deadlock is None else f": {printable(result.deadlock.headline)}"
    return f"Deadlock under {model_title(result.against)}{deadlock}"


def cycle_title(witness: Witness, result: CheckResult) -> str:
    rule = "" if witness.axiom is None else f" (its axiom {printable(witness.axiom)})"
    return f"Why {model_title(result.against)} forbids it{rule}: these steps would come in a circle"


def cycle_texts(witness: Witness, program: Program) -> Iterator[str]:
    """The cycle: for each edge, why its first event comes before its second."""
    events = {event.number: event for event in witness.events}
    lines = Lines(program)
    for edge in witness.cycle:
        yield printable(_edge_text(events[edge.source], events[edge.target], edge.kind, lines))


def _edge_text(first: Event, second: Event, kind: str, lines: Lines) -> str:
    before, after = _event_place(first, lines), _event_place(second, lines)
    cell, old, new = first.label.cell, first.label.written, second.label.written
    match kind:
        case "po":
            return f"{before} comes before {_event_line(second, lines)} in its thread"
        case "rf":
            return f"{before} writes {cell} = {old}, before {after} reads it"
        case "mo":
            return f"{before} writes {cell} = {old}, before {after} writes {cell} = {new}"
        case "fr":
            return f"{before} reads {cell} = {first.label.read}, before {after} writes {cell} = {new}"
        case "sc":
            return f"{before} runs before {after}"
        case "addr" | "data" | "ctrl" if first.thread is not None:
            what = {"addr": "the address of", "data": "the value of", "ctrl": "whether it comes to"}[kind]
            return f"{what} {_event_line(second, lines)} depends on what {before} reads"
        case "pick":
            return f"what {before} reads decides which value {_event_line(second, lines)} takes"
        case "block":
            return f"{before} is one step with {_event_line(second, lines)}, in a block under a lock"
        case "rmw" if first.label.kind == "W":
            return f"{before} is one atomic step with the read at {_event_line(second, lines)}"
        case "rmw":
            return f"{before} reads and writes {cell} in one atomic step"
    return f"{before} comes before {after}, by {kind}"


def _event_place(event: Event, lines: Lines) -> str:
    return f"{_event_line(event, lines)} ({thread_name(lines.program, event.thread)})"


def _event_line(event: Event, lines: Lines) -> str:
    where = label_text(event.label) if event.span is None else lines.where(event.span)
    return f"the fence at {where}" if event.label.kind == "F" and event.span is not None else where


def printable(text: str, keep: str = "") -> str:
    """`text` without anything that could steer a terminal: names and source lines come from unknown hands."""
    return "".join(character if character in keep else _visible(character) for character in text)


def _visible(character: str) -> str:
    if character == "\t":
        return " "
    # Cc, Cf, Cs, Cn: controls, invisible formatting (text direction too), lone surrogates, unassigned.
    return f"\\u{ord(character):04x}" if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Cn") else character


def _agreement(result: CheckResult) -> str:
    model, against = model_title(result.model), model_title(result.against)
    if result.model == result.against:
        return f"{against} is compared with itself"
    if result.notion is Notion.STATE:
        return f"under {model} no thread comes to where it does not come under {against}"
    if result.notion is Notion.TRIANGULAR:
        return f"no triangular race, so under {model} the program has only executions of {against}"
    if result.notion is Notion.ROBUST:
        return f"under {model} the program has only executions of {against}"
    return f"under {model} the program observes only what it can observe under {against}"


def _assertion(result: CheckResult) -> str:
    return f": {result.assertion_witness.headline}" if result.assertion_witness else ""


def _asserts(program: Program) -> bool:
    return any(isinstance(instruction, Assert) for thread in program.threads for instruction in thread.code)


def _races_open(result: CheckResult) -> bool:
    """Races exist only on non-atomic locations, and only where the two models differ."""
    atomic = all(location.atomic for location in result.program.locations)
    info = find(result.model)
    matter = info is None or info.races
    return result.races is Answer.UNKNOWN and matter and not atomic and result.model != result.against
