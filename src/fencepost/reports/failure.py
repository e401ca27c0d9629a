"""What stands for a file about which there is no result, in reports on several."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Failure:
    """`is_ours`: an error of fencepost, not of the file."""

    file: str
    message: str
    line: int | None = None
    column: int | None = None
    hint: str | None = None
    is_ours: bool = False
