"""What can be changed in a program, one elementary change at a time, and what a change of it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fencepost.program.form import Span
from fencepost.program.orders import FenceKind, Order

Kind = Order | FenceKind

PlaceId = tuple[int, int]  # a thread, and the number of a place for a fence in it
InstructionId = tuple[int, int]  # a thread and a pc


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fence can be put: before the instruction at `pc` in the order of the text.

    `name`: what the input language calls the place (a state of an automaton).
    """

    thread: int
    pc: int
    depth: int  # in how many loops it is
    span: Span | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """An access made stronger (`what` is acquire or release), or a fence put at a place."""

    thread: int
    pc: int  # of the access; of what follows the place of the fence
    what: Kind
    depth: int = 0  # in how many loops
    place: int | None = None  # for a fence: the number of its place in the thread
    span: Span | None = None
    name: str | None = None  # of the place

    @property
    def is_fence(self) -> bool:
        return self.place is not None


@dataclass(frozen=True, slots=True)
class Changes:
    """All changes to one program, gathered by where they are."""

    orders: dict[InstructionId, frozenset[Order]]
    fences: dict[PlaceId, tuple[FenceKind, ...]]


def gathered(edits: Iterable[Edit], *, merged: bool = True) -> Changes:
    """`merged`: an acquire and a release fence at one place become one that is both, and an SC fence replaces them."""
    orders: dict[InstructionId, frozenset[Order]] = {}
    fences: dict[PlaceId, tuple[FenceKind, ...]] = {}
    for edit in edits:
        if isinstance(edit.what, Order):
            where = edit.thread, edit.pc
            orders[where] = orders.get(where, frozenset()) | {edit.what}
        elif edit.place is not None:
            at = edit.thread, edit.place
            fences[at] = (*fences.get(at, ()), edit.what)
    if merged:
        fences = {at: (_joined(kinds),) for at, kinds in fences.items()}
    return Changes(orders, fences)


def _joined(kinds: tuple[FenceKind, ...]) -> FenceKind:
    if len(set(kinds)) == 1:
        return kinds[0]
    if FenceKind.SEQ_CST in kinds:
        return FenceKind.SEQ_CST
    return FenceKind.ACQ_REL


def kind_name(kind: Kind) -> str:
    """`acquire`, `fence(seq_cst)`, `mfence`."""
    if isinstance(kind, Order):
        return kind.name.lower()
    return kind.value if kind.is_hardware else f"fence({kind.value})"
