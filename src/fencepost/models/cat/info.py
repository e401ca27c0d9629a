"""A model in a `.cat` file, as one of the models that fencepost knows."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fencepost.models import Unsupported
from fencepost.models.axiomatic.algebra import Rules
from fencepost.models.notions import Notion
from fencepost.models.registry import ModelInfo
from fencepost.program.form import Isa, Lock, Program

from .load import CatFile, load

FOLDERS = "FENCEPOST_CAT_PATH"  # where else than beside a model its files are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class CatModel(ModelInfo):
    file: CatFile

    def rules(self, isa: Isa) -> Rules:
        if isa not in self.judges:
            raise Unsupported(self.name, None, f"it is for the instructions of {self.target.value}, not {isa.value}")
        return self.file.rules(isa)

    def rules_for(self, program: Program) -> Rules:
        lock = next((step for thread in program.threads for step in thread.code if isinstance(step, Lock)), None)
        if lock is not None:
            raise Unsupported(self.name, lock, "the language has no blocks under a lock")
        return self.rules(program.isa)

    @property
    def fingerprint(self) -> str:
        """Another for other texts, under whatever name."""
        texts = "\0".join(text for _, text in sorted(self.file.texts.items()))
        return f"{self.name}:{hashlib.sha256(texts.encode()).hexdigest()[:16]}"


_known: dict[str, tuple[CatModel, dict[Path, int]]] = {}  # with the times of the files that were read


def cat_model(name: str) -> CatModel:
    """The model in the file `name`, read again when one of its files changes. Raises InputError."""
    if name in _known:
        model, times = _known[name]
        if _times(times) == times:
            return model
    file = load(name, [folder for folder in os.environ.get(FOLDERS, "").split(os.pathsep) if folder])
    model = CatModel(
        name=name,
        title=file.title,
        description=_description(file),
        decides="every question on execution graphs: exact up to a bound on loops (--unroll)",
        engine="graphs",
        isas=frozenset(Isa),
        races=file.is_undefined_unless,
        notions=frozenset({Notion.ROBUST}),
        axioms=name,
        judges=_judges(file.isa),
        target=file.isa or Isa.C11,
        file=file,
    )
    _known[name] = (model, _times(file.texts))
    return model


def _description(file: CatFile) -> str:
    """What forbids executions, and which files say so: those of fencepost's library may stand for a user's."""
    parts = [f"axioms: {', '.join(axiom.name for axiom in file.rules(file.isa or Isa.C11).axioms)}"]
    if len(file.texts) > 1:
        parts.append(f"files: {', '.join(str(path) for path in file.texts)}")
    if file.unread:
        parts.append(f"not read, as fencepost's own stand for them: {', '.join(str(path) for path in file.unread)}")
    return "; ".join(parts)


def _judges(isa: Isa | None) -> frozenset[Isa]:
    """A model of C11 speaks of its orders, which processors do not have, and theirs of what C11 becomes."""
    match isa:
        case None:
            return frozenset(Isa)
        case Isa.C11:
            return frozenset({Isa.C11})
    return frozenset(Isa) - {Isa.C11}


def _times(paths: Iterable[Path]) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in paths if path.is_file()}
