"""What a program that uses fencepost calls. The command line does nothing that cannot be done here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from fencepost import frontends
from fencepost.engines.dispatch import decider
from fencepost.engines.options import SearchOptions
from fencepost.models.registry import MODELS, ModelInfo, find, guess, named
from fencepost.program import templates
from fencepost.program.analysis.busy_waits import BusyLoop, block_busy_waits
from fencepost.program.analysis.remarks import remarks
from fencepost.program.form import Expectation, Program
from fencepost.verdict.types import Agreement, BusyWait, CheckResult, Notion, Robust, Statistics, Unknown

if TYPE_CHECKING:
    from fencepost.engines.graphs.comparison import Comparison
    from fencepost.engines.graphs.outcomes import Outcomes
    from fencepost.fences.types import FenceResult

BusyWaits = Literal["block", "keep"]


def load(path: str | Path) -> Program:
    """The program in a file. Raises InputError, with the place in the file, if it is not one."""
    return frontends.load(path)


def check(
    program_or_path: Program | str | Path,
    *,
    model: str | None = None,
    against: str = "sc",
    notion: Notion = Notion.ROBUST,
    busy_waits: BusyWaits | None = None,
    instances: int | None = None,
    options: SearchOptions | None = None,
    on_progress: Callable[[Statistics], None] | None = None,
) -> CheckResult:
    """Decides whether the program does under `model` what it does under `against`, and its assertions under the latter.

    `model`: by default that of what the program is written for: RC20 (RC11, if it has seq_cst accesses), or that of its
    processor; for properties of TSO alone, TSO. It may be the name of a `.cat` file, as `against` may. A search over
    all states decides a model against SC where there is one; all else is decided on execution graphs.

    `busy_waits`: "block" treats loops that only wait as blocking, "keep" leaves them as they are. By default they
    block, unless the file announces verdicts: those are about the program as it stands.

    `instances`: of every thread of which any number of copies run, so many, instead of any number. The verdict is then
    about these only.

    Raises InputError for a file that is no program, ValueError for a model that is not known. All else is an answer.
    """
    stronger = _model(against)
    if busy_waits not in (None, "block", "keep"):
        raise ValueError(f"busy waits can be 'block' or 'keep', not {busy_waits!r}")

    file = None if isinstance(program_or_path, Program) else str(program_or_path)
    program = program_or_path if isinstance(program_or_path, Program) else load(program_or_path)
    info = _model(guess(program, notion) if model is None else model)
    blocking, loops = block_busy_waits(program)
    keep = busy_waits == "keep" or (busy_waits is None and bool(program.expectations))
    asked = program if keep else blocking
    some = _instances(asked, instances)
    decided = asked if some is None else some
    decide = decider(info, stronger, decided)
    result = decide(decided, notion=notion, options=options, on_progress=on_progress)
    if some is not None and instances is not None:
        result = _bounded(result, asked, instances)
    agreement, warnings = _compare(program.expectations, result)
    if instances is not None and some is None:
        warnings.append(_NO_TEMPLATES)
    if keep and busy_waits is None and loops and not isinstance(result.verdict, Robust):
        warnings.append(_kept(loops))
    return replace(
        result,
        file=file,
        busy_waits=() if keep else _waits(loops, program, result),
        warnings=(*program.notes, *remarks(program), *result.warnings, *warnings),
        expectation=agreement,
    )


def litmus(
    program_or_path: Program | str | Path,
    *,
    model: str | None = None,
    graphs: bool = False,
    options: SearchOptions | None = None,
    on_progress: Callable[[Statistics], None] | None = None,
) -> Outcomes:
    """The final states of a litmus test, or of any program, under `model`; with `graphs`, an execution for each.

    Without `model`, that of what the program is written for. Loops are followed `options.unroll` times.

    Raises InputError for a file that is no program, ValueError for a model that is not known. All else is an answer.
    """
    from fencepost.engines.graphs.outcomes import final_states

    file = None if isinstance(program_or_path, Program) else str(program_or_path)
    program = program_or_path if isinstance(program_or_path, Program) else load(program_or_path)
    info = _model(guess(program) if model is None else model)
    result = final_states(program, info, options=options, graphs=graphs, on_progress=on_progress)
    return replace(result, file=file)


def compare(
    program_or_path: Program | str | Path,
    *,
    models: Sequence[str] = (),
    options: SearchOptions | None = None,
    on_progress: Callable[[Statistics], None] | None = None,
) -> Comparison:
    """A program's executions under several models, and how many of them the others forbid. Without `models`, under all
    that speak of its instructions.

    Raises InputError for a file that is no program, ValueError for a model that is not known. All else is an answer.
    """
    from fencepost.engines.graphs import comparison

    given = {info.name: info for info in map(_model, models)}
    file = None if isinstance(program_or_path, Program) else str(program_or_path)
    program = program_or_path if isinstance(program_or_path, Program) else load(program_or_path)
    infos = list(given.values()) or comparison.usual_models(program)
    return replace(comparison.compare(program, infos, options=options, on_progress=on_progress), file=file)


def fence(
    program_or_path: Program | str | Path,
    *,
    model: str | None = None,
    notion: Notion = Notion.ROBUST,
    cost: str = "size",
    profile: str | None = None,
    count: bool = False,
    busy_waits: BusyWaits | None = None,
    instances: int | None = None,
    options: SearchOptions | None = None,
    on_progress: Callable[[Statistics], None] | None = None,
) -> FenceResult:
    """The cheapest change of the program that makes it robust against `model`, checked, with a reason for each part.

    `model`: by default the one that `check` takes.

    `cost`: "size", "frequency" (by loop depth, or by the counts in the file `profile`), or the name of a file with
    costs. `count`: also find out how many cheapest repairs there are. `busy_waits` and `instances` as for `check`.

    Raises InputError for a file that is no program or has no costs, ValueError for a model that is not known.
    """
    from fencepost.fences.repair import cost_called, repair_program

    if busy_waits not in (None, "block", "keep"):
        raise ValueError(f"busy waits can be 'block' or 'keep', not {busy_waits!r}")
    if profile is not None and cost != "frequency":
        raise ValueError("a profile says how often places are run: it needs the costs 'frequency'")
    file = None if isinstance(program_or_path, Program) else str(program_or_path)
    program = program_or_path if isinstance(program_or_path, Program) else load(program_or_path)
    info = _model(guess(program, notion) if model is None else model)
    keep = busy_waits == "keep" or (busy_waits is None and bool(program.expectations))
    loops = () if keep else block_busy_waits(program)[1]
    result = repair_program(
        program,
        info=info,
        notion=notion,
        blocking=not keep,
        cost=cost_called(cost, profile),
        count=count,
        options=options or SearchOptions(),
        copies=() if instances is None else _copies(program, instances),
        on_progress=on_progress,
    )
    waits = tuple(BusyWait(loop.thread, loop.span, loop.what) for loop in loops)
    warnings = [*program.notes, *remarks(program), *result.warnings]
    if instances is not None and not program.templates:
        warnings.append(_NO_TEMPLATES)
    return replace(result, file=file, busy_waits=waits, warnings=tuple(dict.fromkeys(warnings)))


def _instances(program: Program, each: int | None) -> Program | None:
    """So many copies of every template, if the program has any and a number was given."""
    if each is None or not program.templates:
        return None
    return templates.instance_of(program, _copies(program, each))


def _copies(program: Program, each: int) -> templates.Copies:
    if each < 1:
        raise ValueError(f"the number of instances is at least 1, not {each}")
    return tuple((program.threads[number].name, each) for number in program.templates)


def _bounded(result: CheckResult, program: Program, each: int) -> CheckResult:
    """An answer about instances says so."""
    copies = _copies(program, each)
    verdict = result.verdict
    if isinstance(verdict, Robust):
        verdict = Robust(f"{verdict.coverage}; only {templates.counted(copies)}, nothing is said about more")
    return replace(result, verdict=verdict, copies=copies)


_NO_TEMPLATES = "no thread of the program runs in any number of copies: the number of instances says nothing"


def _waits(loops: tuple[BusyLoop, ...], program: Program, result: CheckResult) -> tuple[BusyWait, ...]:
    """In the threads of the result's program, which may be an instance: in the first copy there."""
    threads = templates.origins(program, dict(result.copies)) if result.copies else range(len(program.threads))
    place = {origin: number for number, origin in reversed(list(enumerate(threads)))}
    return tuple(BusyWait(place[loop.thread], loop.span, loop.what) for loop in loops if loop.thread in place)


def _model(name: str) -> ModelInfo:
    info = named(name)
    if info is None:
        raise ValueError(f"there is no model {name!r}; known are {', '.join(MODELS)}")
    return info


def _compare(expectations: tuple[Expectation, ...], result: CheckResult) -> tuple[Agreement, list[str]]:
    """The answer against what the file itself announces for this model and notion."""
    relevant = [
        (expectation, name)
        for expectation in expectations
        for name in expectation.models
        if expectation.notion == result.notion.value and (known := find(name)) and known.name == result.model
    ]
    if not relevant or isinstance(result.verdict, Unknown):
        return Agreement.NONE, []
    robust = isinstance(result.verdict, Robust)
    answer = "robust" if robust else "not robust"
    warnings = [
        f"the file expects: {_announced(expectation)} under {name}{_line(expectation)}; the answer is {answer}"
        for expectation, name in relevant
        if expectation.robust != robust
    ]
    return Agreement.DIFFERS if warnings else Agreement.AGREES, warnings


def _announced(expectation: Expectation) -> str:
    notion = " (observational)" if expectation.notion == Notion.OBSERVATIONAL.value else ""
    return ("robust" if expectation.robust else "not robust") + notion


def _line(expectation: Expectation) -> str:
    return "" if expectation.span is None else f", line {expectation.span.line}"


def _kept(loops: tuple[BusyLoop, ...]) -> str:
    places = sorted({loop.span.line for loop in loops if loop.span is not None})
    where = f" (line {', '.join(map(str, places))})" if places else ""
    count = "1 busy wait was kept as a loop" if len(loops) == 1 else f"{len(loops)} busy waits were kept as loops"
    return f"{count}{where}, as the file announces verdicts; --busy-waits block treats such loops as blocking waits"
