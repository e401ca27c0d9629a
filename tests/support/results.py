"""Hand-made check results, one for every kind of answer, for the tests of reports, API and command line."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field, replace

from fencepost.program.expr import Binary, Const, Reg
from fencepost.program.form import Assert, Instruction, Load, Location, Program, Ref, Span, Store, Thread
from fencepost.program.lts import Cell, Label
from fencepost.program.orders import FenceKind, Order
from fencepost.verdict.types import (
    Agreement,
    Answer,
    Attack,
    BusyWait,
    Change,
    CheckResult,
    Edge,
    Event,
    Move,
    Notion,
    NotRobust,
    Repair,
    Robust,
    Statistics,
    TraceStep,
    Unknown,
    Verdict,
    Witness,
    WitnessKind,
)

RLX, ACQ, REL, ACQ_REL, NA = Order.RELAXED, Order.ACQUIRE, Order.RELEASE, Order.ACQ_REL, Order.NON_ATOMIC

STATISTICS = Statistics(states=1234, transitions=3456, seconds=0.25, peak_bytes=3 << 20, workers=2)


@dataclass
class Execution:
    """Builds an execution graph in the order in which its events happen; reads see the newest write unless told."""

    locations: tuple[str, ...]
    events: list[Event] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    writes: dict[str, list[int]] = field(default_factory=dict)
    last: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.locations:
            self.writes[name] = [len(self.events)]
            self.events.append(Event(len(self.events), None, Label("W", Cell(name), written=0)))

    def _add(self, thread: int, label: Label, line: int) -> int:
        number = len(self.events)
        self.events.append(Event(number, thread, label, Span(line, 3)))
        if thread in self.last:
            self.edges.append(Edge(self.last[thread], number, "po"))
        self.last[thread] = number
        return number

    def write(self, thread: int, name: str, value: int, order: Order = RLX, line: int = 1) -> int:
        number = self._add(thread, Label("W", Cell(name), order, written=value), line)
        self._append(name, number)
        return number

    def read(self, thread: int, name: str, order: Order = RLX, line: int = 1, nth: int = -1, kind: str = "R") -> int:
        """Reads the nth write to `name`: the newest one unless told, so that an older one is a stale read."""
        source = self.writes[name][nth]
        value = self.events[source].label.written
        number = self._add(thread, Label(kind, Cell(name), order, read=value), line)
        self.edges.append(Edge(source, number, "rf"))
        newer = self.writes[name][self.writes[name].index(source) + 1 :]
        self.edges += [Edge(number, write, "fr") for write in newer]
        return number

    def rmw(self, thread: int, name: str, value: int, order: Order = ACQ_REL, line: int = 1) -> int:
        source = self.writes[name][-1]
        label = Label("RMW", Cell(name), order, self.events[source].label.written, value)
        number = self._add(thread, label, line)
        self.edges.append(Edge(source, number, "rf"))
        self._append(name, number)
        return number

    def fence(self, thread: int, kind: FenceKind, line: int = 1) -> int:
        return self._add(thread, Label("F", order=kind), line)

    def control(self, thread: int, line: int = 1) -> int:
        return self._add(thread, Label("CTRL"), line)

    def _append(self, name: str, number: int) -> None:
        previous = self.writes[name][-1]
        self.edges.append(Edge(previous, number, "mo"))
        for edge in tuple(self.edges):
            if edge.kind == "rf" and edge.source in self.writes[name] and edge.target != number:
                self.edges.append(Edge(edge.target, number, "fr"))
        self.writes[name].append(number)

    def cycle(self) -> tuple[Edge, ...]:
        """A shortest cycle through the newest event."""
        goal = self.events[-1].number
        paths: deque[tuple[Edge, ...]] = deque((edge,) for edge in self.edges if edge.source == goal)
        seen: set[int] = set()
        while paths:
            path = paths.popleft()
            end = path[-1].target
            if end == goal:
                return path
            if end not in seen:
                seen.add(end)
                paths.extend((*path, edge) for edge in self.edges if edge.source == end)
        return ()


def program(name: str, source: str, locations: tuple[str, ...], threads: dict[str, tuple[Instruction, ...]]) -> Program:
    return Program(
        name=name,
        locations=tuple(Location(location) for location in locations),
        threads=tuple(Thread(title, ("a", "b"), code) for title, code in threads.items()),
        source=source,
        language="tpl",
    )


def result(subject: Program, verdict: Verdict, **fields: object) -> CheckResult:
    base = CheckResult(
        program=subject,
        model="rc20",
        against="sc",
        notion=Notion.ROBUST,
        verdict=verdict,
        assertions=Answer.HOLD,
        races=Answer.HOLD,
        statistics=STATISTICS,
    )
    return replace(base, **fields)  # type: ignore[arg-type]


SB_SOURCE = """\
global x, y;
fn left { local a;
  x.store(1, rlx);
  a = y.load(rlx);
}
fn right { local a;
  y.store(1, rlx);
  a = x.load(rlx);
}
"""


def sb_program() -> Program:
    def thread(mine: str, other: str, line: int) -> tuple[Instruction, ...]:
        return (
            Store(Ref(mine), Const(1), RLX, span=Span(line, 3)),
            Load("a", Ref(other), RLX, span=Span(line + 1, 3)),
        )

    return program("sb.tpl", SB_SOURCE, ("x", "y"), {"left": thread("x", "y", 3), "right": thread("y", "x", 7)})


def sb_witness() -> Witness:
    run = Execution(("x", "y"))
    write_x = run.write(0, "x", 1, line=3)
    read_y = run.read(0, "y", line=4)
    write_y = run.write(1, "y", 1, line=7)
    read_x = run.read(1, "x", line=8, nth=0)
    return Witness(
        kind=WitnessKind.STALE_ACCESS,
        schedule=(Move(0, 2), Move(1, 1)),
        headline="thread right may read x = 0, although x = 1 was written before under SC",
        trace=(
            TraceStep(0, Span(3, 3), "writes x = 1", write_x),
            TraceStep(0, Span(4, 3), "reads y = 0", read_y),
            TraceStep(1, Span(7, 3), "writes y = 1", write_y),
            TraceStep(1, Span(8, 3), "may read x = 0, a stale value; SC has 1", read_x),
        ),
        reasons=("line 4 (thread left) reads y before line 7 (thread right) writes it, which orders nothing",),
        repairs=(
            Repair(
                (
                    Change(0, Span(4, 3), "put fence(seq_cst) before this load"),
                    Change(1, Span(8, 3), "put fence(seq_cst) before this load"),
                )
            ),
        ),
        events=tuple(run.events),
        edges=tuple(run.edges),
        cycle=run.cycle(),
        thread=1,
        span=Span(8, 3),
    )


def sb() -> CheckResult:
    return result(sb_program(), NotRobust(sb_witness()))


def mp_witness() -> Witness:
    run = Execution(("data", "flag"))
    run.write(0, "data", 1, line=3)
    run.write(0, "flag", 1, line=4)
    run.control(1, line=6)
    run.read(1, "flag", ACQ, line=7)
    run.read(1, "data", line=8, nth=0)
    steps = (
        TraceStep(0, Span(3, 3), "data.store(1, rlx) writes 1", 2),
        TraceStep(0, Span(4, 3), "flag.store(1, rlx) writes 1", 3),
        TraceStep(1, Span(7, 3), "a = flag.load(acq) reads 1", 5),
        TraceStep(1, Span(8, 3), "b = data.load(rlx) may read 0, a stale value", 6),
    )
    return Witness(
        kind=WitnessKind.STALE_ACCESS,
        schedule=(Move(0, 2), Move(1, 2)),
        headline="thread reader may read data = 0, although it has seen flag = 1",
        trace=steps,
        reasons=("The write of flag is relaxed, so reading it tells the reader nothing of data.",),
        repairs=(Repair((Change(0, Span(4, 3), "make this store a release"),)),),
        events=tuple(run.events),
        edges=tuple(run.edges),
        cycle=run.cycle(),
        thread=1,
        span=Span(8, 3),
    )


def mp() -> CheckResult:
    source = "\nfn writer {\n  data.store(1, rlx);\n  flag.store(1, rlx);\n}\n" + (
        "fn reader {\n  a = flag.load(acq);\n  b = data.load(rlx);\n}\n"
    )
    subject = program("mp.tpl", source, ("data", "flag"), {"writer": (), "reader": ()})
    return result(subject, NotRobust(mp_witness()), notion=Notion.OBSERVATIONAL)


def iriw() -> CheckResult:
    run = Execution(("x", "y"))
    run.write(0, "x", 1, REL, line=3)
    run.write(3, "y", 1, REL, line=12)
    run.read(1, "x", ACQ, line=6)
    run.read(1, "y", ACQ, line=7, nth=0)
    run.read(2, "y", ACQ, line=9)
    run.read(2, "x", ACQ, line=10, nth=0)
    witness = replace(
        sb_witness(),
        headline="thread r2 may read x = 0, although r1 has already read x = 1",
        events=tuple(run.events),
        edges=tuple(run.edges),
        cycle=run.cycle(),
        thread=2,
    )
    subject = program("iriw.tpl", "", ("x", "y"), {"w1": (), "r1": (), "r2": (), "w2": ()})
    return result(subject, NotRobust(witness))


def race() -> CheckResult:
    run = Execution(("d",))
    run.write(0, "d", 1, NA, line=2)
    run.read(1, "d", NA, line=5)
    witness = Witness(
        kind=WitnessKind.RACE,
        schedule=(Move(0, 1),),
        headline="threads p and q race on d: line 2 writes it and line 5 reads it, and nothing orders the two",
        trace=(TraceStep(0, Span(2, 1), "d.nastore(1)", 1), TraceStep(1, Span(5, 1), "a = d.naload()", 2)),
        events=tuple(run.events),
        edges=tuple(run.edges),
        thread=1,
        span=Span(5, 1),
    )
    subject = program("race.tpl", "fn p {\nd.nastore(1);\n}\nfn q {\na = d.naload();\n}", ("d",), {"p": (), "q": ()})
    return result(subject, NotRobust(witness), races=Answer.FAIL, assertions=Answer.UNKNOWN)


def assertion_witness() -> Witness:
    run = Execution(("x",))
    run.write(0, "x", 1, line=2)
    run.read(1, "x", line=5)
    run.control(1, line=6)
    return Witness(
        kind=WitnessKind.ASSERTION,
        schedule=(Move(0, 1), Move(1, 2)),
        headline="the assertion a == 0 in thread q is false",
        trace=(
            TraceStep(0, Span(2, 1), "x.store(1, rlx) writes 1", 1),
            TraceStep(1, Span(5, 1), "a = x.load(rlx) reads 1", 2),
            TraceStep(1, Span(6, 1), "assert(a == 0) fails", 3),
        ),
        events=tuple(run.events),
        edges=tuple(run.edges),
        thread=1,
        span=Span(6, 1),
    )


def asserting_program() -> Program:
    check = Assert(Binary("==", Reg("a"), Const(0)), span=Span(6, 1))
    source = "fn p {\nx.store(1, rlx);\n}\nfn q {\na = x.load(rlx);\nassert(a == 0);\n}\n"
    return program("assertion.tpl", source, ("x",), {"p": (), "q": (Load("a", Ref("x"), RLX), check)})


def failing_assertion() -> CheckResult:
    return result(
        asserting_program(),
        Robust("all reachable states"),
        assertions=Answer.FAIL,
        assertion_witness=assertion_witness(),
    )


def robust() -> CheckResult:
    return result(asserting_program(), Robust("all reachable states"), expectation=Agreement.AGREES)


def deadlock() -> CheckResult:
    run = Execution(("l",))
    run.rmw(0, "l", 1, ACQ, line=2)
    witness = Witness(
        kind=WitnessKind.DEADLOCK,
        schedule=(Move(0, 1),),
        headline="thread q waits for l = 0 for ever: every other thread is over",
        trace=(TraceStep(0, Span(2, 1), "BCAS(l, 0, 1) succeeds", 1),),
        events=tuple(run.events),
        edges=tuple(run.edges),
        thread=1,
        span=Span(5, 1),
    )
    source = "fn p {\nlock(l);\n}\nfn q {\nwhile (l.load(acq) != 0) {}\n}\n"
    return result(
        program("deadlock.tpl", source, ("l",), {"p": (), "q": ()}),
        Robust("all reachable states"),
        deadlock=witness,
        busy_waits=(BusyWait(1, Span(5, 1), "load of l until l == 0"),),
        warnings=("the file expects: not robust under rc20, line 1; the answer is robust",),
        expectation=Agreement.DIFFERS,
    )


def unknown() -> CheckResult:
    return result(
        sb_program(),
        Unknown("the time limit of 10 s was reached after 1234 states, at depth 17"),
        assertions=Answer.UNKNOWN,
        races=Answer.UNKNOWN,
    )


def big(threads: int = 3, events: int = 30, seed: int = 1) -> CheckResult:
    """A long random execution that ends in a stale read."""
    dice = random.Random(seed)
    names = ("x", "y", "lock", "turn")
    run = Execution(names)
    for line in range(2, events + 1):
        thread, name, value = dice.randrange(threads), dice.choice(names), dice.randrange(1, 8)
        match dice.randrange(8):
            case 0 | 1 | 2:
                run.write(thread, name, value, dice.choice((RLX, REL)), line)
            case 3:
                run.rmw(thread, name, value, line=line)
            case 4:
                run.fence(thread, FenceKind.SEQ_CST, line)
            case 5:
                run.read(thread, name, ACQ, line, kind="R*")
            case _:
                run.read(thread, name, dice.choice((RLX, ACQ)), line)
    knows = max(run.last, key=lambda thread: run.last[thread])
    run.read((knows + 1) % threads, names[0], RLX, events + 1, nth=0)
    witness = replace(
        sb_witness(),
        events=tuple(run.events),
        edges=tuple(run.edges),
        cycle=run.cycle(),
        thread=run.events[-1].thread,
        trace=tuple(
            TraceStep(event.thread, event.span, f"{event.label.kind} of event {event.number}", event.number)
            for event in run.events
            if event.thread is not None
        ),
    )
    subject = program("big.tpl", "", names, {f"worker{number}": () for number in range(threads)})
    return result(subject, NotRobust(witness))


def delayed() -> CheckResult:
    """Store buffering as TSO shows it: the schedule ends with a store still delayed."""
    result = sb()
    assert isinstance(result.verdict, NotRobust)
    witness = result.verdict.witness
    schedule = (Move(0, 2, delays=True), Move(1, 1), Move(1, 1))
    shown = replace(witness, kind=WitnessKind.CYCLE, schedule=schedule, attack=Attack(0, 0, 1, (0, 1)))
    return replace(result, model="tso", verdict=NotRobust(shown))


EVERY = {
    "robust": robust,
    "sb": sb,
    "delayed": delayed,
    "mp": mp,
    "iriw": iriw,
    "race": race,
    "assertion": failing_assertion,
    "deadlock": deadlock,
    "unknown": unknown,
    "big": big,
}
