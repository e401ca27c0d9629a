"""TSO witnesses (thesis-robustness-tso-power-pgas, section 6.1): a schedule is run on the store-buffer machine.

A schedule says in which order threads run and from which step on the attacker's stores are delayed. The machine
executes it: other stores are flushed at once, delayed ones at the end. What comes out must have the form of Theorem
6.5, WIT-A to WIT-E, and a cyclic happens-before relation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fencepost.models.computation import Computation, Did, InvalidWitnessError
from fencepost.models.evidence import Change, Evidence, Link, Places
from fencepost.models.execution import EventId, Graph
from fencepost.models.notions import Notion
from fencepost.program.form import Choose, Program
from fencepost.program.lts import Cell

from . import traces
from .machine import Action, Machine, State

Part = tuple[int, int, tuple[int, ...], bool]  # thread, number of instructions, choices, whether its stores are delayed


def explain(
    kind: str, program: Program, run: Iterable[tuple[int, int]], thread: int, notion: Notion
) -> Evidence | None:
    """Nothing that a run under SC alone could show."""
    return None


def repairs(evidence: Evidence, cycle: tuple[Link, ...], places: Places) -> tuple[tuple[Change, ...], ...]:
    return ()


def is_hidden(cell: Cell | None) -> bool:
    return False


def computation(program: Program, schedule: Iterable[Part], notion: Notion) -> Computation:
    """The computation with this schedule. Raises InvalidWitnessError if it shows nothing."""
    run = _Run(program)
    for thread, instructions, choices, delays in schedule:
        run.part(thread, instructions, iter(choices), delays=delays)
    if run.attacker is None or run.load is None:
        raise InvalidWitnessError("no store is delayed past a load")
    store = run.state.buffers[run.attacker][0].event
    while run.state.buffers[run.attacker]:
        run.flush(run.attacker)
    graph = run.machine.trace(run.state)
    if notion is Notion.TRIANGULAR:
        return _triangular(run, graph, store)
    cycle = _cycle(graph, store, run.load)
    _require_form(run, graph, store, run.load)
    return Computation(graph, tuple(run.done), run.attacker, store, run.load, cycle)


class _Run:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.machine = Machine(program)
        self.state: State = self.machine.initial()
        self.done: list[Did] = []
        self.attacker: int | None = None
        self.load: EventId | None = None  # the attacker's last

    def part(self, thread: int, instructions: int, choices: Iterator[int], *, delays: bool) -> None:
        if delays and self.attacker is None:
            self.attacker = thread
        if delays is not (thread == self.attacker):
            raise InvalidWitnessError("more than one thread delays stores (WIT-A)")
        for _ in range(instructions):
            self.instruction(thread, choices)
            if not delays and self.state.buffers[thread]:
                self.flush(thread)

    def instruction(self, thread: int, choices: Iterator[int]) -> None:
        local = self.state.threads[thread]
        code = self.program.threads[thread].code
        choosing = 0 <= local.pc < len(code) and isinstance(code[local.pc], Choose)
        action = Action(thread, choice=next(choices, 0) if choosing else 0)
        step = next((step for step in self.machine.steps(self.state, thread) if step.choice == action.choice), None)
        after = self.machine.after(self.state, action)
        if step is None or after is None:
            name = self.program.threads[thread].name
            raise InvalidWitnessError(f"thread {name} cannot run instruction {local.pc} now")
        did = described(self.machine, self.state, action, after)
        self.done.append(did)
        if thread == self.attacker and step.label is not None and step.label.kind in ("R", "R*"):
            self.load = None if did.early else did.event
        self.state = after

    def flush(self, thread: int) -> None:
        action = Action(thread, flush=True)
        after = self.machine.after(self.state, action)
        if after is None:
            raise InvalidWitnessError("a store cannot be flushed: another thread has locked the memory")
        if thread == self.attacker:
            self.done.append(described(self.machine, self.state, action, after))
        self.state = after


def described(machine: Machine, state: State, action: Action, after: State) -> Did:
    """What happens when `action` leads from one state of the machine to the next."""
    thread = action.thread
    if action.flush:
        store = state.buffers[thread][0]
        return Did(thread, None, store.event, cell=machine.cells[store.cell], value=store.value)
    step = next(step for step in machine.steps(state, thread) if step.choice == action.choice)
    if len(after.events[thread]) == len(state.events[thread]):
        return Did(thread, step)
    source = after.events[thread][-1][1]
    early = any(store.event == source for store in state.buffers[thread])
    return Did(thread, step, EventId(thread, len(state.events[thread])), early)


def _cycle(graph: Graph, store: EventId, load: EventId) -> tuple[Link, ...]:
    """A shortest cycle of happens-before, through the attack's store and load if a shortest one goes through them."""
    cycle = traces.cycle(graph)
    if not cycle:
        raise InvalidWitnessError("happens-before has no cycle")
    starts = [place for place, link in enumerate(cycle) if link.source == store]
    return (*cycle[starts[0] :], *cycle[: starts[0]]) if starts else cycle


def _require_form(run: _Run, graph: Graph, store: EventId, load: EventId) -> None:
    """WIT-B: the load is the attacker's last step, and WIT-C: it is no early read (`described`).
    WIT-D: all that follows it, up to the first flush, happens after it. WIT-A and WIT-E hold by construction."""
    reach = traces.happens_before(graph)
    mine = [did for did in run.done if did.thread == run.attacker and did.step is not None]
    if mine[-1].event != load:
        raise InvalidWitnessError("the attacker goes on after the load (WIT-B)")
    place = next(number for number, did in enumerate(run.done) if did.event == load)
    row = reach.rows[graph.number[load]]
    for did in run.done[place + 1 :]:
        if did.step is None:
            break
        if did.event is None or graph.label(did.event).cell is None:
            continue
        if not row >> graph.number[did.event] & 1:
            raise InvalidWitnessError("something after the load does not depend on it (WIT-D)")
    if not row >> graph.number[store] & 1:
        raise InvalidWitnessError("no path of happens-before leads from the load to the store (WIT-D)")


def _triangular(run: _Run, graph: Graph, store: EventId) -> Computation:
    """After the attacker's last load, another thread writes what it has read."""
    assert run.attacker is not None
    assert run.load is not None
    read = graph.label(run.load)
    place = next(number for number, did in enumerate(run.done) if did.event == run.load)
    for did in run.done[place + 1 :]:
        label = None if did.step is None else did.step.label
        if label is None or did.event is None or did.thread == run.attacker:
            continue
        if label.cell == read.cell and label.written is not None:
            cycle = (Link(run.load, did.event, "fr"),)
            return Computation(graph, tuple(run.done), run.attacker, store, run.load, cycle, did.event)
    raise InvalidWitnessError("nothing races with the load")
