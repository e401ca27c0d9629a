"""A program with all candidate changes in it, from which every repair is cut out.

Instructions are named by their spans there (`Span(number, ORIGINAL or INSERTED)`), because spans go through all that is
done to a program before it is searched. What a search says of one repair can so be said of the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from fencepost.models.notions import Notion
from fencepost.models.registry import ModelInfo
from fencepost.program.analysis.busy_waits import block_busy_waits
from fencepost.program.analysis.rewrite import replace_instructions
from fencepost.program.form import BlockingCas, Instruction, Jump, Program, Span, Thread, Wait
from fencepost.program.orders import Order

from .editor import Edited, Editor, strengthened
from .edits import Edit, InstructionId, gathered
from .optimum import Choice

ORIGINAL, INSERTED = 1, 2
_JUMP = Span(1, 3)

Name = Span  # (number, ORIGINAL): of the thread's instructions that are no jumps. (number, INSERTED): of an edit


@dataclass(frozen=True)
class Problem:
    """`edits` are the candidates; a repair is a set of their numbers. `blocking`: busy waits are made blocking."""

    editor: Editor
    info: ModelInfo
    notion: Notion
    blocking: bool
    edits: tuple[Edit, ...]

    @cached_property
    def full(self) -> Program:
        """The program with every fence, none stronger; instructions are named by their spans."""
        edited = self.editor.apply(gathered((edit for edit in self.edits if edit.is_fence), merged=False))
        number = {
            ((edit.thread, edit.place), edit.what): index for index, edit in enumerate(self.edits) if edit.is_fence
        }
        threads = tuple(
            _named(thread, {pc: number[at] for (owner, pc), at in edited.fences.items() if owner == t})
            for t, thread in enumerate(edited.program.threads)
        )
        _require_same(self.editor.program, edited, threads)
        return replace(edited.program, threads=threads)

    @cached_property
    def name_of(self) -> dict[InstructionId, Name]:
        """What an instruction of the program is called in `full`."""
        names = {}
        for t, thread in enumerate(self.editor.program.threads):
            kept = [pc for pc, instruction in enumerate(thread.code) if not isinstance(instruction, Jump)]
            names.update({(t, pc): Span(number, ORIGINAL) for number, pc in enumerate(kept)})
        return names

    @cached_property
    def strengthening(self) -> dict[tuple[int, Name], dict[int, Order]]:
        """For each access (by thread and name) the edits that make it stronger."""
        found: dict[tuple[int, Name], dict[int, Order]] = {}
        for index, edit in enumerate(self.edits):
            if isinstance(edit.what, Order):
                found.setdefault((edit.thread, self.name_of[edit.thread, edit.pc]), {})[index] = edit.what
        return found

    def restricted(self, chosen: Choice) -> Program:
        """The program with the chosen edits, as `full` names it."""
        threads = []
        for t, thread in enumerate(self.full.threads):
            new: dict[int, tuple[Instruction, ...]] = {}
            for pc, instruction in enumerate(thread.code):
                name = instruction.span
                assert name is not None
                if name.column == INSERTED and name.line not in chosen:
                    new[pc] = ()
                elif orders := self.strengthening.get((t, name)):
                    wanted = frozenset(order for index, order in orders.items() if index in chosen)
                    new[pc] = (strengthened(instruction, wanted),)
            threads.append(replace_instructions(thread, new))
        return replace(self.full, threads=tuple(threads))

    def decided(self, chosen: Choice) -> Program:
        """The same as it is checked: with busy waits blocking, if they are to be."""
        program = self.restricted(chosen)
        return block_busy_waits(program)[0] if self.blocking else program

    def shown(self, chosen: Choice) -> Program:
        """`decided` with the places of the input, so that people can read what is said of it. New fences have none."""
        program = self.decided(chosen)
        threads = []
        for t, thread in enumerate(program.threads):
            spans = {
                name: self.editor.program.threads[t].code[pc].span
                for (owner, pc), name in self.name_of.items()
                if owner == t
            }
            code = tuple(replace(i, span=spans.get(i.span) if i.span is not None else None) for i in thread.code)
            threads.append(replace(thread, code=code))
        original = self.editor.program
        return replace(program, threads=tuple(threads), source=original.source, language=original.language)

    def waits(self, chosen: Choice) -> dict[tuple[int, Name], tuple[Instruction, ...]]:
        """What the busy waits of this repair become, by thread and name."""
        if not self.blocking:
            return {}
        before = self.restricted(chosen)
        after = block_busy_waits(before)[0]
        if before is after:
            return {}
        found: dict[tuple[int, Name], tuple[Instruction, ...]] = {}
        for t, (old, new) in enumerate(zip(before.threads, after.threads, strict=True)):
            was = {instruction.span: instruction for instruction in old.code}
            for instruction in new.code:
                name = instruction.span
                if name is not None and isinstance(instruction, Wait | BlockingCas) and was[name] != instruction:
                    found[t, name] = tuple(i for i in new.code if i.span == name)
        return found

    def full_with(self, waits: dict[tuple[int, Name], tuple[Instruction, ...]]) -> Program:
        """`full`, with these busy waits made blocking."""
        threads = []
        for t, thread in enumerate(self.full.threads):
            new = {
                pc: waits[t, instruction.span]
                for pc, instruction in enumerate(thread.code)
                if instruction.span is not None and (t, instruction.span) in waits
            }
            threads.append(replace_instructions(thread, new))
        return replace(self.full, threads=tuple(threads))

    def apply(self, chosen: Iterable[int]) -> Edited:
        """The repaired program in its own language, as it is handed out."""
        return self.editor.apply(gathered(self.edits[index] for index in sorted(chosen)))


def _named(thread: Thread, inserted: dict[int, int]) -> Thread:
    code = []
    number = 0
    for pc, instruction in enumerate(thread.code):
        if pc in inserted:
            name = Span(inserted[pc], INSERTED)
        elif isinstance(instruction, Jump):
            name = _JUMP
        else:
            name = Span(number, ORIGINAL)
            number += 1
        code.append(replace(instruction, span=name))
    return replace(thread, code=tuple(code))


def _require_same(program: Program, edited: Edited, threads: tuple[Thread, ...]) -> None:
    """That the text with fences reads as the program with fences: an error of ours if not."""
    for old, new in zip(program.threads, threads, strict=True):
        kinds = [type(instruction) for instruction in old.code if not isinstance(instruction, Jump)]
        found = [
            type(instruction)
            for instruction in new.code
            if not isinstance(instruction, Jump)
            and instruction.span is not None
            and instruction.span.column == ORIGINAL
        ]
        if kinds != found:
            raise RuntimeError(f"with fences, thread {old.name} of {program.name} reads as another program")
