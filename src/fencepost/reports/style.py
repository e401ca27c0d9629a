"""Colours for a terminal, or none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Style:
    """Each field is what starts that style; all empty without colours."""

    good: str = ""
    bad: str = ""
    doubt: str = ""
    strong: str = ""
    faint: str = ""

    def paint(self, start: str, text: str) -> str:
        return f"{start}{text}\x1b[0m" if start else text


PLAIN = Style()
COLOUR = Style(good="\x1b[1;32m", bad="\x1b[1;31m", doubt="\x1b[1;33m", strong="\x1b[1m", faint="\x1b[2m")
