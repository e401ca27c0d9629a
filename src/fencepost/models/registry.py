"""The models that fencepost decides. To add one: its folder, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from fencepost.program.form import Instruction, Isa, Program
from fencepost.program.templates import template_names

from . import Unsupported
from .notions import Notion

if TYPE_CHECKING:
    from fencepost.program.lts import Cell

    from .computation import Computation
    from .evidence import Change, Evidence, Link, Places

    Part = tuple[int, int, tuple[int, ...], bool]  # of a schedule: thread, instructions, choices, stores delayed


@dataclass(frozen=True, slots=True)
class ValueClasses:
    """A partition of the values of a location: `of[v]` is the class of v, NO_CLASS if the location never holds v."""

    of: tuple[int, ...]
    count: int


NO_CLASS = 0xFFFF


@dataclass(frozen=True, slots=True)
class ModelInfo:
    name: str
    title: str
    description: str  # one line
    decides: str  # sound, complete, bounded by what
    module: str  # has prepare(program), and classes(program, *, precise)
    monitor: str  # what the core watches during the search
    evidence: str  # module that explains what the monitor finds: explain, repairs and is_hidden
    engine: str = "search"  # how it is decided: a key of engines.dispatch.ENGINES
    aliases: tuple[str, ...] = ()
    isas: frozenset[Isa] = frozenset({Isa.C11})  # programs of which kinds it gives a meaning to
    races: bool = True  # whether a data race on non-atomics is an error of the program
    notions: frozenset[Notion] = frozenset({Notion.ROBUST, Notion.OBSERVATIONAL})  # what can be asked about it
    templates: bool = False  # whether it is decided for any number of copies of a thread

    def prepare(self, program: Program) -> Program:
        """`program` in the model's own terms. Raises models.Unsupported."""
        if program.templates:
            raise Unsupported(self.name, None, f"any number of threads of {template_names(program)} run")
        if program.isa not in self.isas:
            raise Unsupported(self.name, None, f"its instructions are those of {program.isa.value}")
        return cast(Callable[[Program], Program], import_module(self.module).prepare)(program)

    def classes(self, program: Program, *, precise: bool) -> Mapping[str, ValueClasses]:
        """For each atomic location, the values that the monitor must tell apart."""
        find = cast(Callable[..., Mapping[str, ValueClasses]], import_module(self.module).classes)
        return find(program, precise=precise)

    def explain(
        self, kind: str, program: Program, run: Iterable[tuple[int, int]], thread: int, notion: Notion
    ) -> Evidence | None:
        """Why the next step of `thread` after `run` is such a violation, by the definition; None if it is none."""
        find = cast("Callable[..., Evidence | None]", import_module(self.evidence).explain)
        return find(kind, program, run, thread, notion)

    def computation(self, program: Program, schedule: Iterable[Part], notion: Notion) -> Computation:
        """What a schedule of a prepared program shows on the model's machine. Raises InvalidWitnessError if nothing."""
        run = cast("Callable[..., Computation]", import_module(self.evidence).computation)
        return run(program, schedule, notion)

    def flushes(self, instruction: Instruction) -> bool:
        """Whether no store of a thread can be delayed past this instruction of a prepared program."""
        return cast("Callable[[Instruction], bool]", import_module(self.module).flushes)(instruction)

    def repairs(self, evidence: Evidence, cycle: tuple[Link, ...], places: Places) -> tuple[tuple[Change, ...], ...]:
        """Changes of which each would forbid the execution in `evidence`, whose events come from `places`."""
        find = cast("Callable[..., tuple[tuple[Change, ...], ...]]", import_module(self.evidence).repairs)
        return find(evidence, cycle, places)

    def is_hidden(self, cell: Cell | None) -> bool:
        """Whether a location of the prepared program is not one of the user's."""
        return cast("Callable[[Cell | None], bool]", import_module(self.evidence).is_hidden)(cell)


_DECIDES = "robustness and races: exact; observational robustness: sound, exact for its witnesses (Def 4.14)"

MODELS: dict[str, ModelInfo] = {
    model.name: model
    for model in (
        ModelInfo(
            "rc20",
            "RC20 (C11 with relaxed, release/acquire, fences, non-atomics)",
            "the C11-style model of Margalit and Lahav (POPL 2021)",
            _DECIDES,
            "fencepost.models.rc20.prepare",
            "rc20",
            "fencepost.models.rc20.evidence",
            aliases=("rlx", "c11"),
        ),
        ModelInfo(
            "ra",
            "RA (release/acquire)",
            "RC20 with every load acquire, every store release, every read-modify-write both",
            _DECIDES,
            "fencepost.models.rc20.prepare_ra",
            "rc20",
            "fencepost.models.rc20.evidence",
        ),
        ModelInfo(
            "tso",
            "TSO (x86)",
            "a store buffer per thread; C11 orders as compiled for x86",
            "robustness, triangular races, assertions under SC: exact; state-robustness: bounded buffers",
            "fencepost.models.tso.prepare",
            "attacks",
            "fencepost.models.tso.evidence",
            engine="attacks",
            aliases=("x86",),
            isas=frozenset({Isa.C11, Isa.X86}),
            races=False,
            notions=frozenset({Notion.ROBUST, Notion.TRIANGULAR, Notion.STATE}),
            templates=True,
        ),
        ModelInfo(
            "sc",
            "SC (sequential consistency)",
            "plain interleaving: only assertions and deadlocks are decided",
            "assertions and deadlocks: exact",
            "fencepost.models.sc.prepare",
            "none",
            "fencepost.models.sc.evidence",
            templates=True,
        ),
    )
}


def find(name: str) -> ModelInfo | None:
    """The model called `name`, by its own name or another that input files use for it."""
    return MODELS.get(name) or next((model for model in MODELS.values() if name in model.aliases), None)


def guess(program: Program, notion: Notion = Notion.ROBUST) -> str:
    """The model that is meant where none is named: the first that gives the program a meaning and has the property."""
    fitting = [info for info in MODELS.values() if program.isa in info.isas]
    asked = [info for info in fitting if notion in info.notions]
    return (asked or fitting or list(MODELS.values()))[0].name
