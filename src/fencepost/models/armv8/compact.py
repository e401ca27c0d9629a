"""ARMv8 as the paper on robustness between models has it (section II-B and appendix A.3).

Older and shorter than axioms.py; what it knows of instructions is enough to judge executions of ARMv7 programs.
"""

from fencepost.models.axiomatic.algebra import Rules, acyclic, irreflexive, only, range_of, tagged
from fencepost.models.axiomatic.relations import (
    R,
    W,
    addr,
    atomicity,
    co,
    coe,
    coi,
    ctrl,
    data,
    fr,
    fre,
    full_fence,
    po,
    po_loc,
    rf,
    rfe,
    rfi,
    rmw,
)

A, Q, L, ISB = tagged("A"), tagged("Q"), tagged("L"), tagged("ISB")
F = full_fence
F_LD = tagged("DMB.LD", "DMB.ISHLD", "DMB.OSHLD", "DSB.LD", "DSB.ISHLD", "DSB.OSHLD")
F_ST = tagged("DMB.ST", "DMB.ISHST", "DMB.OSHST", "DSB.ST", "DSB.ISHST", "DSB.OSHST")

ca = fr | co
obs = rfe | coe | fre
dob = (
    addr
    | data
    | ctrl @ only(W)
    | (ctrl | addr @ po) @ only(ISB) @ po @ only(R)
    | addr @ po @ only(W)
    | (ctrl | data) @ coi
    | (addr | data) @ rfi
)
aob = rmw | only(range_of(rmw)) @ rfi @ only(A | Q)
bob = (
    po @ only(F) @ po
    | only(L) @ po @ only(A)
    | only(R) @ po @ only(F_LD) @ po
    | only(A | Q) @ po
    | only(W) @ po @ only(F_ST) @ po @ only(W)
    | po @ only(L)
    | po @ only(L) @ coi
)
ob = (obs | dob | aob | bob).plus

RULES = Rules("armv8", (acyclic(po_loc | ca | rf, "internal"), irreflexive(ob, "external"), atomicity))
