"""Power ("herding cats", section 4.6 and Fig 17, 18, 25)."""

from fencepost.models.axiomatic import herding
from fencepost.models.axiomatic.algebra import Rules, acyclic, only, tagged
from fencepost.models.axiomatic.herding import commits, detour, preserved
from fencepost.models.axiomatic.relations import R, W, co, ctrl, fencerel, po, po_loc

X = tagged("X")  # load-linked and store-conditional

ctrl_isync = ctrl @ only(tagged("ISYNC")) @ po
ppo = preserved(ci0=ctrl_isync | detour, cc0=commits | po_loc)
sync = fencerel(tagged("SYNC"))
lwsync = fencerel(tagged("LWSYNC")) - (W * R)
eieio = fencerel(tagged("EIEIO")) & (W * W)

RULES = Rules(
    "power",
    (
        *herding.axioms(ppo, strong=sync, fence=sync | lwsync | eieio),
        acyclic(co | po & (X * X), "exclusives"),
    ),
)
