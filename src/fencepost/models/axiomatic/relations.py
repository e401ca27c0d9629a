"""Relations that several models share, each written once. Names as in `.cat` files."""

from __future__ import annotations

from .algebra import RelExpr, SetExpr, acyclic, base, empty, only, tagged

R = tagged("R")
W = tagged("W")
M = tagged("M")
F = tagged("F")
IW = tagged("IW")  # initial writes

po = base("po")
rf = base("rf")
co = base("co")
fr = base("fr")
loc = base("loc")
same_thread = base("int")
other_thread = base("ext")
addr = base("addr")
data = base("data")
ctrl = base("ctrl")
rmw = base("rmw")  # the two halves of an update, also load-linked and store-conditional

po_loc = po & loc
rfe, rfi = rf & other_thread, rf & same_thread
coe, coi = co & other_thread, co & same_thread
fre, fri = fr & other_thread, fr & same_thread


def fencerel(fences: SetExpr) -> RelExpr:
    """What has one of the fences between it, in program order."""
    return po @ only(fences) @ po


# Axioms that nearly every model has

sc_per_location = acyclic(po_loc | rf | co | fr, "sc-per-location")
atomicity = empty(rmw & (fre @ coe), "atomicity")

# Barriers that are as strong as any, by the names of all processors (robustness between models compares executions of
# one processor with the axioms of another)

full_fence = tagged("MFENCE", "DMB.SY", "DMB.ISH", "DMB.OSH", "DSB.SY", "DSB.ISH", "DSB.OSH", "SYNC")
