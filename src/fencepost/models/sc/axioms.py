"""Sequential consistency (robustness-between-models, section II-B)."""

from fencepost.models.axiomatic.algebra import Rules, acyclic
from fencepost.models.axiomatic.relations import atomicity, blocks_alone, co, fr, po, rf

hb = po | rf | fr | co

RULES = Rules("sc", (acyclic(hb, "sc"), atomicity))
LOCKED_RULES = Rules("sc", (*RULES.axioms, blocks_alone(hb)))
