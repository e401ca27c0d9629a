"""Front ends: text in some language to a `Program`. No semantics of memory models here.

A language is one entry of `LANGUAGES`. Its parser is imported when a text in that language is met.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from fencepost.program.form import Program
from fencepost.program.source import InputError as InputError
from fencepost.program.source import read_source

if TYPE_CHECKING:
    from .patching import SourcePatcher


@dataclass(frozen=True, slots=True)
class Language:
    """A language that programs are written in."""

    name: str
    extensions: tuple[str, ...]
    sniff: Callable[[str], bool]  # does this text look like it?
    parse: Callable[[str, str], Program]  # (text, file name for messages)
    patcher: Callable[[str], SourcePatcher] | None = None  # of a text that is such a program


_TPL_START = re.compile(r"(?:\s|//.*)*(?:max_value|global|na|fn)\b")


def _sniff_tpl(text: str) -> bool:
    return _TPL_START.match(text) is not None


def _parse_tpl(text: str, filename: str) -> Program:
    from fencepost.frontends.tpl.parser import parse

    return parse(text, filename)


def _patch_tpl(text: str) -> SourcePatcher:
    from fencepost.frontends.tpl.patch import TplPatcher

    return TplPatcher(text)


_AUTOMATA_START = re.compile(
    r"(?:\s|#.*|memory_size\s+\S+)*thread\s+\S+\s+(?:\*\s+)?(?:initial|transition|final|end)\b"
)


def _sniff_automata(text: str) -> bool:
    return _AUTOMATA_START.match(text) is not None


def _parse_automata(text: str, filename: str) -> Program:
    from fencepost.frontends.automata import parse

    return parse(text, filename)


def _patch_automata(text: str) -> SourcePatcher:
    from fencepost.frontends.automata.patch import AutomataPatcher

    return AutomataPatcher(text)


_LITMUS_START = re.compile(r"\s*(?:X86|X86_64|AArch64|ARM|PPC|C)[ \t]+\S[^\n;]*\n(?s:.)*\{", re.IGNORECASE)


def _sniff_litmus(text: str) -> bool:
    return _LITMUS_START.match(text) is not None


def _parse_litmus(text: str, filename: str) -> Program:
    from fencepost.frontends.litmus.parser import parse

    return parse(text, filename)


LANGUAGES = (
    Language("tpl", (".tpl",), _sniff_tpl, _parse_tpl, _patch_tpl),
    Language("automata", (".txt",), _sniff_automata, _parse_automata, _patch_automata),
    Language("litmus", (".litmus",), _sniff_litmus, _parse_litmus),
)


def load(path: str | Path) -> Program:
    """The program in the file `path`, in the language that its extension and its content suggest."""
    return loads(read_source(path), str(path))


def loads(text: str, name: str, language: str | None = None) -> Program:
    """The program in `text`. `name` is for messages and guessing; `language` overrides the guess."""
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise InputError("the file is empty", file=name)
    return _choose(text, name, language).parse(text, name)


def patcher_of(language: str, text: str) -> SourcePatcher | None:
    """What changes programs in this language, for the program `text`; None if there is nothing for it."""
    found = next((entry for entry in LANGUAGES if entry.name == language), None)
    return None if found is None or found.patcher is None else found.patcher(text)


def _choose(text: str, name: str, language: str | None) -> Language:
    known = ", ".join(f"{entry.name} ({' '.join(entry.extensions)})" for entry in LANGUAGES)
    if language is not None:
        for entry in LANGUAGES:
            if entry.name == language:
                return entry
        raise InputError(f"there is no input language '{language}'", file=name, hint=f"known languages: {known}")
    suffix = PurePath(name).suffix.lower()
    by_extension = [entry for entry in LANGUAGES if suffix in entry.extensions]
    if len(by_extension) == 1 and suffix != ".txt":  # which says little
        return by_extension[0]
    for entry in (*by_extension, *LANGUAGES) if suffix == ".txt" else by_extension or LANGUAGES:
        if entry.sniff(text):
            return entry
    if len(by_extension) == 1:
        return by_extension[0]  # whose errors will tell what is wrong
    raise InputError("cannot tell which language this is", file=name, hint=f"known languages: {known}")
