"""ARMv7 ("herding cats", section 4.7 and Fig 25, without po-loc in cc0; robustness-between-models, appendix A.2)."""

from fencepost.models.axiomatic import herding
from fencepost.models.axiomatic.algebra import Rules, only, tagged
from fencepost.models.axiomatic.herding import commits, detour, preserved
from fencepost.models.axiomatic.relations import W, ctrl, fencerel, po

FULL = tagged("DMB.SY", "DSB.SY", "DMB.ISH", "DSB.ISH", "DMB.OSH", "DSB.OSH")
STORES = tagged("DMB.ST", "DSB.ST", "DMB.ISHST", "DSB.ISHST", "DMB.OSHST", "DSB.OSHST")

ctrl_isb = ctrl @ only(tagged("ISB")) @ po
ppo = preserved(ci0=ctrl_isb | detour, cc0=commits)
fence = fencerel(FULL) | fencerel(STORES) & (W * W)

RULES = Rules("armv7", herding.axioms(ppo, strong=fence, fence=fence))
