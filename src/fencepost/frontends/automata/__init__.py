"""Automata text: threads as automata over an integer-addressed memory, x86-like (the input of the Trencher tool)."""

from __future__ import annotations

from pathlib import PurePath

from fencepost.program.form import Program


def parse(text: str, filename: str) -> Program:
    """The program in `text`. Raises InputError."""
    from .lower import lower
    from .parser import read

    return lower(read(text, filename), PurePath(filename).stem, filename, text)
