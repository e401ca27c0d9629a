"""A `.cat` file, with what it includes, as the rules of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from fencepost.models.axiomatic.algebra import Rules
from fencepost.program.form import Isa
from fencepost.program.source import InputError, read_source

from . import syntax
from .interpreter import Interpreter
from .names import initial_names
from .parser import parse

SUFFIX = ".cat"
_STANDARD = "stdlib.cat"
# Files that enumerate orders, or look into instructions, in herd: ours stand for them even where they exist.
_DEPENDENCIES = "aarch64deps.cat"
_OURS = frozenset(
    (
        *(_STANDARD, "cos.cat", "cos-opt.cat", "cos-ok-opt.cat", "cos-no-opt.cat", "cross.cat", "enumerations.cat"),
        *("tlbi-after.cat", _DEPENDENCIES, "aarch64bbm.cat", "aarch64show.cat", "show-deps.cat"),
    )
)
_SAME = {"cos-opt.cat": "cos.cat", "cos-ok-opt.cat": "cos.cat", "cos-no-opt.cat": "cos.cat"}
_THROUGH_MEMORY = "dtrm"  # what dependencies through memory are called, in all versions that have them
_BY_US = "fencepost's "  # before the names of files in the library
_ARCHITECTURES = {
    "X86": Isa.X86,
    "X86_64": Isa.X86,
    "AARCH64": Isa.AARCH64,
    "ARM": Isa.ARMV7,
    "PPC": Isa.POWER,
    "C": Isa.C11,
}


@dataclass(frozen=True)
class CatFile:
    """A model's file. `folders` are searched for what it includes, after its own folder."""

    path: Path
    model: syntax.Model
    folders: tuple[Path, ...]
    texts: dict[Path, str] = field(default_factory=dict, compare=False)  # of all files that were read
    unread: dict[Path, None] = field(default_factory=dict, compare=False)  # those that ours stand for
    _known: dict[Isa, Rules] = field(default_factory=dict, compare=False)

    @property
    def title(self) -> str:
        return self.model.name

    @property
    def isa(self) -> Isa | None:
        """What its first line says that it is for."""
        return _ARCHITECTURES.get((self.model.architecture or self.model.name).upper())

    @property
    def is_undefined_unless(self) -> bool:
        """Whether it gives some programs no meaning at all."""
        return bool(self.rules(self.isa or Isa.C11).flags)

    def rules(self, isa: Isa) -> Rules:
        """For programs of this kind: some names mean other events for other processors. Raises InputError."""
        if isa not in self._known:
            self._known[isa] = _Reader(self, isa).rules()
        return self._known[isa]


def load(path: str | Path, folders: Sequence[str | Path] = ()) -> CatFile:
    """The model in a file. Raises InputError, with the place, for what is not supported."""
    path = Path(path)
    try:
        text = read_source(path, "model")
        file = CatFile(path, parse(text, str(path)), tuple(map(Path, folders)), {path: text})
        file.rules(file.isa or Isa.C11)
    except RecursionError:
        raise InputError("something in this model is nested too deeply", file=str(path)) from None
    return file


@dataclass(frozen=True)
class _Reader:
    file: CatFile
    isa: Isa
    folders: dict[Path, None] = field(default_factory=dict)  # of all files read so far, in this order
    read: set[Path] = field(default_factory=set)

    def rules(self) -> Rules:
        names = initial_names(self.isa)
        interpreter = Interpreter(self.included)
        interpreter.run(_library(_STANDARD), names)
        self.folders[self.file.path.parent] = None
        interpreter.run(self.file.model.instructions, names)
        if not interpreter.axioms:
            raise InputError(
                "this model forbids nothing: it has no acyclic, irreflexive or empty", file=str(self.file.path)
            )
        return Rules(self.file.title, tuple(interpreter.axioms), tuple(interpreter.flags), tuple(interpreter.notes))

    def included(self, include: syntax.Include) -> tuple[syntax.Instruction, ...]:
        name = Path(include.file).name
        by_us = include.place.file.startswith(_BY_US)
        path = self.found(include, by_us=by_us)
        if name in _OURS:
            if path is not None:
                self.file.unread[path] = None
            return _library(_dependencies(path) if name == _DEPENDENCIES else name)
        if path is not None:
            if by_us and path in self.read:
                return ()  # it is the one that includes ours
            self.folders[path.parent] = None
            self.read.add(path)
            self.file.texts[path] = read_source(path, "model")
            return parse(self.file.texts[path], str(path)).instructions
        if _in_library(name):
            return _library(name)
        raise include.place.error(
            f"there is no file {include.file}",
            hint="it is looked for beside the model, in the folders of FENCEPOST_CAT_PATH, and among fencepost's own",
        )

    def found(self, include: syntax.Include, *, by_us: bool) -> Path | None:
        beside = () if by_us else (Path(include.place.file).parent,)
        paths = (folder / include.file for folder in (*beside, *self.folders, *self.file.folders))
        return next((path for path in paths if path.is_file()), None)


def _dependencies(path: Path | None) -> str:
    """Which of ours stands for herd's file: until 2020 no dependency went through memory."""
    if path is None or _THROUGH_MEMORY in read_source(path, "model"):
        return _DEPENDENCIES
    return "aarch64deps-registers.cat"


def _in_library(name: str) -> bool:
    return (files(__package__) / "library" / _SAME.get(name, name)).is_file()


@cache
def _library(name: str) -> tuple[syntax.Instruction, ...]:
    text = (files(__package__) / "library" / _SAME.get(name, name)).read_text(encoding="utf-8")
    return parse(text, f"{_BY_US}{name}").instructions
