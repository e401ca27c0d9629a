"""RMO (SPARC v9, appendix D): only dependencies, barriers and writes to the same location keep an order.

Two reads of the same location may be reordered, so coherence speaks of pairs with a write only.
"""

from fencepost.models.axiomatic.algebra import Rules, acyclic, only
from fencepost.models.axiomatic.relations import (
    R,
    W,
    addr,
    atomicity,
    co,
    ctrl,
    data,
    fencerel,
    fr,
    full_fence,
    po,
    po_loc,
    rf,
    rfe,
    rmw,
)

dependency = addr | data | ctrl @ only(W)
ppo = dependency | rmw | po_loc & (R * W)
ghb = ppo | fencerel(full_fence) | po @ only(full_fence) | only(full_fence) @ po | rfe | fr | co

RULES = Rules("rmo", (acyclic(po_loc - (R * R) | rf | fr | co, "sc-per-location"), atomicity, acyclic(ghb, "GHB")))
