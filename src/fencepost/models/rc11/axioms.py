"""RC11 ("Repairing sequential consistency in C/C++11", Lahav et al., PLDI 2017, section 3), SC accesses included.

A data race makes the program undefined; it is reported and forbids nothing.
"""

from fencepost.models.axiomatic.algebra import Rules, acyclic, empty, irreflexive, only, tagged
from fencepost.models.axiomatic.relations import F, R, W, co, data_race, fr, loc, po, rf, rmw

SC = tagged("SC")
at_least_acquire = tagged("ACQ", "ACQ_REL", "SC")
at_least_release = tagged("REL", "ACQ_REL", "SC")
at_least_relaxed = tagged("RLX", "ACQ", "REL", "ACQ_REL", "SC")

sb, mo, rb = po, co, fr
eco = (rf | mo | rb).plus
rs = only(W) @ (sb & loc).maybe @ only(W & at_least_relaxed) @ (rf @ rmw).star
sw = (
    only(at_least_release)
    @ (only(F) @ sb).maybe
    @ rs
    @ rf
    @ only(R & at_least_relaxed)
    @ (sb @ only(F)).maybe
    @ only(at_least_acquire)
)
hb = (sb | sw).plus

sb_other = sb - loc
scb = sb | sb_other @ hb @ sb_other | hb & loc | mo | rb
psc_base = (only(SC) | only(F & SC) @ hb.maybe) @ scb @ (only(SC) | hb.maybe @ only(F & SC))
psc_fence = only(F & SC) @ (hb | hb @ eco @ hb) @ only(F & SC)

RULES = Rules(
    "rc11",
    (
        irreflexive(hb @ eco.maybe, "coherence"),
        irreflexive(rmw @ eco, "coherence-of-updates"),
        empty(rmw & (rb @ mo), "atomicity"),
        acyclic(psc_base | psc_fence, "SC"),
        acyclic(sb | rf, "no-thin-air"),
    ),
    flags=(data_race(hb),),
)
