"""Which registers still matter."""

from __future__ import annotations

from ..expr import registers_of
from ..form import Assign, Thread, operands, successors, written_register


def live_registers(thread: Thread) -> tuple[frozenset[str], ...]:
    """For each pc from 0 to len(code): the registers whose value can still matter when control is there.

    A value matters if an instruction other than `Assign` evaluates it: memory accesses, branches, assumptions,
    assertions and uses. An `Assign` to a register that does not matter makes nothing matter ("strong" liveness).
    """
    code = thread.code
    read = [frozenset[str]().union(*map(registers_of, operands(instruction))) for instruction in code]
    written = [frozenset({written_register(instruction)} - {None}) for instruction in code]
    after = [successors(code, pc) for pc in range(len(code))]
    live: list[frozenset[str]] = [frozenset()] * (len(code) + 1)
    changed = True
    while changed:
        changed = False
        for pc in reversed(range(len(code))):
            out = frozenset[str]().union(*(live[target] for target in after[pc]))
            needed = read[pc] if not isinstance(code[pc], Assign) or written[pc] <= out else frozenset()
            before = (out - written[pc]) | needed
            if before != live[pc]:
                live[pc] = before
                changed = True
    return tuple(live)
