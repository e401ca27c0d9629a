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
    load_load,
    load_store,
    po,
    po_loc,
    rf,
    rfe,
    rmw,
    store_load,
    store_store,
)

dependency = addr | data | ctrl @ only(W)
ppo = dependency | rmw | po_loc & (R * W)
barriers = (
    fencerel(load_load) & (R * R)
    | fencerel(load_store) & (R * W)
    | fencerel(store_load) & (W * R)
    | fencerel(store_store) & (W * W)
)
ghb = ppo | barriers | po @ only(full_fence) | only(full_fence) @ po | rfe | fr | co

RULES = Rules("rmo", (acyclic(po_loc - (R * R) | rf | fr | co, "sc-per-location"), atomicity, acyclic(ghb, "GHB")))
