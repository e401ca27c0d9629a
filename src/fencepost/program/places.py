"""How places in a source are named to people."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from .form import Access, Assert, Fence, Isa, Program, Span, Use


@dataclass(frozen=True)
class Lines:
    """The lines of a program's source."""

    program: Program

    @cached_property
    def crowded(self) -> frozenset[int]:
        """Those on which several instructions stand that a report may speak of: a line alone does not name one."""
        spans: defaultdict[int, set[Span]] = defaultdict(set)
        for thread in self.program.threads:
            for instruction in thread.code:
                if isinstance(instruction, Access | Fence | Assert | Use) and instruction.span is not None:
                    spans[instruction.span.line].add(instruction.span)
        return frozenset(line for line, found in spans.items() if len(found) > 1)

    def where(self, span: Span) -> str:
        """`line 8`, or `line 8:15` on a crowded line."""
        return f"line {self.number(span)}"

    def number(self, span: Span) -> str:
        return f"{span.line}:{span.column}" if span.line in self.crowded else str(span.line)

    def text(self, span: Span | None, code: str) -> str:
        """What to show of an instruction: its line; itself (as `code`) if there is none, or too much else on it."""
        line = self.program.source_line(span)
        if not line or span is None:
            return code
        if self.program.language == "litmus" and self.program.isa is not Isa.C11:
            return self._cell(span)
        return code if span.line in self.crowded else " ".join(line.split())

    def _cell(self, span: Span) -> str:
        """In a test for a processor, each thread has a column of its own; `;` ends a row."""
        line = (self.program.source or "").splitlines()[span.line - 1]
        start = line.rfind("|", 0, span.column) + 1
        return line[start:].partition("|")[0].partition(";")[0].strip()
