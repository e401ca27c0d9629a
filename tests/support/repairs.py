"""Repairs of small programs by brute force, to compare with."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from fractions import Fraction

from fencepost.engines import attacks, exhaustive
from fencepost.engines.dispatch import check_program_with
from fencepost.engines.options import SearchOptions
from fencepost.fences.editor import FormEditor
from fencepost.fences.optimum import Choice
from fencepost.fences.problem import Problem
from fencepost.fences.synthesis import Found, Synthesis
from fencepost.fences.vocabulary import vocabulary_of
from fencepost.models.registry import ModelInfo, find
from fencepost.program.form import Program
from fencepost.verdict.types import Notion, Robust, Unknown

ONE_WORKER = SearchOptions(jobs=1)


def model(name: str) -> ModelInfo:
    info = find(name)
    assert info is not None
    return info


def is_robust(program: Program, info: ModelInfo, notion: Notion) -> bool:
    """The search's answer, without the words for it."""
    if program.templates:
        answer = check_program_with(info)(program, model=info.name, notion=notion, options=ONE_WORKER)
        assert not isinstance(answer.verdict, Unknown)
        return isinstance(answer.verdict, Robust)
    if info.engine == "attacks":
        search = attacks._Search(info.prepare(program), info, notion, ONE_WORKER)
        found = None if search.is_needless else search.run(None, time.perf_counter())
        assert found is None or found["ending"] in (0, 1)
        return found is None or found["violation"]["kind"] == 0
    found = exhaustive._decide(info.prepare(program), info, notion, ONE_WORKER, None, time.perf_counter())
    assert found["ending"] in (0, 1)
    return found["ending"] == 0


def problem_of(program: Program, info: ModelInfo, notion: Notion) -> Problem:
    vocabulary = vocabulary_of(info)
    assert vocabulary is not None
    editor = FormEditor(program)
    return Problem(editor, info, notion, False, tuple(vocabulary.candidates(editor)))


def search_of(problem: Problem, costs: Sequence[Fraction]) -> Synthesis:
    vocabulary = vocabulary_of(problem.info)
    assert vocabulary is not None

    def check(chosen: Choice) -> exhaustive.CheckResult:
        return check_program_with(problem.info)(
            problem.shown(chosen), model=problem.info.name, notion=problem.notion, options=ONE_WORKER
        )

    return Synthesis(check, vocabulary.learner(problem), costs)


def cheaper(costs: Sequence[Fraction], limit: Fraction, most: int) -> list[Choice] | None:
    """All choices that cost less than `limit`; None if they are more than `most`."""
    found = []
    for chosen in _cheaper(costs, limit, 0):
        found.append(chosen)
        if len(found) > most:
            return None
    return found


def _cheaper(costs: Sequence[Fraction], limit: Fraction, start: int) -> Iterator[Choice]:
    yield Choice()
    for item in range(start, len(costs)):
        if costs[item] < limit:
            for rest in _cheaper(costs, limit - costs[item], item + 1):
                yield rest | {item}


def total(costs: Sequence[Fraction], chosen: Choice) -> Fraction:
    return sum((costs[item] for item in chosen), Fraction(0))


def agrees(problem: Problem, costs: Sequence[Fraction], most: int) -> bool | None:
    """Whether no repair is cheaper than the one found; None if these would be too many programs to check."""
    answer = search_of(problem, costs).find()
    limit = total(costs, answer.chosen) if isinstance(answer, Found) else sum(costs, Fraction(1))
    others = cheaper(costs, limit, most)
    if others is None:
        return None
    return not any(is_robust(problem.decided(chosen), problem.info, problem.notion) for chosen in others)
