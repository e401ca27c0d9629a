"""What `litmus` and `compare` share: their options, and running over many files, with results kept in JSON lines."""

from __future__ import annotations

from argparse import Namespace, _ArgumentGroup
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from fencepost.engines.options import SearchOptions
from fencepost.frontends import InputError
from fencepost.reports.failure import Failure
from fencepost.verdict.types import Statistics

from .delivery import Failed, complain_about, failure_record, reported_failure
from .exits import INTERNAL, USAGE, UsageError, worst
from .files import gather
from .interrupts import Interrupts
from .lines import Lines, add_lines
from .output import check_writable, save, show, use_colour
from .parsing import Parser, one_of
from .progress import Progress
from .units import count, duration, size

T = TypeVar("T")


def add_report(parser: Parser, *formats: str) -> _ArgumentGroup:
    """`formats`: those beside text and json."""
    known = ("text", "json", *formats)
    report = parser.add_argument_group("the report")
    report.add_argument("--format", type=one_of("format", known), default="text", help=", ".join(known))
    report.add_argument("-o", "--output", metavar="FILE", help="write the report there")
    report.add_argument("-q", "--quiet", action="store_true", help="text: one line for each file")
    add_lines(report)
    report.add_argument(
        "--color", type=one_of("choice", ("auto", "always", "never")), default="auto", help="auto, always, never"
    )
    return report


def add_limits(parser: Parser) -> None:
    limits = parser.add_argument_group("limits")
    limits.add_argument(
        "--unroll", type=count, default=2, metavar="N", help="how often a loop may come round (default: 2)"
    )
    limits.add_argument("--timeout", type=duration, metavar="TIME", help="per model and file, in seconds; or 10m, 2h")
    limits.add_argument("--memory", type=size, metavar="SIZE", help="for final states, such as 1G")
    limits.add_argument("--max-executions", type=count, metavar="N", help="per model and file")


def options_of(arguments: Namespace) -> SearchOptions:
    return SearchOptions(
        timeout=arguments.timeout,
        memory=arguments.memory,
        max_states=arguments.max_executions,
        unroll=arguments.unroll,
    )


class Batch(Generic[T]):
    """Asks about each file, delivers what comes, counts. `word` is a result's answer, for counting."""

    def __init__(
        self,
        arguments: Namespace,
        question: Mapping[str, object],
        *,
        answer: Callable[[str, Batch[T]], T],
        text: Callable[[T, bool, bool], str],
        data: Callable[[T], dict[str, Any]],
        code: Callable[[T], int],
        word: Callable[[T], str],
        document: Callable[[Sequence[T | Failure]], str] | None = None,
    ) -> None:
        if arguments.lines is not None and arguments.format not in ("text", "json"):
            raise UsageError("--lines keeps results as data, of which no page can be made", "leave one of the two out")
        self._files, self._several = gather(arguments.files)
        if arguments.format == "svg" and self._several:
            raise UsageError("a picture shows one program", "name one file, or take another format")
        self._arguments = arguments
        if arguments.output is not None:
            check_writable(arguments.output)
        limits = (arguments.timeout, arguments.memory, arguments.max_executions)
        self._lines = Lines(arguments.lines, {**question, "limits": list(limits)})
        self._coloured = use_colour(arguments.color, arguments.output)
        self._answer, self._text, self._data, self._code, self._word = answer, text, data, code, word
        self._interrupts = Interrupts()
        self._kept: list[str] = []
        self._records: list[Mapping[str, Any]] = []
        self._document = document
        self._results: list[T | Failure] = []  # for a document
        self._words: Counter[str] = Counter()
        self._codes: list[int] = []
        self._number = 0
        self._skipped = 0

    @contextmanager
    def stoppable(self, file: str) -> Iterator[Callable[[Statistics], None]]:
        """Around the work on a file, which Ctrl-C cuts short; gives what tells of progress."""
        place = f"[{self._number}/{len(self._files)}] " if self._several else ""
        progress = Progress(f"{place}{file}")
        try:
            progress.start()
            with self._interrupts.stoppable():
                yield progress
        finally:
            progress.clear()

    def run(self) -> int:
        with self._interrupts:
            for number, file in enumerate(self._files, start=1):
                self._number = number
                if self._interrupts.seen:
                    break
                known = self._lines.known(file)
                if known is not None:
                    self._take(known)
                else:
                    self._ask(file)
            self._finish()
        return worst(self._codes)

    def _take(self, record: Mapping[str, Any]) -> None:
        self._skipped += 1
        self._words[record["answer"]] += 1
        self._codes.append(record["code"])
        self._records.append(record)

    def _ask(self, file: str) -> None:
        try:
            result = self._answer(file, self)
        except KeyboardInterrupt:  # outside the enumeration, which answers what it knows
            return
        except Exception as error:  # the other files can still be asked about
            self._failed(Failed(file, error))
            return
        word, code = self._word(result), self._code(result)
        self._words[word] += 1
        self._codes.append(code)
        data = self._data(result)
        if not self._interrupts.seen:  # else it is not what the question would have got
            self._lines.add(file, {**data, "answer": word, "code": code})
        self._records.append(data)
        if self._arguments.format == "text":
            self._deliver(self._text(result, self._several, self._coloured))
        elif self._arguments.format != "json":
            self._results.append(result)

    def _failed(self, failed: Failed) -> None:
        code = USAGE if isinstance(failed.error, InputError) else INTERNAL
        complain_about(failed)
        self._results.append(reported_failure(failed))
        self._words["no answer"] += 1
        self._codes.append(code)
        record = failure_record(failed)
        self._lines.add(failed.file, {**record, "answer": "no answer", "code": code})
        self._records.append(record)

    def _finish(self) -> None:
        left = len(self._files) - sum(self._words.values())
        if left:
            self._words["not asked"] = left
        if self._arguments.format == "json":
            from fencepost.reports.json import dump

            if self._several:
                self._deliver(dump(self._records))
            elif self._records:
                self._deliver(dump(self._records[0]))
        elif self._arguments.format != "text":
            assert self._document is not None
            self._deliver(self._document(self._results))
        elif self._several:
            parts = ", ".join(f"{number} {word}" for word, number in self._words.items())
            known = f" ({self._skipped} known from {self._arguments.lines})" if self._skipped else ""
            self._deliver(f"{len(self._files)} programs: {parts}{known}\n")
        elif self._skipped:
            self._deliver(f"{self._files[0]}: known from {self._arguments.lines}\n")
        if self._arguments.output is not None and self._kept:
            save(self._arguments.output, "".join(self._kept))

    def _deliver(self, text: str) -> None:
        if self._arguments.output is None:
            show(text)
        else:
            self._kept.append(text)
