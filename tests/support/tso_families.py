"""Programs for TSO of any size, as automata text."""

from __future__ import annotations

from collections.abc import Callable, Iterator


def automaton(name: str, initial: str, *transitions: str) -> str:
    return "\n".join(
        [f"thread {name}", f"initial {initial}", *(f"transition {line}" for line in transitions), "end", ""]
    )


def filter_lock(threads: int) -> str:
    """Peterson's lock for several threads: n - 1 levels, at each of which one thread waits. Entered again and again."""
    return "".join(automaton(f"t{i}", "1", *_filter(i, threads)) for i in range(threads))


def _filter(me: int, threads: int) -> Iterator[str]:
    """Memory: i: the level of thread i; n + l: who waits at level l."""
    others = [other for other in range(threads) if other != me]
    for level in range(1, threads):
        yield f"{level} {level}.a write {level} {me}"
        yield f"{level}.a {level}.0 write {me + 1} {threads + level}"
        for number, other in enumerate(others):
            here, last = f"{level}.{number}", number == len(others) - 1
            after = (str(level + 1) if level < threads - 1 else "in") if last else f"{level}.{number + 1}"
            passed = str(level + 1) if level < threads - 1 else "in"
            yield f"{here} {here}r read l {other}"
            yield f"{here}r {after} check < l {level}"
            yield f"{here}r {here}v check >= l {level}"
            yield f"{here}v {here}w read v {threads + level}"
            yield f"{here}w {passed} check != v {me + 1}"
            yield f"{here}w {level}.0 check == v {me + 1}"
    yield f"in 1 write 0 {me}"


def bakery(threads: int) -> str:
    """Lamport's bakery; each thread enters once, so that the numbers have a bound."""
    return "".join(automaton(f"t{i}", "start", *_bakery(i, threads)) for i in range(threads))


def _bakery(me: int, threads: int) -> Iterator[str]:
    """Memory: i: thread i chooses; n + i: its number."""
    others = [other for other in range(threads) if other != me]
    yield f"start max0 write 1 {me}"
    for number, other in enumerate(others):
        yield f"max{number} max{number}r read n {threads + other}"
        yield f"max{number}r max{number}g check > n m"
        yield f"max{number}r max{number + 1} check <= n m"
        yield f"max{number}g max{number + 1} local m n"
    yield f"max{len(others)} mine local m + m 1"
    yield f"mine told write m {threads + me}"
    yield f"told wait0 write 0 {me}"
    for number, other in enumerate(others):
        before = "<" if other > me else "<="
        yield f"wait{number} wait{number}c read c {other}"
        yield f"wait{number}c wait{number} check != c 0"
        yield f"wait{number}c wait{number}n check == c 0"
        yield f"wait{number}n wait{number}m read n {threads + other}"
        yield f"wait{number}m wait{number}n check && != n 0 {before} n m"
        yield f"wait{number}m wait{number + 1} check ! && != n 0 {before} n m"
    yield f"wait{len(others)} done write 0 {threads + me}"


def lamport(threads: int) -> str:
    """Lamport's fast mutex, entered again and again."""
    return "".join(
        automaton(
            f"t{i}",
            "start",
            f"start gate write {i} 0",
            "gate gated read y 1",
            "gated start check != y 0",
            "gated open check == y 0",
            f"open claim write {i} 1",
            "claim claimed read x 0",
            f"claimed in check == x {i}",
            f"claimed late check != x {i}",
            "late settled read y 1",
            f"settled start check != y {i}",
            f"settled in check == y {i}",
            "in start write 0 1",
        )
        for i in range(1, threads + 1)
    )


def stealers(thieves: int) -> str:
    """The work-stealing queue of Cilk 5 without fences: pushed by one thread, popped by another, and many thieves."""
    lock = ("read L 2", "check == L 1", "write 0 2")
    pop = (
        "idle ends read T 1",
        "ends less local T - T 1",
        "less taken write T 1",
        "taken seen read H 0",
        "seen done check <= H T",
        "seen conflict check > H T",
        "conflict undone write + T 1 1",
        *_locked("undone", lock, "again"),
        "again looked write T 1",
        "looked found read H 0",
        "found release check <= H T",
        "found empty check > H T",
        "empty release write + T 1 1",
        *_locked("release", ("write 1 2",), "done"),
    )
    steal = (
        *_locked("idle", lock, "begin"),
        "begin heads read H 0",
        "heads more local H + H 1",
        "more taken write H 0",
        "taken seen read T 1",
        "seen release check <= H T",
        "seen empty check > H T",
        "empty release write - H 1 0",
        *_locked("release", ("write 1 2",), "done"),
    )
    return (
        automaton("setup", "idle", "idle done write 1 2")
        + automaton("pusher", "idle", "idle tail read T 1", "tail done write + T 1 1")
        + automaton("popper", "idle", *pop)
        + "".join(automaton(f"thief{number}", "idle", *steal) for number in range(thieves))
    )


def _locked(start: str, commands: tuple[str, ...], end: str) -> Iterator[str]:
    states = [f"{start}-{number}" for number in range(len(commands) + 1)]
    yield f"{start} {states[0]} lock"
    for number, command in enumerate(commands):
        yield f"{states[number]} {states[number + 1]} {command}"
    yield f"{states[-1]} {end} unlock"


FAMILIES: dict[str, tuple[Callable[[int], str], range]] = {  # and how many threads are measured
    "filter lock": (filter_lock, range(2, 5)),
    "bakery": (bakery, range(2, 5)),
    "lamport": (lamport, range(2, 6)),
    "stealers": (stealers, range(1, 7)),
}
