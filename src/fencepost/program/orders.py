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
    """The C11 fences, and the barrier instructions of the processors: those only fences of programs in their `Isa`."""

    ACQUIRE = "acq"
    RELEASE = "rel"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"

    # x86
    MFENCE = "mfence"
    SFENCE = "sfence"
    LFENCE = "lfence"

    # Arm: what is waited for (everything, stores, loads) in which shareability domain
    DMB_SY = "dmb.sy"
    DMB_ST = "dmb.st"
    DMB_LD = "dmb.ld"
    DMB_ISH = "dmb.ish"
    DMB_ISHST = "dmb.ishst"
    DMB_ISHLD = "dmb.ishld"
    DMB_NSH = "dmb.nsh"
    DMB_NSHST = "dmb.nshst"
    DMB_NSHLD = "dmb.nshld"
    DMB_OSH = "dmb.osh"
    DMB_OSHST = "dmb.oshst"
    DMB_OSHLD = "dmb.oshld"
    DSB_SY = "dsb.sy"
    DSB_ST = "dsb.st"
    DSB_LD = "dsb.ld"
    DSB_ISH = "dsb.ish"
    DSB_ISHST = "dsb.ishst"
    DSB_ISHLD = "dsb.ishld"
    DSB_NSH = "dsb.nsh"
    DSB_NSHST = "dsb.nshst"
    DSB_NSHLD = "dsb.nshld"
    DSB_OSH = "dsb.osh"
    DSB_OSHST = "dsb.oshst"
    DSB_OSHLD = "dsb.oshld"
    ISB = "isb"

    # Power
    SYNC = "sync"
    LWSYNC = "lwsync"
    EIEIO = "eieio"
    ISYNC = "isync"

    # SPARC: which pairs are kept in order
    MEMBAR_LL = "membar.ll"
    MEMBAR_LS = "membar.ls"
    MEMBAR_SL = "membar.sl"
    MEMBAR_SS = "membar.ss"

    @property
    def is_hardware(self) -> bool:
        """Whether it is an instruction of a processor, not a fence of C11."""
        return self not in (FenceKind.ACQUIRE, FenceKind.RELEASE, FenceKind.ACQ_REL, FenceKind.SEQ_CST)


class Mark(Enum):
    """What a processor's access instruction says beside its address and value (the letters of its event in `.cat`)."""

    ACQUIRE = "A"  # its read is an acquire (LDAR, LDAXR, LDADDA, SWPAL, ..)
    ACQUIRE_PC = "Q"  # its read is an acquire in the RCpc sense (LDAPR)
    RELEASE = "L"  # its write is a release (STLR, STLXR, LDADDL, ..)
    EXCLUSIVE = "X"  # load-linked or store-conditional
    NO_RETURN = "NoRet"  # an atomic update whose read goes to no register (STADD, LDADD into the zero register)
