"""x86-TSO (robustness-between-models, section II-B and appendix A.1)."""

from fencepost.models.axiomatic.algebra import Rules, acyclic, domain, only, range_of, tagged
from fencepost.models.axiomatic.relations import (
    R,
    W,
    atomicity,
    blocks_alone,
    co,
    fr,
    full_fence,
    po,
    rfe,
    rmw,
    sc_per_location,
    store_load,
)

F = full_fence | store_load | tagged("LOCK")

xppo = (W * W | R * W | R * R) & po
locked = tagged("CAS-")  # a CAS that fails: still a locked instruction
implied = po @ only(domain(rmw) | locked | F) | only(range_of(rmw) | locked | F) @ po
xhb = xppo | implied | rfe | fr | co

RULES = Rules("x86", (sc_per_location, atomicity, acyclic(xhb, "GHB")))
LOCKED_RULES = Rules("x86", (*RULES.axioms, blocks_alone(xhb)))
