"""What a language offers so that programs can be changed in their own text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from fencepost.program.form import Span
from fencepost.program.orders import FenceKind, Order


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Where a fence can be put: just before what stands at `span`. `name`: what the language calls the place."""

    thread: int
    span: Span
    name: str | None = None


@dataclass(frozen=True, slots=True)
class PatchedText:
    """A changed text, and where in it the new fences stand: for each its place, as a number, and its kind."""

    text: str
    fences: Mapping[Span, tuple[int, FenceKind]]


class SourcePatcher(Protocol):
    """The text of one program."""

    @property
    def places(self) -> tuple[SourcePlace, ...]: ...

    def patched(
        self, orders: Mapping[Span, frozenset[Order]], fences: Mapping[int, tuple[FenceKind, ...]]
    ) -> PatchedText:
        """The text with accesses (by where they stand) made so strong, and with fences at places (by number)."""
        ...
