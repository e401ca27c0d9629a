"""Memory models: a reading version of each, straight from its definition, and a table of where each rule is from."""

from __future__ import annotations

from fencepost.program.form import Instruction, Span


class Unsupported(Exception):  # noqa: N818 - a property of the program, not a fault of ours
    """The program has an instruction to which the model gives no meaning."""

    def __init__(self, model: str, instruction: Instruction, reason: str) -> None:
        self.span: Span | None = instruction.span
        where = "" if self.span is None else f" at line {self.span.line}, column {self.span.column}"
        super().__init__(f"{type(instruction).__name__.lower()}{where} is not in {model}: {reason}")
