"""What a litmus test comes to, as text and as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fencepost._version import __version__
from fencepost.engines.graphs.outcomes import Outcome, Outcomes
from fencepost.program.condition import InRegister, Observable, Occurrence, Truth, show
from fencepost.program.form import Program
from fencepost.program.places import Lines

from .json import SCHEMA, witness_data
from .style import PLAIN, Style
from .text import heading, item, witness_table, wrapped
from .words import cycle_texts, model_title, printable


def headline(result: Outcomes, style: Style = PLAIN) -> str:
    """The answer on one line: `SB under TSO: Sometimes (1 of 4 executions); exists holds`."""
    title = f"{printable(result.program.name)} under {model_title(result.model)}"
    if result.unknown is not None:
        return style.paint(style.doubt, f"{title}: unknown: {printable(result.unknown)}")
    words = [_occurrence(result)]
    if result.program.final is not None and result.is_satisfied is not None:
        words.append(f"{result.program.final.quantifier.value} {'holds' if result.is_satisfied else 'does not hold'}")
    if result.racy:
        words.append("with a DATA RACE, so that it has no meaning in C11")
    if result.open_end is not None:
        certain = "more states are possible: " if result.is_certain else "not certain: "
        words.append(f"{certain}{result.open_end}")
    return style.paint(_colour(result, style), f"{title}: {'; '.join(words)}")


def _occurrence(result: Outcomes) -> str:
    count = f"{result.executions:,} execution{'' if result.executions == 1 else 's'}"
    if result.occurrence is None:
        return count
    final = result.program.final
    if final is not None and final.filter != Truth(True):
        passing = sum(state.executions for state in result.states)
        count = f"{passing:,} that pass{'es' if passing == 1 else ''} the filter, of {count}"
    if result.occurrence is not Occurrence.SOMETIMES:
        return f"{result.occurrence.value} ({count})"
    witnesses = sum(state.executions for state in result.states if state.holds)
    return f"{result.occurrence.value} ({witnesses:,} of {count})"


def _colour(result: Outcomes, style: Style) -> str:
    if result.is_satisfied is None:
        return style.doubt if result.program.final is not None or result.open_end else style.strong
    return style.good if result.is_satisfied else style.bad


def render(result: Outcomes, style: Style = PLAIN) -> str:
    """The whole report."""
    return "\n".join(line.rstrip() for line in _report(result, style)) + "\n"


def _report(result: Outcomes, style: Style) -> Iterator[str]:
    yield from wrapped(headline(result, style))
    if result.program.final is not None:
        final = result.program.final
        yield from wrapped(
            f"{final.quantifier.value} {printable(show(final.proposition, result.program.value_text))}", "  "
        )
    if result.unknown is not None:
        return
    yield ""
    width = len(f"{max((state.executions for state in result.states), default=0):,}")
    for state in result.states:
        mark = "*" if state.holds else " "
        yield f"  {state.executions:>{width},} {mark} {values_text(state, result.program)}"
    for number, what in ((result.blocked, "wait for ever"), (result.failed, "fail an assertion or miss an array")):
        if number:
            yield f"  {number:>{width},}   {what}"
    for note, number in result.notes.items():
        yield f"  {number:>{width},}   noted by the model: {printable(note)}"
    if any(state.holds for state in result.states):
        yield f"  {' ' * width} * the condition's proposition holds"
    for state in result.states:
        if state.execution is not None:
            yield from heading(f"An execution that ends with {values_text(state, result.program)}", style)
            yield from _execution(state, result.program, style)
    yield ""
    executions = f"{result.executions:,} execution{'' if result.executions == 1 else 's'}"
    states = f"{len(result.states):,} final state{'' if len(result.states) == 1 else 's'}"
    yield style.paint(style.faint, f"{executions}, {states}, {result.statistics.seconds:.2f} s")


def _execution(state: Outcome, program: Program, style: Style) -> Iterator[str]:
    execution = state.execution
    assert execution is not None
    yield from witness_table(execution, Lines(program), style)
    for edge in execution.edges:
        if edge.kind not in ("po", "rf") and execution.events[edge.source].thread is not None:
            text = next(cycle_texts_of((edge,), state, program))
            yield from item(text)


def cycle_texts_of(edges: tuple[Any, ...], state: Outcome, program: Program) -> Iterator[str]:
    from dataclasses import replace

    assert state.execution is not None
    return cycle_texts(replace(state.execution, cycle=edges), program)


def values_text(state: Outcome, program: Program) -> str:
    shown = program.value_text
    return (
        " ".join(f"{printable(str(what))}={shown(value)};" for what, value in state.values.items())
        or "(nothing observed)"
    )


def test_data(program: Program, file: str | None, unroll: int) -> dict[str, Any]:
    """What stands at the head of every result about a test."""
    final, shown = program.final, program.value_text
    condition = None
    if final is not None:
        condition = {"quantifier": final.quantifier.value, "proposition": show(final.proposition, shown)}
    return {
        "schema": SCHEMA,
        "fencepost": __version__,
        "file": file,
        "name": program.name,
        "architecture": program.isa.value,
        "unroll": unroll,
        "condition": condition,
    }


def data(result: Outcomes) -> dict[str, Any]:
    """The result as dictionaries, lists, strings and numbers (docs/json-litmus.md)."""
    return {
        **test_data(result.program, result.file, result.unroll),
        "model": result.model,
        "occurrence": None if result.occurrence is None else result.occurrence.value,
        "satisfied": result.is_satisfied,
        "complete": result.unknown is None and result.open_end is None,
        "reason": result.unknown or result.open_end,
        "executions": result.executions,
        "blocked": result.blocked,
        "failed": result.failed,
        "cut": result.cut,
        "racy": result.racy,
        "notes": dict(result.notes),
        "states": [_state(state, result.program) for state in result.states],
        "seconds": result.statistics.seconds,
    }


def _state(state: Outcome, program: Program) -> dict[str, Any]:
    return {
        "values": [_value(what, value) for what, value in state.values.items()],
        "executions": state.executions,
        "holds": state.holds,
        "execution": witness_data(state.execution, program),
    }


def _value(what: Observable, value: int) -> dict[str, Any]:
    register = isinstance(what, InRegister)
    return {
        "name": str(what),
        "thread": what.thread if isinstance(what, InRegister) else None,
        "kind": "register" if register else "memory",
        "value": value,
    }
