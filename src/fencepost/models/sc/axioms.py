"""Sequential consistency (robustness-between-models, section II-B)."""

from fencepost.models.axiomatic.algebra import Rules, acyclic
from fencepost.models.axiomatic.relations import atomicity, co, fr, po, rf

RULES = Rules("sc", (acyclic(po | rf | fr | co, "sc"), atomicity))
