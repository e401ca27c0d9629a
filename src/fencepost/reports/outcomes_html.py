"""What litmus tests come to, as one HTML page: the final states, and an execution for each to step through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from fencepost.engines.graphs.outcomes import Outcomes
from fencepost.program.condition import show

from . import page
from .failure import Failure
from .outcomes import headline, values_text
from .text import statistics_line
from .words import model_title


def document(outcomes: Sequence[Outcomes | Failure]) -> str:
    """A page for all of them, with a summary where there are several."""
    one = len(outcomes) == 1
    title = f"fencepost: {_name(outcomes[0])}" if one else "fencepost"
    body = [part for number, outcome in enumerate(outcomes) for part in _article(number, outcome)]
    counts = ", ".join(f"{count} {word}" for word, count in Counter(map(_word, outcomes)).items())
    first = page.summary(f"{len(outcomes)} programs", counts or "nothing was asked", map(_row, outcomes))
    return page.page(title, body if one else [*first, *body])


def _name(outcome: Outcomes | Failure) -> str:
    return outcome.file if isinstance(outcome, Failure) else outcome.file or outcome.program.name


def _kind(result: Outcomes) -> str:
    if result.unknown is not None or (result.is_satisfied is None and result.program.final is not None):
        return "doubt"
    return "bad" if result.is_satisfied is False else "good"


def _word(outcome: Outcomes | Failure) -> str:
    if isinstance(outcome, Failure):
        return "no answer"
    if _kind(outcome) == "doubt":
        return "unknown"
    return "no condition" if outcome.occurrence is None else outcome.occurrence.value


def _row(outcome: Outcomes | Failure) -> tuple[str, str, str, str]:
    if isinstance(outcome, Failure):
        return "doubt", outcome.file, "", f"no answer: {outcome.message}"
    return _kind(outcome), _name(outcome), model_title(outcome.model), headline(outcome)


def _article(number: int, outcome: Outcomes | Failure) -> Iterator[str]:
    yield f'<article id="r{number}">'
    yield from page.no_answer(outcome) if isinstance(outcome, Failure) else _outcomes(number, outcome)
    yield "</article>"


def _outcomes(number: int, result: Outcomes) -> Iterator[str]:
    final = result.program.final
    facts = [("program", _name(result)), ("model", model_title(result.model))]
    if final is not None:
        facts.append(("condition", f"{final.quantifier.value} {show(final.proposition, result.program.value_text)}"))
    yield from page.heading(_kind(result), headline(result), "", facts)
    yield from _states(number, result)
    for index, state in enumerate(result.states):
        if state.execution is not None:
            title = f"An execution that ends with {values_text(state, result.program)}"
            yield from page.execution(f"r{number}w{index}", title, state.execution, result.program)
    if not any(state.execution for state in result.states):
        yield f'<div class="both">{"".join(page.source(result.program))}</div>'
    yield f'<p class="cost">{page.text(statistics_line(result.statistics))}</p>'


def _states(number: int, result: Outcomes) -> Iterator[str]:
    if not result.states:
        return
    yield "<table><thead><tr><th>executions</th><th>final state</th><th></th></tr></thead><tbody>"
    for index, state in enumerate(result.states):
        words = page.text(values_text(state, result.program))
        link = words if state.execution is None else f'<a href="#r{number}w{index}">{words}</a>'
        holds = "the condition's proposition holds" if state.holds else ""
        yield f"<tr><td>{state.executions:,}</td><td>{link}</td><td>{page.text(holds)}</td></tr>"
    for count, what in ((result.blocked, "wait for ever"), (result.failed, "fail an assertion or miss an array")):
        if count:
            yield f"<tr><td>{count:,}</td><td>{what}</td><td></td></tr>"
    for note, count in result.notes.items():
        yield f"<tr><td>{count:,}</td><td>noted by the model: {page.text(note)}</td><td></td></tr>"
    yield "</tbody></table>"
