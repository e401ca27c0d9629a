"""A model in a `.cat` file, as one of the models that fencepost knows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from fencepost.models.axiomatic.algebra import Rules, show
from fencepost.models.notions import Notion
from fencepost.models.registry import ModelInfo
from fencepost.program.form import Isa, Program

from .load import CatFile, load


@dataclass(frozen=True, slots=True, kw_only=True)
class CatModel(ModelInfo):
    file: CatFile

    def rules(self, isa: Isa) -> Rules:
        return self.file.rules(isa)

    def rules_for(self, program: Program) -> Rules:
        return self.rules(program.isa)

    @property
    def fingerprint(self) -> str:
        """Another for other axioms, under whatever name."""
        axioms = self.file.rules(self.target).axioms
        text = "\n".join(f"{each.name} {each.test} {each.negated} {show(each.expression)}" for each in axioms)
        return f"{self.name}:{hashlib.sha256(text.encode()).hexdigest()[:16]}"


_known: dict[Path, tuple[int, CatModel]] = {}


def cat_model(name: str) -> CatModel:
    """The model in the file `name`, read again when the file changes. Raises InputError."""
    path = Path(name)
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    if path in _known and _known[path][0] == changed:
        return _known[path][1]
    file = load(path)
    model = CatModel(
        name=name,
        title=file.title,
        description=f"axioms: {', '.join(axiom.name for axiom in file.rules(file.isa or Isa.C11).axioms)}",
        decides="every question on execution graphs: exact up to a bound on loops (--unroll)",
        engine="graphs",
        isas=frozenset(Isa),
        races=file.is_undefined_unless,
        notions=frozenset({Notion.ROBUST}),
        axioms=name,
        judges=frozenset(Isa),
        target=file.isa or Isa.C11,
        file=file,
    )
    _known[path] = (changed, model)
    return model
