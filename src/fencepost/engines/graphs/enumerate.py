"""All consistent executions of a bounded program, found in the core and told in terms of the program."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from time import perf_counter

from fencepost import _core
from fencepost.models.axiomatic.algebra import Axiom, Rules
from fencepost.models.axiomatic.candidates import Candidate, candidate_of
from fencepost.models.axiomatic.paths import Path, Unrolling, all_paths, within_words
from fencepost.program.condition import Observable
from fencepost.program.form import Program

from .lowering import to_core
from .rules import compile_judge, compile_rules

_PROGRESS_INTERVAL = 0.2  # seconds


class Ending(Enum):
    """Why the enumeration ended; the order is that of the core."""

    EXHAUSTED = "exhausted"
    GRAPHS = "graphs"  # the limit on their number
    TIME = "time"
    STOPPED = "stopped"  # by Ctrl-C
    STATES = "states"  # the limit on the number of final states


@dataclass(frozen=True, slots=True)
class Limits:
    """None means without limit."""

    max_graphs: int | None = None
    timeout: float | None = None  # seconds
    collect: int = 0  # how many executions to return
    max_violations: int | None = None  # enough of them, for some model that judges
    max_states: int = 1_000_000  # final states, each of which takes memory


@dataclass(frozen=True, slots=True)
class GraphId:
    """An execution, as the core tells it; `Enumeration.candidate` makes it one of the definition."""

    paths: tuple[int, ...]
    sources: tuple[tuple[int, int], ...]  # each read, and the write that it sees
    order: tuple[tuple[int, ...], ...]  # the writes to each accessed cell, oldest first


@dataclass(frozen=True, slots=True)
class FinalState:
    values: Mapping[Observable, int]
    executions: int
    graph: GraphId  # one of them

    def __call__(self, what: Observable) -> int:
        return self.values[what]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What another model says of the executions: how many it forbids, and the first that it does."""

    rules: Rules
    violations: int
    by_axiom: Mapping[str, int]  # how many fail which axiom first
    graph: GraphId | None
    axiom: Axiom | None
    cut_violations: int = 0  # of executions that were cut short; `graph` is one of them if there is no other


@dataclass(frozen=True)
class Enumeration:
    """`executions` counts those in which no thread was cut short by the bound on loops; `cut` the others."""

    program: Program
    rules: Rules
    unrolling: Unrolling
    ending: Ending
    executions: int
    blocked: int  # of them, some thread waits for ever
    failed: int  # of them, an assertion fails
    cut: int
    choices: int
    states: tuple[FinalState, ...]  # of those in which every thread is over
    judgements: tuple[Judgement, ...]
    failure: GraphId | None  # an execution in which an assertion fails
    graphs: tuple[GraphId, ...]
    _paths: Sequence[Sequence[Path]]

    def candidate(self, graph: GraphId) -> Candidate:
        """The execution by the definition. Raises ValueError if its values make no sense."""
        chosen = tuple(paths[number] for paths, number in zip(self._paths, graph.paths, strict=True))
        return candidate_of(self.program, chosen, dict(graph.sources), graph.order)


Progress = Callable[[int], None]  # gets the number of executions so far


def enumerate_executions(
    program: Program,
    rules: Rules,
    *,
    against: Sequence[Rules] = (),
    observed: Sequence[Observable] = (),
    unrolling: Unrolling | None = None,
    limits: Limits | None = None,
    on_progress: Progress | None = None,
) -> Enumeration:
    """The executions of `program` that `rules` allow, and which of them `against` forbid.

    Raises models.Unsupported for a program that the models give no meaning to, ValueError for what cannot be
    enumerated (too many paths or events, a model that cannot be computed).
    """
    unrolling = unrolling or Unrolling()
    limits = limits or Limits()
    program = within_words(program)
    started = perf_counter()
    paths = all_paths(program, unrolling, None if limits.timeout is None else started + limits.timeout)
    core = to_core(program, paths, observed)
    model = compile_rules(rules)
    judges = [compile_judge(other) for other in against]
    if limits.timeout is not None:
        limits = replace(limits, timeout=max(limits.timeout - (perf_counter() - started), 1e-3))
    found = _run(core, model, judges, limits, on_progress)
    return Enumeration(
        program,
        rules,
        unrolling,
        tuple(Ending)[found["ending"]],
        found["executions"],
        found["blocked"],
        found["failed"],
        found["cut"],
        found["choices"],
        tuple(
            FinalState(_named(program, observed, values), count, GraphId(*graph))
            for values, count, graph in found["states"]
        ),
        tuple(_judgement(other, *judged) for other, judged in zip(against, found["judgements"], strict=True)),
        None if found["failure"] is None else GraphId(*found["failure"]),
        tuple(GraphId(*graph) for graph in found["all"]),
        paths,
    )


def _named(program: Program, observed: Sequence[Observable], values: Sequence[int]) -> Mapping[Observable, int]:
    """The core tells values modulo 2**64."""
    words = (value % (1 << 64) for value in values)
    in_range = (word if word <= program.max_value else word - (1 << 64) for word in words)
    return dict(zip(observed, in_range, strict=True))


def _judgement(
    rules: Rules, violations: int, check: int, graph: _core._Graph | None, checks: Mapping[int, int], cut: int
) -> Judgement:
    return Judgement(
        rules,
        violations,
        {rules.axioms[number].name: count for number, count in checks.items()},
        None if graph is None else GraphId(*graph),
        None if graph is None else rules.axioms[check],
        cut,
    )


def _run(
    program: _core.PathProgram,
    model: _core.GraphRules,
    judges: Sequence[_core.GraphRules],
    limits: Limits,
    on_progress: Progress | None,
) -> _core.Graphs:
    """In a thread of its own, so that progress can be told and Ctrl-C is seen at once."""
    watch = _core.GraphWatch()
    results: list[_core.Graphs] = []
    failures: list[BaseException] = []
    done = threading.Event()  # not Thread.join, which takes an interrupted wait for the end of the thread

    def work() -> None:
        try:
            results.append(
                _core.enumerate_graphs(
                    program,
                    model,
                    judges,
                    watch,
                    max_graphs=limits.max_graphs or 0,
                    max_seconds=limits.timeout or 0.0,
                    collect=limits.collect,
                    max_violations=limits.max_violations or 0,
                    max_states=limits.max_states,
                )
            )
        except BaseException as error:  # handed to the caller's thread below
            failures.append(error)
        finally:
            done.set()

    threading.Thread(target=work, daemon=True).start()
    while not done.is_set():
        try:
            if not done.wait(_PROGRESS_INTERVAL) and on_progress is not None:
                on_progress(watch.executions)
        except KeyboardInterrupt:
            watch.stop()
    if failures:
        raise failures[0]
    return results[0]
