"""From the knowledge that some instance fails to one, with its witness.

Smaller instances than the one that is known to suffice are searched first, as any program is: they may do, and their
witnesses are shortest. If that takes too long, the run that the core has found is the witness. Either is replayed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product

from fencepost import _core
from fencepost.engines import attacks, exhaustive
from fencepost.engines.exhaustive import Progress
from fencepost.engines.options import SearchOptions
from fencepost.program.templates import instance
from fencepost.verdict.types import Move, NotRobust, Unknown, Witness, WitnessKind

from .question import Coverable, Question
from .schedule import schedule

_FEW_STATES = 200_000  # of an instance
_SECONDS = 5.0  # until which the search of another instance may begin
_SECONDS_EACH = 10.0
_STOPPED = 5  # an ending of the core

_Search = Callable[[Mapping[str, int]], Witness | Unknown | None]
_Replay = Callable[[Mapping[str, int], tuple[Move, ...], int], Witness]


@dataclass(frozen=True)
class Example:
    copies: dict[str, int]
    witness: Witness

    @staticmethod
    def of(copies: Mapping[str, int], witness: Witness) -> Example:
        return Example(dict(copies), replace(witness, copies=tuple(copies.items())))


class Examples:
    """`started`: when the time limit of the question began."""

    def __init__(
        self, question: Question, found: _core.CoverabilityResult, started: float, on_progress: Progress | None
    ) -> None:
        self.question = question
        self.started = started
        self.on_progress = on_progress
        self.stopped = found["ending"] == _STOPPED
        self.ends = time.perf_counter() + _SECONDS

    def attack(self, answer: _core.CoverabilityAnswer) -> Example | None:
        return self._example(answer, self._search_attack, self._replay_attack)

    def failure(self, answer: _core.CoverabilityAnswer) -> Example | None:
        """An instance in which an assertion fails under SC."""
        return self._example(answer, self._search_failure, self._replay_failure)

    def together(self, attack: Example, failure: Example) -> tuple[Example, Example | None]:
        """Both in the same instance, which is large enough for either; the attack alone if that takes too long."""
        copies = {name: max(count, failure.copies[name]) for name, count in attack.copies.items()}
        first = attack.witness if copies == attack.copies else self._search_attack(copies)
        second = failure.witness if copies == failure.copies else self._search_failure(copies)
        if not isinstance(first, Witness) or not isinstance(second, Witness):
            return attack, None
        return Example.of(copies, first), Example.of(copies, second)

    def sufficient(self, answer: _core.CoverabilityAnswer) -> dict[str, int]:
        """How many copies of each template the core has found to be enough."""
        program = self.question.program
        names = [program.threads[number].name for number in program.templates]
        return dict(zip(names, answer["copies"], strict=True))

    def _example(self, answer: _core.CoverabilityAnswer, search: _Search, replay: _Replay) -> Example | None:
        if answer["coverable"] != Coverable.YES:
            return None
        enough = self.sufficient(answer)
        for copies in _up_to(enough):
            threads = sum(copies.values()) + len(self.question.program.threads) - len(copies)
            if self.stopped or threads > _core.MAX_THREADS or time.perf_counter() > self.ends:
                break
            if threads > 0:
                found = search(copies)
                if isinstance(found, Witness):
                    return Example.of(copies, found)
                self.stopped = isinstance(found, Unknown) and found.stopped
        return Example.of(enough, replay(enough, *schedule(self.question.program, enough, answer["path"])))

    # By search

    def _search_attack(self, copies: Mapping[str, int]) -> Witness | Unknown | None:
        question = self.question
        found = attacks.check_program(
            instance(question.program, copies),
            model=question.info.name,
            notion=question.notion,
            options=self._options(),
            on_progress=self.on_progress,
        )
        if isinstance(found.verdict, NotRobust):
            return found.verdict.witness
        return found.verdict if isinstance(found.verdict, Unknown) else None

    def _search_failure(self, copies: Mapping[str, int]) -> Witness | Unknown | None:
        program, info, options = instance(self.question.program, copies), self.question.info, self._options()
        if self.question.compares:
            return attacks.failing_assertion(program, model=info, options=options, on_progress=self.on_progress)
        found = exhaustive.check_program(program, model=info.name, options=options, on_progress=self.on_progress)
        return found.assertion_witness or (found.verdict if isinstance(found.verdict, Unknown) else None)

    def _options(self) -> SearchOptions:
        options = self.question.options
        left = _SECONDS_EACH
        if options.timeout is not None:
            left = min(left, max(options.timeout - (time.perf_counter() - self.started), 1e-3))
        return replace(options, timeout=left, max_states=min(options.max_states or _FEW_STATES, _FEW_STATES))

    # By the run that the core has found

    def _replay_attack(self, copies: Mapping[str, int], moves: tuple[Move, ...], thread: int) -> Witness:
        from fencepost.verdict import computation

        question = self.question
        prepared = question.info.prepare(instance(question.program, copies))
        return computation.witness(prepared, moves, question.info, question.notion)

    def _replay_failure(self, copies: Mapping[str, int], moves: tuple[Move, ...], thread: int) -> Witness:
        from fencepost.verdict import replay

        question = self.question
        prepared = question.info.prepare(instance(question.program, copies))
        return replay.witness(prepared, moves, thread, WitnessKind.ASSERTION, question.info, question.notion)


def _up_to(enough: Mapping[str, int]) -> list[dict[str, int]]:
    """All numbers of copies up to `enough`, the smallest sums first."""
    vectors = product(*(range(count + 1) for count in enough.values()))
    return [dict(zip(enough, vector, strict=True)) for vector in sorted(vectors, key=lambda v: (sum(v), v))]
