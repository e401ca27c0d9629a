"""Repairs under RA, where every access already has all orders that there are: only SC fences add to them."""

from __future__ import annotations

from collections.abc import Iterator

from fencepost.program.orders import FenceKind

from . import rc20
from .editor import Editor
from .edits import Edit
from .vocabulary import Vocabulary


def candidates(editor: Editor) -> Iterator[Edit]:
    return (edit for edit in rc20.candidates(editor) if edit.what is FenceKind.SEQ_CST)


VOCABULARY = Vocabulary(
    candidates=candidates,
    costs=rc20.COSTS,
    learner=rc20.Rc20Learner,
    words="SC fences",
    hint=lambda program, place: None,
)
