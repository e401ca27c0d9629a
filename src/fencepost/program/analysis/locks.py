"""Which places of a thread lie between a Lock and its Unlock, and what such blocks access."""

from __future__ import annotations

from ..expr import registers_of
from ..form import Access, Lock, Program, Ref, Thread, Unlock, successors, written_register


class LockError(Exception):
    """The instruction at `pc` cannot stand there, or (for a pc that is reached in two ways) what comes to it."""

    def __init__(self, pc: int, message: str) -> None:
        super().__init__(message)
        self.pc = pc


def locked_places(thread: Thread) -> tuple[bool, ...]:
    """For each pc from 0 to len(code): whether the thread holds the lock of the memory when control is there.

    Raises LockError if that depends on how control came there, for Unlock without Lock, and for Lock inside Lock.
    """
    held: list[bool | None] = [None] * (len(thread.code) + 1)
    held[0] = False
    waiting = [0]
    while waiting:
        pc = waiting.pop()
        if pc == len(thread.code):
            continue
        after = held[pc]
        match thread.code[pc]:
            case Lock():
                if after:
                    raise LockError(pc, "this lock is inside another one, which has no unlock before it")
                after = True
            case Unlock():
                if not after:
                    raise LockError(pc, "this unlock has no lock before it")
                after = False
        for target in successors(thread.code, pc):
            if held[target] is None:
                held[target] = after
                waiting.append(target)
            elif held[target] is not after:
                raise LockError(pc, "control goes on to a place that is reached both inside and outside a lock")
    return tuple(bool(place) for place in held)


def has_wide_blocks(program: Program) -> bool:
    """Whether some block between Lock and Unlock may access more than one location."""
    return any(
        _is_wide(thread, pc)
        for thread in program.threads
        for pc, instruction in enumerate(thread.code)
        if isinstance(instruction, Lock)
    )


def _is_wide(thread: Thread, lock: int) -> bool:
    """One location: all accesses name it in the same way, by registers that the block does not change."""
    refs: set[Ref] = set()
    written: set[str | None] = set()
    seen = {lock}
    waiting = [lock]
    while waiting:
        for target in successors(thread.code, waiting.pop()):
            if target in seen or target == len(thread.code) or isinstance(thread.code[target], Unlock):
                continue
            seen.add(target)
            waiting.append(target)
            instruction = thread.code[target]
            written.add(written_register(instruction))
            if isinstance(instruction, Access):
                refs.add(instruction.ref)
    return len(refs) > 1 or any(not registers_of(ref.index).isdisjoint(written) for ref in refs)
