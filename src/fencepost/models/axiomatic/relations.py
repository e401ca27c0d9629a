"""Relations that several models share, each written once. Names as in `.cat` files."""

from __future__ import annotations

from .algebra import Axiom, RelExpr, SetExpr, acyclic, base, empty, only, tagged

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


def blocks_alone(order: RelExpr) -> Axiom:
    """Nothing comes between the events of a block under a lock, in an order that must have no cycles."""
    block = base("block")
    return acyclic((order - block) @ block.maybe, "locked-blocks")


def data_race(hb: RelExpr) -> Axiom:
    """As a flag: two accesses to a location that happen in no order, of which one writes and one is not atomic."""
    conflict = ((W * (R | W) | (R | W) * W) & loc) - (IW * (R | W) | (R | W) * IW)
    atomic = tagged("RLX", "ACQ", "REL", "ACQ_REL", "SC")
    return empty((conflict & other_thread) - (hb | ~hb | (atomic * atomic)), "data-race")


# Barriers that are as strong as any, by the names of all processors (robustness between models compares executions of
# one processor with the axioms of another)

full_fence = tagged("MFENCE", "DMB.SY", "DMB.ISH", "DMB.OSH", "DSB.SY", "DSB.ISH", "DSB.OSH", "SYNC")

# Directional barriers of SPARC, by the pairs that they keep; x86 has two of them

load_load = tagged("MEMBAR.LL", "LFENCE")
load_store = tagged("MEMBAR.LS")
store_load = tagged("MEMBAR.SL")
store_store = tagged("MEMBAR.SS", "SFENCE")
