"""What Power and ARMv7 share: the framework of "herding cats" (Alglave, Maranget, Tautschnig, TOPLAS 2014, Fig 5, 25).

ARMv7 also: robustness-between-models, appendix A.2.

An access has two parts, init (i) and commit (c). From the base relations between the parts follow, by recursion, all
orders between them, and from these the preserved program order.
"""

from __future__ import annotations

from .algebra import Axiom, RelExpr, acyclic, irreflexive, least
from .relations import R, W, addr, atomicity, co, coe, ctrl, data, fre, po, po_loc, rfe, rfi, sc_per_location

dd = addr | data
rdw = po_loc & (fre @ rfe)  # reads from different writes
detour = po_loc & (coe @ rfe)


def preserved(ci0: RelExpr, cc0: RelExpr) -> RelExpr:
    """ppo, from the orders between commits and inits that differ between the two."""
    ii0 = dd | rfi | rdw
    ii, ic, _, _ = least(
        "ii ic ci cc",
        lambda ii, ic, ci, cc: (
            ii0 | ci | ic @ ci | ii @ ii,
            ii | cc | ic @ cc | ii @ ic,
            ci0 | ci @ ii | cc @ ci,
            cc0 | ci | ci @ ic | cc @ cc,
        ),
    )
    return ii & (R * R) | ic & (R * W)


def axioms(ppo: RelExpr, strong: RelExpr, fence: RelExpr) -> tuple[Axiom, ...]:
    """`strong` is the part of `fence` that is cumulative for reads too."""
    hb = ppo | fence | rfe
    prop_base = (fence | rfe @ fence) @ hb.star
    chapo = rfe | fre | coe | fre @ rfe | coe @ rfe
    prop = prop_base & (W * W) | chapo.maybe @ prop_base.star @ strong @ hb.star
    return (
        sc_per_location,
        atomicity,
        acyclic(hb, "no-thin-air"),
        irreflexive(fre @ prop @ hb.star, "observation"),
        acyclic(co | prop, "propagation"),
    )


addr_po = addr @ po
commits = dd | ctrl | addr_po  # cc0 of ARMv7; Power's has po-loc too
