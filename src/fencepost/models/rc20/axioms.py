"""RC20 (observational-robustness-rc20, Def 3.5), where an update is two events related by `rmw`.

The paper replaces an SC fence by an update of a hidden location (rc20/lower.py). Here SC fences keep their events and
are ordered by RC11's axiom, which is weaker: MODEL.md says where the two differ.
"""

from fencepost.models.axiomatic.algebra import Rules, acyclic, empty, irreflexive, only, tagged
from fencepost.models.axiomatic.relations import F, co, fr, po, rf, rmw

at_least_acquire = tagged("ACQ", "ACQ_REL", "SC")
at_least_release = tagged("REL", "ACQ_REL", "SC")
F_SC = F & tagged("SC")

mo = co
rf_plus = rf @ (rmw @ rf).star
sw = only(at_least_release) @ (only(F) @ po).maybe @ rf_plus @ (po @ only(F)).maybe @ only(at_least_acquire)
hb = (po | sw).plus
eco = (rf | mo | fr).plus

RULES = Rules(
    "rc20",
    (
        irreflexive(mo @ rf.maybe @ hb.maybe, "write-coherence"),
        irreflexive(fr @ rf.maybe @ hb, "read-coherence"),
        empty(rmw & (fr @ mo), "atomicity"),
        acyclic(po | rf, "po-rf"),
        acyclic(only(F_SC) @ (hb | hb @ eco @ hb) @ only(F_SC), "SC-fences"),
    ),
)
