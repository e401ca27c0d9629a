"""Memory orders of accesses, and kinds of fences. Orders form a lattice, not a number line: no `<`."""

from __future__ import annotations

from enum import Enum


class Order(Enum):
    NON_ATOMIC = "na"
    RELAXED = "rlx"
    ACQUIRE = "acq"
    RELEASE = "rel"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"

    def is_at_least(self, other: Order) -> bool:
        """The paper's order on Mod: na below rlx, rlx below acq and rel, both below acq_rel, below seq_cst."""
        return self in _AT_LEAST[other]

    def join(self, other: Order) -> Order:
        """The weakest order that is at least both."""
        if self.is_at_least(other):
            return self
        return other if other.is_at_least(self) else Order.ACQ_REL


_AT_LEAST = {
    Order.NON_ATOMIC: frozenset(Order),
    Order.RELAXED: frozenset(Order) - {Order.NON_ATOMIC},
    Order.ACQUIRE: frozenset({Order.ACQUIRE, Order.ACQ_REL, Order.SEQ_CST}),
    Order.RELEASE: frozenset({Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST}),
    Order.ACQ_REL: frozenset({Order.ACQ_REL, Order.SEQ_CST}),
    Order.SEQ_CST: frozenset({Order.SEQ_CST}),
}


class FenceKind(Enum):
    """The C11 fences. Hardware fences join them with the models that know them."""

    ACQUIRE = "acq"
    RELEASE = "rel"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"
