"""C11 programs as programs for a processor, by the usual mappings of compilers.

Tables: "C/C++11 mappings to processors" (Sewell et al.); Batty, Owens, Sarkar, Sewell, Weber, POPL 2011 (x86); Batty,
Memarian, Owens, Sarkar, Sewell, POPL 2012 (Power, leading fences); Lahav et al., PLDI 2017, section 6 (the same for
ARMv7); SPARC v9, appendix J (membar). docs/mappings.md has them side by side.

Updates are one instruction on x86, AArch64 (with LSE) and SPARC. On ARMv7 and Power they are a loop of load-linked and
store-conditional. Instructions keep their places in the source; what a model does not need is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate

from fencepost.program.expr import Binary, Const, Expr, ReadValue, Reg, Unary
from fencepost.program.form import (
    RESERVATION,
    Assign,
    BlockingCas,
    Branch,
    Cas,
    Choose,
    Fence,
    Instruction,
    Isa,
    Jump,
    Load,
    Lock,
    Program,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
    Thread,
    Unlock,
    Wait,
)
from fencepost.program.orders import FenceKind, Mark, Order

from . import Unsupported

OLD, STATUS = ".old", ".status"  # hidden registers of the loops

NA, RLX, ACQ, REL = Order.NON_ATOMIC, Order.RELAXED, Order.ACQUIRE, Order.RELEASE
ACQ_REL, SC = Order.ACQ_REL, Order.SEQ_CST
F = FenceKind

_Code = tuple[Instruction, ...]
_Fences = tuple[FenceKind, ...]
_HERE = -1  # targets below 0 are places in the same expansion: _HERE is its start, _HERE - 1 the next, ..


@dataclass(frozen=True, slots=True)
class Form:
    """What an access becomes: fences before and after it, and its marks."""

    before: _Fences = ()
    marks: frozenset[Mark] = frozenset()
    after: _Fences = ()
    compares: bool = False  # a branch that depends on the value read comes before the fences after it (cmp; bc; isync)
    exchanges: bool = False  # a store is a locked exchange


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping. Orders that are not named are like a relaxed access: just the instruction."""

    isa: Isa
    loads: Mapping[Order, Form]
    stores: Mapping[Order, Form]
    updates: Mapping[Order, Form]
    fences: Mapping[FenceKind, _Fences]
    links: bool = False  # updates are loops of load-linked and store-conditional


_A, _L = frozenset({Mark.ACQUIRE}), frozenset({Mark.RELEASE})
_LL, _LS, _SL, _SS = F.MEMBAR_LL, F.MEMBAR_LS, F.MEMBAR_SL, F.MEMBAR_SS

X86 = Table(
    Isa.X86,
    loads={},
    stores={SC: Form(exchanges=True)},
    updates={},
    fences={F.ACQUIRE: (), F.RELEASE: (), F.ACQ_REL: (), F.SEQ_CST: (F.MFENCE,)},
)
AARCH64 = Table(
    Isa.AARCH64,
    loads={ACQ: Form(marks=_A), SC: Form(marks=_A)},
    stores={REL: Form(marks=_L), SC: Form(marks=_L)},
    updates={
        ACQ: Form(marks=_A),
        REL: Form(marks=_L),
        ACQ_REL: Form(marks=_A | _L),
        SC: Form(marks=_A | _L),
    },
    fences={F.ACQUIRE: (F.DMB_ISHLD,), F.RELEASE: (F.DMB_ISH,), F.ACQ_REL: (F.DMB_ISH,), F.SEQ_CST: (F.DMB_ISH,)},
)
_DMB = (F.DMB_ISH,)
ARMV7 = Table(
    Isa.ARMV7,
    loads={ACQ: Form(after=_DMB), SC: Form(after=_DMB)},
    stores={REL: Form(before=_DMB), SC: Form(before=_DMB, after=_DMB)},
    updates={
        ACQ: Form(after=_DMB),
        REL: Form(before=_DMB),
        ACQ_REL: Form(before=_DMB, after=_DMB),
        SC: Form(before=_DMB, after=_DMB),
    },
    fences=dict.fromkeys((F.ACQUIRE, F.RELEASE, F.ACQ_REL, F.SEQ_CST), _DMB),
    links=True,
)
_SYNC, _LWSYNC, _ISYNC = (F.SYNC,), (F.LWSYNC,), (F.ISYNC,)
POWER = Table(
    Isa.POWER,
    loads={
        ACQ: Form(after=_ISYNC, compares=True),
        SC: Form(before=_SYNC, after=_ISYNC, compares=True),
    },
    stores={REL: Form(before=_LWSYNC), SC: Form(before=_SYNC)},
    updates={
        ACQ: Form(after=_ISYNC, compares=True),
        REL: Form(before=_LWSYNC),
        ACQ_REL: Form(before=_LWSYNC, after=_ISYNC, compares=True),
        SC: Form(before=_SYNC, after=_ISYNC, compares=True),
    },
    fences={F.ACQUIRE: _LWSYNC, F.RELEASE: _LWSYNC, F.ACQ_REL: _LWSYNC, F.SEQ_CST: _SYNC},
    links=True,
)
_MEMBAR = (_LL, _LS, _SL, _SS)
SPARC = Table(
    Isa.SPARC,
    loads={ACQ: Form(after=(_LL, _LS)), SC: Form(after=(_LL, _LS))},
    stores={REL: Form(before=(_LS, _SS)), SC: Form(before=(_LS, _SS), after=(_SL,))},
    updates={
        ACQ: Form(after=(_LL, _LS)),
        REL: Form(before=(_LS, _SS)),
        ACQ_REL: Form(before=(_LS, _SS), after=(_LL, _LS)),
        SC: Form(before=_MEMBAR, after=_MEMBAR),
    },
    fences={
        F.ACQUIRE: (_LL, _LS),
        F.RELEASE: (_LS, _SS),
        F.ACQ_REL: (_LL, _LS, _SS),
        F.SEQ_CST: _MEMBAR,
    },
)
TABLES = {table.isa: table for table in (X86, AARCH64, ARMV7, POWER, SPARC)}


def compiled(program: Program, isa: Isa) -> Program:
    """`program` for the processor; a program that is not in C11 stays what it is. Raises Unsupported."""
    if isa is Isa.C11 or program.isa is not Isa.C11:
        return program
    expansion = _Expansion(TABLES[isa])
    return replace(
        program,
        isa=isa,
        locations=tuple(replace(location, atomic=True) for location in program.locations),
        threads=tuple(_expanded(thread, expansion.of) for thread in program.threads),
    )


def _expanded(thread: Thread, expand: Callable[[Instruction], _Code]) -> Thread:
    parts = [expand(instruction) for instruction in thread.code]
    starts = (0, *accumulate(map(len, parts)))

    def moved(instruction: Instruction, start: int) -> Instruction:
        def place(target: int) -> int:
            return starts[target] if target >= 0 else start + _HERE - target

        match instruction:
            case Branch(target=target) | Jump(target=target):
                return replace(instruction, target=place(target))
            case Choose(targets=targets):
                return replace(instruction, targets=tuple(map(place, targets)))
        return instruction

    code = tuple(moved(step, start) for part, start in zip(parts, starts, strict=False) for step in part)
    hidden = tuple(name for name in (OLD, STATUS, RESERVATION) if name not in thread.registers)
    places = tuple((starts[pc], name) for pc, name in thread.places)
    return replace(thread, code=code, registers=(*thread.registers, *hidden), places=places)


@dataclass(frozen=True)
class _Expansion:
    table: Table
    _plain: Form = field(default=Form())

    def of(self, instruction: Instruction) -> _Code:
        table, span = self.table, instruction.span
        match instruction:
            case Load(order=order):
                form = table.loads.get(order, self._plain)
                return self.around(form, (replace(instruction, order=RLX, marks=form.marks),), Reg(instruction.reg))
            case Wait(order=order):
                form = table.loads.get(order, self._plain)
                return self.around(form, (replace(instruction, order=RLX, marks=form.marks),))
            case Store(ref, value, order):
                form = table.stores.get(order, self._plain)
                if form.exchanges:
                    return (Rmw(None, RmwOp.EXCHANGE, ref, value, RLX, span=span),)
                return self.around(form, (Store(ref, value, RLX, marks=form.marks, span=span),))
            case Rmw(order=order) | BlockingCas(order=order):
                return self.update(instruction, table.updates.get(order, self._plain))
            case Cas(success=success, failure=failure):
                return self.update(instruction, table.updates.get(success.join(failure), self._plain))
            case Fence(kind):
                return tuple(Fence(each, span=span) for each in table.fences[kind])
            case StoreConditional():
                raise Unsupported(table.isa.value, instruction, "C11 has none")
            case Lock() | Unlock():
                raise Unsupported(table.isa.value, instruction, "C11 has no locked blocks")
        return (instruction,)

    def update(self, update: Rmw | Cas | BlockingCas, form: Form) -> _Code:
        if self.table.links:
            return self.around(form, self.loop(update, len(form.before)), Reg(OLD))
        if isinstance(update, Cas):
            return self.around(form, (replace(update, success=RLX, failure=RLX, marks=form.marks),))
        return self.around(form, (replace(update, order=RLX, marks=form.marks),))

    def loop(self, update: Rmw | Cas | BlockingCas, offset: int) -> _Code:
        """Load-linked, store-conditional, and again if it fails. `offset`: where in the expansion it stands."""
        span, ref = update.span, update.ref
        marks = frozenset({Mark.EXCLUSIVE})
        link: _Code = (Load(OLD, ref, RLX, marks=marks, span=span),)
        result: _Code = ()
        match update:
            case Rmw(reg, op, _, operand, _):
                value = _new_value(op, operand)
                result = () if reg is None else (Assign(reg, Reg(OLD), span=span),)
            case Cas(reg, _, expected, value, _, _):
                differs = Unary("!", Binary("==", Reg(OLD), expected))
                link += (Branch(differs, _HERE - offset - 4, span=span),)  # behind the loop
                result = () if reg is None else (Assign(reg, Reg(OLD), span=span),)
            case BlockingCas(_, expected, value, _):
                equal = Binary("==", ReadValue(), expected)
                link = (Wait(OLD, ref, equal, RLX, marks=marks, span=span),)
        store = StoreConditional(STATUS, ref, value, RLX, marks=marks, span=span)
        again = Branch(Reg(STATUS), _HERE - offset, span=span)
        return (*link, store, again, *result)

    @staticmethod
    def around(form: Form, code: _Code, value: Reg | None = None) -> _Code:
        """`code` with the fences of `form`; `value` is what it has read."""
        span = code[0].span

        def fences(kinds: _Fences) -> _Code:
            return tuple(Fence(kind, span=span) for kind in kinds)

        before, after = fences(form.before), fences(form.after)
        if form.compares and value is not None:
            following = _HERE - len(before) - len(code) - 1
            code = (*code, Branch(Binary("==", value, value), following, span=span))
        return (*before, *code, *after)


def _new_value(op: RmwOp, operand: Expr) -> Expr:
    """What an update writes, from what was read into OLD."""
    if op is RmwOp.EXCHANGE:
        return operand
    if op is RmwOp.UPDATE:
        return _with_old(operand)
    return Binary(op.value, Reg(OLD), operand)


def _with_old(expr: Expr) -> Expr:
    match expr:
        case ReadValue():
            return Reg(OLD)
        case Unary(op, arg):
            return Unary(op, _with_old(arg))
        case Binary(op, left, right):
            return Binary(op, _with_old(left), _with_old(right))
        case Const() | Reg():
            return expr
