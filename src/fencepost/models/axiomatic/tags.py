"""The sets that events belong to, by the names that `.cat` files use.

Beside R, W, F and IW (initial writes): the letters of a processor's accesses (A, Q, L, X, NoRet), the names of its
barriers (MFENCE, DMB.SY, SYNC, ...), and C11's orders (NA, RLX, ACQ, REL, ACQ_REL, SC).
"""

from __future__ import annotations

from fencepost.program.form import Access, BlockingCas, Cas, Load, Program, Rmw, Store, StoreConditional, Wait
from fencepost.program.lts import Cell
from fencepost.program.orders import FenceKind, Mark, Order

UPDATE = "RMW"  # the events of a read-modify-write
STARRED = "R*"  # a wait, or a CAS that fails (RC20)
FAILED_CAS = "CAS-"  # the read of a CAS that fails, which on x86 is locked all the same
LOCK = "LOCK"  # the ends of a block that runs alone
USED = "USED"  # reads on which something depends (RC20's domain of dp)

_ORDER = {
    Order.NON_ATOMIC: "NA",
    Order.RELAXED: "RLX",
    Order.ACQUIRE: "ACQ",
    Order.RELEASE: "REL",
    Order.ACQ_REL: "ACQ_REL",
    Order.SEQ_CST: "SC",
}
_C11_FENCE = {
    FenceKind.ACQUIRE: "ACQ",
    FenceKind.RELEASE: "REL",
    FenceKind.ACQ_REL: "ACQ_REL",
    FenceKind.SEQ_CST: "SC",
}
_MARKS = {
    "R": frozenset({Mark.ACQUIRE, Mark.ACQUIRE_PC, Mark.EXCLUSIVE, Mark.NO_RETURN}),
    "W": frozenset({Mark.RELEASE, Mark.EXCLUSIVE}),
}
ALL_TAGS = (
    *(UPDATE, STARRED, FAILED_CAS, LOCK, USED),
    *_ORDER.values(),
    *(mark.value for mark in Mark),
    *(kind.value.upper() for kind in FenceKind if kind not in _C11_FENCE),
)


def fence_tags(kind: FenceKind) -> frozenset[str]:
    return frozenset({_C11_FENCE.get(kind, kind.value.upper())})


def access_tags(
    program: Program, instruction: Access, cell: Cell, kind: str, *, update: bool, starred: bool = False
) -> frozenset[str]:
    """Of the read ("R") or the write ("W") that an access makes."""
    tags = {_ORDER[_order(instruction, failing=starred)]}
    if not program.location(cell.location).atomic:
        tags = {"NA"}
    tags |= {mark.value for mark in instruction.marks & _MARKS[kind]}
    if update:
        tags.add(UPDATE)
    if starred:
        tags.add(STARRED)
        if isinstance(instruction, Cas):
            tags.add(FAILED_CAS)
    return frozenset(tags)


def _order(instruction: Access, *, failing: bool) -> Order:
    match instruction:
        case Cas(success=success, failure=failure):
            return failure if failing else success
        case Load(order=order) | Store(order=order) | StoreConditional(order=order) | Rmw(order=order):
            return order
        case BlockingCas(order=order) | Wait(order=order):
            return order
