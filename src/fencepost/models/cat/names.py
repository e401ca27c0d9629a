"""The names that every `.cat` file may use without a definition, for programs of one kind of instructions.

Those of models/axiomatic/tags.py and execution.py, and what herd calls them. A name that herd knows, and whose events
no program here has, is empty, as in herd; one that would need events inside instructions cannot be computed.
"""

from __future__ import annotations

from fencepost.models.axiomatic.algebra import (
    RelExpr,
    SetExpr,
    base,
    domain,
    empty_relation,
    everything,
    identity,
    nothing,
    only,
    tagged,
)
from fencepost.models.axiomatic.execution import BASE_RELATIONS
from fencepost.models.axiomatic.tags import ALL_TAGS, STARRED, UPDATE, USED
from fencepost.program.form import Isa

from .lexer import Place
from .values import DOMAIN, RANGE, Missing, Native, Orders, Value, infix, is_empty, kind, terms

R, W, M, F, IW = (tagged(name) for name in ("R", "W", "M", "F", "IW"))
co = base("co")
INITIAL_FIRST = base("loc") & (IW * (W - IW))  # what every coherence order has

# Of programs with virtual memory, memory tagging, changing code, exceptions, locks, allocation
_NO_SETS = (
    *("PTE", "PTEV", "PTEINV", "TTD", "AF", "DB", "MMU", "D-MMU", "I-MMU", "Translation", "AccessFlag", "Permission"),
    *("PA", "PTEXS", "PTEAF0", "PTEDB0", "PTEMemAttr", "TLBIIS", "TLBInXS", "UndefinedInstruction"),
    *("TLBI", "T", "TagCheck", "FAULT", "Instr", "Restricted-CMODX", "DC.CVAU", "DC.CIVAC", "DC.CVAC", "NExp"),
    *("IC.IALLUIS", "IC.IALLU", "IC.IVAU", "EXC-ENTRY", "EXC-RET", "SVC", "SPURIOUS", "CON", "emptyset"),
    *("LK", "UL", "LS", "LF", "RU", "LKR", "LKW", "ALLOC", "FREE"),
)
_NO_RELATIONS = ("same-tag-loc", "inv-domain", "allocptr", "allocmem")
_INSIDE = "it speaks of events inside an instruction, which are not events here; addr, data, ctrl and rmw are given"
_MISSING_SETS = ("B", "BCC", "BR", "PoD", "Rreg", "Wreg", "DATA", "ADDR", "NDATA")
_MISSING_RELATIONS = ("iico_data", "iico_ctrl", "intrinsic", "rf-reg")
_NO_PAGES = "programs here have no page tables"
_OF_SETS = "models here do not compute with sets of relations, or of sets"
_MISSING_FUNCTIONS = (
    *("classes", "classes-loc", "partition", "linearisations", "map", "fold", "cross", "co_locs"),
    *("tag2level", "level2tag", "tag2scope", "scope2tag", "tag2events", "tag2instrs", "tag2fences"),
)


def initial_names(isa: Isa) -> dict[str, Value]:
    names: dict[str, Value] = {name: tagged(name) for name in ALL_TAGS if name not in (STARRED, USED)}
    names |= {"R": R, "W": W, "M": M, "F": F, "IW": IW, "I": IW, "Exp": M}
    names |= {"FW": W - domain(co), "co0": INITIAL_FIRST}  # FW: the last writes
    names |= {name: base(name) for name in BASE_RELATIONS}
    names |= {"id": identity, "unv": everything * everything}
    names |= dict.fromkeys(_NO_SETS, nothing)
    names |= dict.fromkeys(_NO_RELATIONS, empty_relation)
    names |= {name: Missing(name, _INSIDE) for name in (*_MISSING_SETS, *_MISSING_RELATIONS)}
    names |= {name: Missing(name, _NO_PAGES) for name in ("same-low-order-bits", "same-translation-context")}
    names |= {name: Missing(name, _OF_SETS) for name in _MISSING_FUNCTIONS}
    functions = (
        *(DOMAIN, RANGE, Native("same-oa", 1, _same_output_address)),
        *(Native("generate_cos", 1, _orders), Native("generate_orders", 2, _some)),
        Native("infinite-predecessors", 1, lambda place, relation: nothing),  # executions are finite
    )
    names |= {function.name: function for function in functions}
    names |= _same_instruction()
    names |= _of_isa(isa)
    return names


def _same_instruction() -> dict[str, RelExpr]:
    """Accesses are never mixed-size: `sm` and `si` relate an event to itself only. An update is two events."""
    update = base("amo")
    names = {"sm": only(M), "si": identity, "same-instance": identity | update | ~update}
    return names | {"iico_order": update}


def _of_isa(isa: Isa) -> dict[str, SetExpr]:
    """Names that mean different events for different processors."""
    names = {"DMB": tagged("DMB.SY"), "DSB": tagged("DSB.SY"), "EX": tagged("X")}
    if isa is Isa.C11:
        names["A"] = tagged("RLX", "ACQ", "REL", "ACQ_REL", "SC")
    elif isa is Isa.X86:
        names |= {"A": tagged(UPDATE), "X": tagged(UPDATE)}  # what is locked
    return names


def _same_output_address(place: Place, relation: Value) -> Value:
    return relation if is_empty(relation) else Missing("same-oa", _NO_PAGES, place)


def _orders(place: Place, extending: Value) -> Value:
    if isinstance(extending, Missing):
        return extending
    if not isinstance(extending, RelExpr):
        raise place.error(f"generate_cos takes a relation, not {kind(extending)}")
    return Orders(extending)


def _some(place: Place, writes: Value, extending: Value) -> Value:
    if not isinstance(writes, SetExpr) or writes is not W:
        return Missing("generate_orders", "only orders of all writes (W) are supported", place)
    return _orders(place, extending)


def outside_co(orders: Orders, place: Place) -> Value:
    """What co must have and does not: it is empty for the orders in question."""
    rest: Value = empty_relation
    for term in terms(orders.extending):
        if term is not INITIAL_FIRST:
            rest = infix("|", rest, term, place)
    writes = infix("&", infix("&", rest, base("loc"), place), W * W, place)
    return infix("\\", writes, co, place)
