"""What is looked for in the instances of a program with templates, and how the core is asked."""

from __future__ import annotations

import time
from dataclasses import replace
from enum import IntEnum

from fencepost import _core
from fencepost.engines.exhaustive import Progress, run_search
from fencepost.engines.lowering import require_fitting, to_core
from fencepost.engines.options import Reduction, SearchOptions
from fencepost.models.registry import ModelInfo
from fencepost.program.analysis.delays import unfenced_pairs
from fencepost.program.form import Access, Assert, BlockingCas, Instruction, Program, Wait
from fencepost.verdict.types import Notion

GOALS = {Notion.ROBUST: "cycle", Notion.TRIANGULAR: "triangle"}
_WIDENED_UP_TO = 3_000  # steps; to follow more values makes them nine times as many


class Coverable(IntEnum):
    """The enum of the core."""

    NO = 0
    YES = 1
    UNDECIDED = 2


class Question:
    """What is looked for in the instances of a program, and how."""

    def __init__(self, program: Program, info: ModelInfo, notion: Notion, options: SearchOptions) -> None:
        self.program = program
        self.info = info
        self.notion = notion
        self.options = options
        slots, self.templates = _with_slots(program)
        self.prepared = info.prepare(slots)
        self.compares = info.monitor == "attacks"
        self.attackable = self.compares and bool(unfenced_pairs(self.prepared, info.flushes))

    @property
    def is_needless(self) -> bool:
        """No attack is possible, and no assertion can fail either."""
        return (
            self.compares
            and not self.attackable
            and not any(
                isinstance(step, Assert)
                or (isinstance(step, Access) and step.ref.index is not None and self.program.wraps)
                for thread in self.program.threads
                for step in thread.code
            )
        )

    @property
    def can_block(self) -> bool:
        return any(isinstance(step, Wait | BlockingCas) for thread in self.program.threads for step in thread.code)

    def run(self, on_progress: Progress | None, started: float) -> _core.CoverabilityResult:
        if len(self.prepared.threads) > _core.MAX_THREADS:
            raise ValueError(
                f"at most {_core.MAX_THREADS} threads are supported, of which each of any number counts for two, "
                f"not {len(self.prepared.threads)}"
            )
        require_fitting(self.prepared)
        on, options = self.options.reductions, self.options
        search = _core.create_coverability(
            to_core(self.prepared, None, flushes=self.info.flushes if self.compares else _never_delayed),
            templates=self.templates,
            goal=GOALS[self.notion] if self.attackable else "none",
            dead_registers=Reduction.LIVENESS in on,
            fuse_local=Reduction.FUSE in on,
            prune=Reduction.PAIRS in on,
            max_states=options.max_states or 0,
            max_bytes=options.memory or 0,
            max_seconds=0 if options.timeout is None else max(options.timeout - (time.perf_counter() - started), 1e-3),
        )
        return run_search(search, on_progress, started)

    def wants_more_values(self, found: _core.CoverabilityResult) -> bool:
        """Whether there may be an answer if larger values are followed as well."""
        cycle, _, outside = found["answers"]
        unanswered = self.attackable and cycle["coverable"] == Coverable.NO and outside["coverable"] == Coverable.YES
        small = found["steps"] <= _WIDENED_UP_TO and self.program.widened().max_value <= _core.MAX_INTEGER
        return unanswered and self.program.elastic and small


def _never_delayed(instruction: Instruction) -> bool:
    return True


def _with_slots(program: Program) -> tuple[Program, list[tuple[int, int]]]:
    """The threads that are no templates, and two of each template (see core/coverability/crowd.hpp)."""
    threads = [thread for thread in program.threads if not thread.any_number]
    slots = []
    for number in program.templates:
        template = program.threads[number]
        slots.append((len(threads), len(threads) + 1))
        threads += [replace(template, name=f"{template.name}{mark}", any_number=False) for mark in ("#", "#!")]
    return replace(program, threads=tuple(threads)), slots
