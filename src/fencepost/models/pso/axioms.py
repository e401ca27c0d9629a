"""PSO: x86-TSO without the order between two writes (SPARC v8, appendix D; herding cats, section 4.4).

A read-modify-write stays in order with what is around it, as its read cannot be delayed and its write must follow.
"""

from fencepost.models.axiomatic.algebra import Rules, acyclic, domain, only, range_of
from fencepost.models.axiomatic.relations import M, R, atomicity, co, fr, full_fence, po, rfe, rmw, sc_per_location

F = full_fence

ppo = (R * M) & po
implied = po @ only(domain(rmw) | F) | only(range_of(rmw) | F) @ po
ghb = ppo | implied | rfe | fr | co

RULES = Rules("pso", (sc_per_location, atomicity, acyclic(ghb, "GHB")))
