"""The models that fencepost decides. To add one: its folder, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, cast

from fencepost.program.form import Access, Instruction, Isa, Lock, Program, orders_of
from fencepost.program.orders import Order
from fencepost.program.templates import template_names

from . import Unsupported
from .notions import Notion

if TYPE_CHECKING:
    from fencepost.program.lts import Cell

    from .axiomatic.algebra import Rules
    from .computation import Computation
    from .evidence import Change, Evidence, Link, Places
    from .reached import Reached

    Part = tuple[int, int, tuple[int, ...], bool]  # of a schedule: thread, instructions, choices, stores delayed


@dataclass(frozen=True, slots=True)
class ValueClasses:
    """A partition of the values of a location: `of[v]` is the class of v, NO_CLASS if the location never holds v."""

    of: tuple[int, ...]
    count: int


NO_CLASS = 0xFFFF


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a model is, and how it is decided: by a search (`module`, `monitor`, `evidence`), on execution graphs
    (`axioms`), or both; then the search answers what is asked against SC, and graphs answer the rest."""

    name: str
    title: str
    description: str  # one line
    decides: str  # sound, complete, bounded by what
    module: str = ""  # has prepare(program), and classes(program, *, precise)
    monitor: str = ""  # what the core watches during the search
    evidence: str = ""  # module that explains what the monitor finds: explain, repairs and is_hidden
    states: str = ""  # module that finds out what threads come to, if that can be asked
    engine: str = "search"  # how it is decided against SC: a key of engines.dispatch.ENGINES
    aliases: tuple[str, ...] = ()
    isas: frozenset[Isa] = frozenset({Isa.C11})  # programs of which kinds it gives a meaning to
    races: bool = True  # whether a data race on non-atomics is an error of the program
    notions: frozenset[Notion] = frozenset({Notion.ROBUST, Notion.OBSERVATIONAL})  # what can be asked about it
    templates: bool = False  # whether it is decided for any number of copies of a thread
    axioms: str = ""  # module with RULES; of a model that has none, empty
    judges: frozenset[Isa] = frozenset()  # the instructions whose executions its axioms speak of
    target: Isa = Isa.C11  # what C11 programs become before their executions are enumerated

    @property
    def fingerprint(self) -> str:
        """Its name, and what else says that it is still the same."""
        return self.name

    @property
    def searches(self) -> bool:
        """Whether a search decides it against SC."""
        return self.engine != "graphs"

    def rules(self, isa: Isa) -> Rules:
        """Its axioms, for executions of programs of this kind. Raises models.Unsupported."""
        if isa not in self.judges:
            what = f"its axioms say nothing of the instructions of {isa.value}" if self.axioms else "it has no axioms"
            raise Unsupported(self.name, None, what)
        module = import_module(self.axioms)
        by_isa: Mapping[Isa, Rules] = getattr(module, "RULES_OF", {})
        return by_isa.get(isa) or cast("Rules", module.RULES)

    def rules_for(self, program: Program) -> Rules:
        """Its axioms, if they say something of everything in the program. Raises models.Unsupported."""
        rules = self.rules(program.isa)
        module = import_module(self.axioms)
        if (require := getattr(module, "require_supported", None)) is not None:
            require(program)
        locks = [step for thread in program.threads for step in thread.code if isinstance(step, Lock)]
        if not locks:
            return rules
        if not hasattr(module, "LOCKED_RULES"):
            raise Unsupported(self.name, locks[0], "its axioms say nothing of blocks under a lock")
        return cast("Rules", module.LOCKED_RULES)

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

    def reach(self, program: Program, buffer: int, watch: Callable[[int], bool]) -> Reached:
        """What the threads of a prepared program come to, with buffers of so many stores; `watch` may end it."""
        return cast("Callable[..., Reached]", import_module(self.states).search)(program, buffer, watch)

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
_GRAPHS = "every question on execution graphs: exact up to a bound on loops (--unroll)"
_ROBUST = frozenset({Notion.ROBUST})
_PROCESSORS = frozenset(Isa) - {Isa.C11}

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
            axioms="fencepost.models.rc20.axioms",
            judges=frozenset({Isa.C11}),
        ),
        ModelInfo(
            "ra",
            "RA (release/acquire)",
            "RC20 with every load acquire, every store release, every read-modify-write both",
            _DECIDES,
            "fencepost.models.rc20.prepare_ra",
            "rc20",
            "fencepost.models.rc20.evidence",
            axioms="fencepost.models.rc20.axioms_ra",
            judges=frozenset({Isa.C11}),
        ),
        ModelInfo(
            "tso",
            "TSO (x86)",
            "a store buffer per thread; C11 orders as compiled for x86",
            "robustness, triangular races, assertions under SC: exact, also for any number of threads; "
            "state-robustness: exact up to a bound on the buffers",
            "fencepost.models.tso.prepare",
            "attacks",
            "fencepost.models.tso.evidence",
            states="fencepost.models.tso.states",
            engine="attacks",
            aliases=("x86", "x86-tso", "x86tso"),
            isas=frozenset({Isa.C11, Isa.X86}),
            races=False,
            notions=frozenset({Notion.ROBUST, Notion.TRIANGULAR, Notion.STATE}),
            templates=True,
            axioms="fencepost.models.x86.axioms",
            judges=_PROCESSORS,
            target=Isa.X86,
        ),
        ModelInfo(
            "sc",
            "SC (sequential consistency)",
            "plain interleaving: only assertions and deadlocks are decided",
            "assertions (also for any number of threads) and deadlocks: exact",
            "fencepost.models.sc.prepare",
            "none",
            "fencepost.models.sc.evidence",
            templates=True,
            axioms="fencepost.models.sc.axioms",
            judges=frozenset(Isa),
        ),
        ModelInfo(
            "rc11",
            "RC11 (C11 with sequentially consistent accesses)",
            "the repaired C11 model of Lahav, Vafeiadis, Kang, Hur and Dreyer (PLDI 2017)",
            _GRAPHS,
            engine="graphs",
            notions=_ROBUST,
            axioms="fencepost.models.rc11.axioms",
            judges=frozenset({Isa.C11}),
        ),
        ModelInfo(
            "pso",
            "PSO (SPARC)",
            "TSO whose stores to different locations may also swap",
            _GRAPHS,
            engine="graphs",
            isas=frozenset({Isa.C11, Isa.X86, Isa.SPARC}),
            races=False,
            notions=_ROBUST,
            axioms="fencepost.models.pso.axioms",
            judges=frozenset({Isa.X86, Isa.SPARC}),
            target=Isa.SPARC,
        ),
        ModelInfo(
            "rmo",
            "RMO (SPARC)",
            "only dependencies, full barriers and writes to the same location keep an order",
            _GRAPHS,
            engine="graphs",
            isas=frozenset({Isa.C11, Isa.X86, Isa.SPARC}),
            races=False,
            notions=_ROBUST,
            axioms="fencepost.models.rmo.axioms",
            judges=frozenset({Isa.X86, Isa.SPARC}),
            target=Isa.SPARC,
        ),
        ModelInfo(
            "armv8",
            "ARMv8 (AArch64)",
            "the user-level part of Arm's model, multicopy-atomic; for ARMv7 programs, the paper's short form",
            _GRAPHS,
            engine="graphs",
            aliases=("aarch64",),
            isas=frozenset({Isa.C11, Isa.AARCH64, Isa.ARMV7}),
            races=False,
            notions=_ROBUST,
            axioms="fencepost.models.armv8.axioms",
            judges=frozenset({Isa.AARCH64, Isa.ARMV7}),
            target=Isa.AARCH64,
        ),
        ModelInfo(
            "armv7",
            "ARMv7",
            "the model of herding cats without multicopy atomicity",
            _GRAPHS,
            engine="graphs",
            aliases=("arm",),
            isas=frozenset({Isa.C11, Isa.ARMV7}),
            races=False,
            notions=_ROBUST,
            axioms="fencepost.models.armv7.axioms",
            judges=frozenset({Isa.ARMV7}),
            target=Isa.ARMV7,
        ),
        ModelInfo(
            "power",
            "Power",
            "the model of herding cats",
            _GRAPHS,
            engine="graphs",
            aliases=("ppc",),
            isas=frozenset({Isa.C11, Isa.POWER}),
            races=False,
            notions=_ROBUST,
            axioms="fencepost.models.power.axioms",
            judges=frozenset({Isa.POWER}),
            target=Isa.POWER,
        ),
    )
}


def find(name: str) -> ModelInfo | None:
    """The model called `name`, by its own name or another that input files use for it."""
    return MODELS.get(name) or next((model for model in MODELS.values() if name in model.aliases), None)


CAT = ".cat"  # how the names of files with models end
_asked_for: dict[PurePath, None] = {}  # the files with models that were asked for


def named(name: str) -> ModelInfo | None:
    """The model called `name`, or the one in that `.cat` file. Raises InputError if the file has none."""
    if not name.endswith(CAT):
        return find(name)
    from .cat.info import cat_model

    _asked_for[PurePath(name)] = None
    return cat_model(name)


def shown(name: str) -> str:
    """What people are told a model is called: of a file, as much of its path as tells it from the others."""
    if not name.endswith(CAT):
        return name.upper()
    parts = PurePath(name).parts
    others = [other.parts for other in _asked_for if other.parts != parts]
    needed = next((n for n in range(1, len(parts)) if all(other[-n:] != parts[-n:] for other in others)), len(parts))
    return str(PurePath(*parts[-needed:]))


_NATURAL = {
    Isa.C11: "rc20",
    Isa.X86: "tso",
    Isa.AARCH64: "armv8",
    Isa.ARMV7: "armv7",
    Isa.POWER: "power",
    Isa.SPARC: "rmo",
}


def natural_model(program: Program) -> ModelInfo:
    """The model of what the program is written for: its processor's, or RC20, which has no seq_cst accesses: RC11."""
    accesses = (step for thread in program.threads for step in thread.code if isinstance(step, Access))
    if program.isa is Isa.C11 and any(Order.SEQ_CST in orders_of(access) for access in accesses):
        return MODELS["rc11"]
    return MODELS[_NATURAL[program.isa]]


def guess(program: Program, notion: Notion = Notion.ROBUST) -> str:
    """The model that is meant where none is named: the natural one, or the first that has the property."""
    natural = natural_model(program)
    fitting = [info for info in MODELS.values() if program.isa in info.isas and notion in info.notions]
    return (natural if notion in natural.notions or not fitting else fitting[0]).name
