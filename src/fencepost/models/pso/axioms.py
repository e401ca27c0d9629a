"""PSO: x86-TSO without the order between two writes (SPARC v8, appendix D; herding cats, section 4.4).

A read-modify-write stays in order with what is around it, as its read cannot be delayed and its write must follow.
"""

from fencepost.models.axiomatic.algebra import Rules, acyclic, domain, only, range_of, tagged
from fencepost.models.axiomatic.relations import (
    M,
    R,
    W,
    atomicity,
    co,
    fencerel,
    fr,
    full_fence,
    po,
    rfe,
    rmw,
    sc_per_location,
    store_load,
    store_store,
)

F = full_fence

ppo = (R * M) & po
locked = tagged("CAS-")  # a CAS that fails: still a locked instruction
implied = po @ only(domain(rmw) | locked | F) | only(range_of(rmw) | locked | F) @ po
barriers = fencerel(store_store) & (W * W) | fencerel(store_load) & (W * R)
ghb = ppo | implied | barriers | rfe | fr | co

RULES = Rules("pso", (sc_per_location, atomicity, acyclic(ghb, "GHB")))
