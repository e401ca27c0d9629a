"""x86-TSO (robustness-between-models, section II-B and appendix A.1)."""

from fencepost.models.axiomatic.algebra import Rules, acyclic, domain, only, range_of
from fencepost.models.axiomatic.relations import (
    R,
    W,
    atomicity,
    co,
    fr,
    full_fence,
    po,
    rfe,
    rmw,
    sc_per_location,
    store_load,
)

F = full_fence | store_load

xppo = (W * W | R * W | R * R) & po
implied = po @ only(domain(rmw) | F) | only(range_of(rmw) | F) @ po
xhb = xppo | implied | rfe | fr | co

RULES = Rules("x86", (sc_per_location, atomicity, acyclic(xhb, "GHB")))
