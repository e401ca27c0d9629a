"""ARMv8 for AArch64 programs (Arm ARM, section B2.3; "Armed Cats", Alglave et al., TOPLAS 2021), the user-level part.

Newer than the form of the paper on robustness (compact.py): dependencies also go through memory within a thread
(`lrs`), an atomic that returns nothing is no read to DMB LD, an acquire-release atomic is no full barrier, what a CAS
decides is a dependency of its own ("pick"), and DSB orders more than DMB.
"""

from fencepost.models.axiomatic.algebra import Rules, acyclic, base, irreflexive, only, range_of, tagged
from fencepost.models.axiomatic.relations import (
    M,
    R,
    W,
    addr,
    atomicity,
    co,
    coe,
    ctrl,
    data,
    fr,
    fre,
    po,
    po_loc,
    rf,
    rfe,
    rmw,
)
from fencepost.program.form import Isa

from . import compact

A, Q, L, ISB, NO_RETURN = tagged("A"), tagged("Q"), tagged("L"), tagged("ISB"), tagged("NoRet")
amo = base("amo")  # updates by one instruction
rmw_data = base("rmw-data")  # those whose write is computed from what they read
rmw_ctrl = base("rmw-ctrl")  # those whose write depends on a comparison (CAS), and from what is compared

DSB_FULL = tagged("DSB.SY", "DSB.ISH", "DSB.OSH")
DSB_LD = tagged("DSB.LD", "DSB.ISHLD", "DSB.OSHLD")
DSB_ST = tagged("DSB.ST", "DSB.ISHST", "DSB.OSHST")
DMB_FULL = tagged("DMB.SY", "DMB.ISH", "DMB.OSH") | DSB_FULL
DMB_LD = tagged("DMB.LD", "DMB.ISHLD", "DMB.OSHLD") | DSB_LD
DMB_ST = tagged("DMB.ST", "DMB.ISHST", "DMB.OSHST") | DSB_ST

# Local read and write successors
lws = only(M) @ po_loc @ only(W)
lrs = only(W) @ (po_loc - po_loc @ only(W) @ po_loc) @ only(R)

# Dependencies through registers and memory
through = (addr | data | rmw_data | lrs).star
data_ = only(R) @ through @ data
addr_ = only(R) @ through @ addr
ctrl_ = only(R) @ through @ ctrl

# Dependencies also through what a CAS decides
through_pick = (addr | data | rmw_data | rmw_ctrl | lrs | base("pick-addr") | base("pick-data")).star
pick_through = only(R) @ through_pick
pick_ctrl = pick_through @ (ctrl | base("pick-ctrl"))
pick_addr = pick_through @ (addr | base("pick-addr"))
pick_data = pick_through @ (data | base("pick-data"))
pick = pick_ctrl | pick_addr | pick_data | pick_through @ rmw_ctrl

# Observed-by
obs = rfe | fre | coe

# Dependency-ordered-before
dob = (
    addr_
    | data_
    | ctrl_ @ only(W)
    | addr_ @ po @ only(W)
    | addr_ @ po @ only(ISB) @ po @ only(R)
    | addr_ @ lrs
    | data_ @ lrs
)

# Pick-ordered-before
pob = (
    pick @ only(W)
    | pick_ctrl @ only(ISB) @ po @ only(M)
    | pick_addr @ po @ only(ISB) @ po @ only(M)
    | pick_addr @ po @ only(W)
)

# Atomic-ordered-before
aob = rmw | rmw @ lrs @ only(A | Q)

# Barrier-ordered-before
bob = (
    po @ only(DMB_FULL) @ po
    | only(R - NO_RETURN) @ po @ only(DMB_LD) @ po
    | only(W) @ po @ only(DMB_ST) @ po @ only(W)
    | only(range_of(only(A) @ amo @ only(L))) @ po
    | only(L) @ po @ only(A)
    | only(A | Q) @ po
    | po @ only(L)
)
dsb = (
    only(M) @ po @ only(DSB_FULL) @ po | only(R - NO_RETURN) @ po @ only(DSB_LD) @ po | only(W) @ po @ only(DSB_ST) @ po
)
isb = only(R) @ ctrl_ @ only(ISB) @ po | dsb @ only(ISB) @ po

# Locally-ordered-before
lob = (lws | dob | pob | aob | bob).plus
pick_lob = pick_through @ lob @ only(W)

# Ordered-before
ob = (obs | only(M) @ (lob | pick_lob | dsb | isb) @ only(M)).plus

RULES = Rules("aarch64", (acyclic(po_loc | fr | co | rf, "internal"), irreflexive(ob, "external"), atomicity))

# Executions of ARMv7 programs are judged by the short form
RULES_OF = {Isa.ARMV7: compact.RULES}
