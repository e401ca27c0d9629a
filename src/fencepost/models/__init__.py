"""Memory models: a reading version of each, straight from its definition, and a table of where each rule is from."""

from __future__ import annotations

from fencepost.program.form import (
    MEMORY,
    Access,
    Instruction,
    Lock,
    Program,
    Rmw,
    RmwOp,
    Span,
    StoreConditional,
    Unlock,
)


class Unsupported(Exception):  # noqa: N818 - a property of the program, not a fault of ours
    """The program has an instruction to which the model gives no meaning, or is as a whole (None) not of its kind."""

    def __init__(self, model: str, instruction: Instruction | None, reason: str) -> None:
        self.span: Span | None = None if instruction is None else instruction.span
        where = "" if self.span is None else f" at line {self.span.line}, column {self.span.column}"
        what = "this program" if instruction is None else type(instruction).__name__.lower()
        super().__init__(f"{what}{where} is not in {model}: {reason}")


def require_named_cells(model: str, program: Program) -> None:
    """Raises Unsupported if `program` has accesses that need addresses, locks or reservations."""
    for thread in program.threads:
        for instruction in thread.code:
            if isinstance(instruction, Access) and instruction.ref.location == MEMORY:
                raise Unsupported(model, instruction, "its address is computed")
            if isinstance(instruction, Lock | Unlock):
                raise Unsupported(model, instruction, "it has no locked blocks")
            if isinstance(instruction, StoreConditional):
                raise Unsupported(model, instruction, "it may fail")
            if isinstance(instruction, Rmw) and instruction.op is RmwOp.UPDATE:
                raise Unsupported(model, instruction, "it is none of the usual read-modify-writes")
