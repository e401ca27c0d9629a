"""The parts of SC_M that follow the memory: hb_SC-tracker (V_SC) and RC20-tracker (V), with their updates.

Papers: dynamic-robustness-rsan, Fig 2 (V_SC); observational-robustness-rc20, section 5.2, Algorithms 1 to 5 (V).
In the printed algorithms, "x := x | y" and "x := x & y" have both become ":="; see MODEL.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fencepost.models.execution import READS, WRITES
from fencepost.program.lts import Cell, Label

from .reading import acquires, releases

Values = frozenset[int]
Aware = frozenset[Cell]


@dataclass(frozen=True, slots=True)
class ScViews:
    """V_SC. x in thread[t]: thread t is hb_SC-aware of the newest write to x. `write[y]`: the newest write to y is.
    `memory[y]`: some access to y is."""

    thread: dict[int, Aware]
    write: dict[Cell, Aware]
    memory: dict[Cell, Aware]

    def key(self) -> tuple[frozenset[object], ...]:
        return tuple(frozenset(part.items()) for part in (self.thread, self.write, self.memory))


def initial_sc_views(threads: int, cells: Sequence[Cell]) -> ScViews:
    own = {cell: Aware({cell}) for cell in cells}
    return ScViews({t: Aware(cells) for t in range(threads)}, own, dict(own))


def after_access_sc(views: ScViews, t: int, label: Label) -> ScViews:
    """Fig 2: thread t accesses x. An RMW counts as a write: it knows of every access to x."""
    x = label.cell
    assert x is not None
    thread, write, memory = dict(views.thread), dict(views.write), dict(views.memory)
    if label.kind not in WRITES:
        thread[t] |= write[x]
        memory[x] |= thread[t]
        return ScViews(thread, write, memory)
    thread[t] |= memory[x] | {x}
    for p in thread.keys() - {t}:
        thread[p] -= {x}
    for y in write.keys() - {x}:
        write[y] -= {x}
        memory[y] -= {x}
    write[x] = thread[t]
    memory[x] |= thread[t]
    return ScViews(thread, write, memory)


@dataclass(frozen=True, slots=True)
class Views:
    """V, or its RMW twin: the values of older writes that are still visible.

    acquire, current, release: (t, x) -> values of x that thread t may read, now, after an acquire fence, or that may
    be read after synchronising with t's last release fence. location: (y, x) -> values of x after reading y.
    """

    acquire: dict[tuple[int, Cell], Values]
    current: dict[tuple[int, Cell], Values]
    release: dict[tuple[int, Cell], Values]
    location: dict[tuple[Cell, Cell], Values]

    def key(self) -> tuple[frozenset[object], ...]:
        return tuple(frozenset(part.items()) for part in (self.acquire, self.current, self.release, self.location))


# Whose overwritten value stays visible: for V that of every write; for the twin not that of an RMW, because atomicity
# lets no other write come between an RMW and the write that it has read.
PLAIN = WRITES
RMW_TWIN = frozenset({"W"})


def initial_views(threads: int, cells: Sequence[Cell]) -> Views:
    nothing = {(t, x): Values() for t in range(threads) for x in cells}
    return Views(dict(nothing), dict(nothing), dict(nothing), {(y, x): Values() for y in cells for x in cells})


def after_access(views: Views, leaves_old: frozenset[str], t: int, label: Label, old: int) -> Views:
    """Algorithms 1 and 4 or 5 (2 and 4 or 5 for the RMW twin): thread t accesses x, which held `old`."""
    x = label.cell
    assert x is not None
    acquire, current, release = dict(views.acquire), dict(views.current), dict(views.release)
    location = dict(views.location)
    others = {y for y, _ in location} - {x}

    acquire[t, x] = current[t, x] = Values()
    if label.kind in leaves_old:
        release[t, x] |= {old}
    if label.kind in READS:
        for y in others:
            acquire[t, y] &= location[x, y]
            if acquires(label):
                current[t, y] &= location[x, y]
    if label.kind in leaves_old:
        for p, cell in views.current:
            if p != t and cell == x:
                for view in (acquire, current, release):
                    view[p, x] |= {old}

    if label.kind in leaves_old:
        for y in others:
            location[y, x] |= {old}
    released = current if releases(label) else release
    for y in others:
        if label.kind == "W":
            location[x, y] = released[t, y]
        elif label.kind == "RMW":  # continues the release sequence
            location[x, y] &= released[t, y]
    return Views(acquire, current, release, location)


def after_fence(views: Views, t: int, label: Label) -> Views:
    """Algorithm 3: thread t runs a fence."""
    current, release = dict(views.current), dict(views.release)
    for p, x in views.current:
        if p == t and acquires(label):
            current[t, x] = views.acquire[t, x]
        if p == t and releases(label):
            release[t, x] = current[t, x]
    return Views(views.acquire, current, release, views.location)
