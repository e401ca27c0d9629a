"""Which places of a thread lie between a Lock and its Unlock."""

from __future__ import annotations

from ..form import Lock, Thread, Unlock, successors


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
