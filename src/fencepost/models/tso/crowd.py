"""Any number of threads: robustness against TSO, and assertions under SC, by coverability. The version to read.

Paper: thesis-robustness-tso-power-pgas, section 6.3 (any number of threads, Theorem 6.12) and Lemma 2.8 (coverability).

A state of all instances together is a global state, which has the memory, the threads that are no templates, and the
attacker, and a multiset of members: the copies of templates, of which only the states matter, not the names. More
copies can be added at any time, so there are always enough members in the initial states; multisets leave them out.
An error needs only some members, and more of them never hinder anyone: what leads to an error is closed upwards, and
its least elements are found backwards (Abdulla, Cerans, Jonsson, Tsay, LICS 1996).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from fencepost.program.form import Program
from fencepost.program.lts import ENDED, FAILED, ThreadState

from .attacks import Goal, Instrumented, State
from .tuples import put


class Member(NamedTuple):
    template: int  # which of the templates
    thread: ThreadState
    on_path: bool


class Step(NamedTuple):
    """A member (or none: the global state itself) moves; what becomes of it may again be a member or none."""

    source: State
    mover: Member | None
    target: State | None  # None: an error
    moved: Member | None


Members = tuple[Member, ...]  # a multiset: the order does not count


@dataclass(frozen=True, slots=True)
class Coverage:
    """`attack`, `assertion`: how many copies of each template suffice for one, None if no number does."""

    attack: tuple[int, ...] | None
    assertion: tuple[int, ...] | None


def coverage(program: Program, goal: Goal = Goal.CYCLE) -> Coverage:
    """What instances of a (prepared) program with templates can come to."""
    crowd = _Crowd(program, goal)
    steps = list(crowd.possible_steps())
    attacks = [step for step in steps if step.target is None and step.source.delay is not None]
    failures = [step for step in steps if step.target is None and step.source.delay is None]
    return Coverage(crowd.backwards(steps, attacks), crowd.backwards(steps, failures))


class _Crowd:
    def __init__(self, program: Program, goal: Goal) -> None:
        """Threads: those that are no templates, then two of each template, for a member that moves and an attacker."""
        fixed = tuple(thread for thread in program.threads if not thread.any_number)
        copies = tuple(replace(program.threads[number], any_number=False) for number in program.templates)
        slots = tuple(copy for template in copies for copy in (template, template))
        self.templates = len(copies)
        self.member_slot = [len(fixed) + 2 * template for template in range(len(copies))]
        self.system = Instrumented(replace(program, threads=fixed + slots), goal)
        start = self.system.initial()
        self.entries = [Member(t, start.threads[slot], False) for t, slot in enumerate(self.member_slot)]
        for slot in range(len(fixed), len(fixed) + 2 * len(copies)):
            start = self.ended(start, slot)
        self.start = start

    def possible_steps(self) -> Iterator[Step]:
        """All steps, but some may be impossible: it is only known of single members whether they may be there."""
        there: dict[State, set[Member | None]] = {}
        onwards: dict[State, set[State]] = {}
        waiting: deque[tuple[State, Member | None]] = deque()

        def may_be(state: State, member: Member | None) -> None:
            if member not in there.setdefault(state, set()):
                there[state].add(member)
                waiting.append((state, member))

        for entry in (None, *self.entries):
            may_be(self.start, entry)
        while waiting:
            state, member = waiting.popleft()
            for after in onwards.get(state, ()):  # who was not moving is still there
                may_be(after, member)
            for step in self.steps(state, member):
                yield step
                if step.target is not None:
                    may_be(step.target, step.moved)
                    onwards.setdefault(state, set()).add(step.target)
                    for other in set(there[state]):
                        may_be(step.target, other)

    def steps(self, state: State, member: Member | None) -> Iterator[Step]:
        system = self.system
        if member is None:
            moves = [(t, after) for t in range(len(state.threads)) for after in system.moves(state, t)]
        elif system.owner(state) is not None:
            return
        else:
            slot = self.member_slot[member.template]
            inside = state._replace(threads=put(state.threads, slot, member.thread))
            if member.on_path and state.delay is not None:
                inside = inside._replace(delay=state.delay._replace(path=state.delay.path | {slot}))
            moves = [(slot, after) for after in system.moves(inside, slot)]
        for thread, after in moves:
            delay = after.delay
            if delay is not None and delay.goal and delay.load is not None and system.owner(after) is None:
                yield Step(state, member, None, None)
                continue
            if delay is None and after.threads[thread].pc == FAILED:
                yield Step(state, member, None, None)
            yield Step(state, member, *self.apart(after))

    def apart(self, state: State) -> tuple[State, Member | None]:
        """Takes the member that has moved out of the state, unless it has locked the memory or is the attacker now."""
        member = None
        for template, slot in enumerate(self.member_slot):
            thread, delay = state.threads[slot], state.delay
            if thread.pc >= 0 and self.system.locked[slot][thread.pc]:
                continue
            if delay is not None and delay.attacker == slot:
                attacker = slot + 1
                state = state._replace(
                    threads=put(state.threads, attacker, thread), delay=delay._replace(attacker=attacker)
                )
            elif 0 <= thread.pc < len(self.system.program.threads[slot].code):
                member = Member(template, thread, delay is not None and slot in delay.path)
            state = self.ended(state, slot)
        return state, member

    def ended(self, state: State, slot: int) -> State:
        registers = state.threads[slot].registers
        state = state._replace(threads=put(state.threads, slot, ThreadState(ENDED, (0,) * len(registers))))
        if state.delay is not None:
            state = state._replace(delay=state.delay._replace(path=state.delay.path - {slot}))
        return state

    def backwards(self, steps: list[Step], errors: list[Step]) -> tuple[int, ...] | None:
        """From the errors back to the start: how many members of each template the way there needs."""
        least: dict[State, list[Members]] = {}
        todo: deque[tuple[State, Members, tuple[int, ...]]] = deque()
        before: dict[State, list[Step]] = {}
        for step in steps:
            if step.target is not None:
                before.setdefault(step.target, []).append(step)

        def add(step: Step, members: Members, copies: tuple[int, ...]) -> None:
            """What must be there before `step`, if `members` must be there beside its mover."""
            if step.mover in self.entries:
                place = step.mover.template if step.mover is not None else 0
                copies = put(copies, place, copies[place] + 1)
            elif step.mover is not None:
                members = (*members, step.mover)
            known = least.setdefault(step.source, [])
            if not any(_includes(members, smaller) for smaller in known):
                known[:] = [*(larger for larger in known if not _includes(larger, members)), members]
                todo.append((step.source, members, copies))

        for error in errors:
            add(error, (), (0,) * self.templates)
        while todo:
            state, members, copies = todo.popleft()
            if state == self.start and not members:
                return copies
            for step in before.get(state, ()):
                add(step, _without(members, step.moved), copies)
        return None


def _includes(large: Members, small: Members) -> bool:
    return all(large.count(member) >= small.count(member) for member in small)


def _without(members: Members, one: Member | None) -> Members:
    if one is None or one not in members:
        return members
    place = members.index(one)
    return (*members[:place], *members[place + 1 :])
