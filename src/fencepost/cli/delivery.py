"""Reports on their way to a terminal or a file: as soon as they are there, or at the end in one piece."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from fencepost.frontends import InputError
from fencepost.reports import DOCUMENTS
from fencepost.reports.failure import Failure
from fencepost.verdict.types import Agreement, CheckResult

from .exits import UsageError
from .failures import described, internal_error
from .output import check_writable, complain, save, show, use_colour


@dataclass(frozen=True, slots=True)
class Failed:
    """A file about which there is no result."""

    file: str
    error: Exception


Outcome = CheckResult | Failed


class Delivery:
    """Takes outcomes one by one. `several`: a report is one of a list, even if the list has but one."""

    def __init__(self, format: str, output: str | None, color: str, *, quiet: bool, several: bool) -> None:
        if format == "svg" and several:
            raise UsageError("a picture shows one program", "name one file, or take another format")
        if output is not None:
            check_writable(output)
        self.outcomes: list[Outcome] = []
        self._format = format
        self._output = output
        self._coloured = use_colour(color, output)
        self._quiet = quiet
        self._several = several
        self._kept: list[str] = []  # for the file

    def add(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)
        if isinstance(outcome, Failed):
            complain_about(outcome)
        elif self._format == "text":
            self._deliver(self._text(outcome))
        elif self._format == "svg":
            from fencepost.reports import render

            self._deliver(render(outcome, self._format))

    def finish(self, unchecked: int = 0) -> None:
        """All outcomes are there, or those up to an interrupt after which so many files were not checked."""
        if self._format == "text" and self._several:
            self._deliver(self._summary(unchecked))
        if self._format == "json":
            from fencepost.reports.json import dump

            records = [_record(outcome) for outcome in self.outcomes]
            self._deliver(dump(records if self._several else records[0]) if records else "[]\n")
        if self._format in DOCUMENTS:
            from fencepost.reports import document

            self._deliver(
                document(
                    [reported_failure(each) if isinstance(each, Failed) else each for each in self.outcomes],
                    self._format,
                )
            )
        if self._output is not None and self._kept:
            save(self._output, "".join(self._kept))

    def _deliver(self, text: str) -> None:
        if self._output is None:
            show(text)
        else:
            self._kept.append(text)

    def _text(self, result: CheckResult) -> str:
        from fencepost.reports.style import COLOUR, PLAIN
        from fencepost.reports.text import render, verdict_only

        style = COLOUR if self._coloured else PLAIN
        if self._quiet:
            place = f"{result.file}: " if self._several else ""
            note = " (not what the file expects)" if result.expectation is Agreement.DIFFERS else ""
            return f"{place}{verdict_only(result, style)}{note}\n"
        return render(result, style) + ("\n" if self._several else "")

    def _summary(self, unchecked: int) -> str:
        from fencepost.reports.words import outcome_word

        words = Counter(
            "no answer" if isinstance(outcome, Failed) else outcome_word(outcome) for outcome in self.outcomes
        )
        if unchecked:
            words["not checked"] = unchecked
        parts = ", ".join(f"{count} {word}" for word, count in words.items())
        differing = sum(not isinstance(o, Failed) and o.expectation is Agreement.DIFFERS for o in self.outcomes)
        note = f"; {differing} not as the file expects" if differing else ""
        return f"{sum(words.values())} programs: {parts}{note}\n"


def complain_about(failed: Failed) -> None:
    error = failed.error
    complain(complaint(error) if isinstance(error, InputError) else internal_error(error, failed.file))


def complaint(error: InputError) -> str:
    """What is wrong with an input, with the line that it is about."""
    return error.render(_source(error))


def _source(error: InputError) -> str | None:
    """The text that an error is about, to show the line."""
    if error.line is None:
        return None
    try:
        with open(error.file, encoding="utf-8-sig", errors="replace") as file:
            return file.read()
    except OSError:
        return None


def reported_failure(failed: Failed) -> Failure:
    """What stands for the file in other documents than JSON."""
    error = failed.error
    if isinstance(error, InputError):
        return Failure(failed.file, error.message, error.line, error.column, error.hint)
    return Failure(failed.file, described(error), is_ours=True)


def _record(outcome: Outcome) -> dict[str, Any]:
    from fencepost.reports.json import data

    return failure_record(outcome) if isinstance(outcome, Failed) else data(outcome)


def failure_record(failed: Failed) -> dict[str, Any]:
    """What stands for the file in JSON."""
    from fencepost.reports.json import failure

    error = failed.error
    if isinstance(error, InputError):
        return failure(failed.file, "input", error.message, line=error.line, column=error.column, hint=error.hint)
    return failure(failed.file, "internal", described(error))
