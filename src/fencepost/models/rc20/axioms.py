"""RC20 (observational-robustness-rc20, Def 3.5), where an update is two events related by `rmw`.

The paper replaces an SC fence by an update of a hidden location (rc20/lower.py). Here SC fences keep their events and
are ordered by RC11's axiom, which is weaker: MODEL.md says where the two differ.
"""

from fencepost.models import Unsupported
from fencepost.models.axiomatic.algebra import Rules, SetExpr, acyclic, empty, irreflexive, only, tagged
from fencepost.models.axiomatic.relations import F, co, data_race, fr, po, rf, rmw
from fencepost.program.form import Access, Program, orders_of
from fencepost.program.orders import Order

F_SC = F & tagged("SC")
mo = co
rf_plus = rf @ (rmw @ rf).star
eco = (rf | mo | fr).plus


def rules(name: str, acquire: SetExpr, release: SetExpr) -> Rules:
    """RC20, where these are the events that are at least an acquire, and at least a release."""
    sw = only(release) @ (only(F) @ po).maybe @ rf_plus @ (po @ only(F)).maybe @ only(acquire)
    hb = (po | sw).plus
    return Rules(
        name,
        (
            irreflexive(mo @ rf.maybe @ hb.maybe, "write-coherence"),
            irreflexive(fr @ rf.maybe @ hb, "read-coherence"),
            empty(rmw & (fr @ mo), "atomicity"),
            acyclic(po | rf, "po-rf"),
            acyclic(only(F_SC) @ (hb | hb @ eco @ hb) @ only(F_SC), "SC-fences"),
        ),
        flags=(data_race(hb),),
    )


at_least_acquire = tagged("ACQ", "ACQ_REL", "SC")
at_least_release = tagged("REL", "ACQ_REL", "SC")

RULES = rules("rc20", at_least_acquire, at_least_release)


def require_supported(program: Program) -> None:
    """Raises Unsupported for seq_cst accesses, which the paper does not have (RC11 does)."""
    for thread in program.threads:
        for instruction in thread.code:
            if isinstance(instruction, Access) and Order.SEQ_CST in orders_of(instruction):
                raise Unsupported("RC20", instruction, "it knows SC fences, but no seq_cst accesses; RC11 does")
