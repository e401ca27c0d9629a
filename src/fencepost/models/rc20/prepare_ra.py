"""RA is RC20 with the strongest of its access orders everywhere."""

from __future__ import annotations

from fencepost.program.form import Program

from .lower import encode, release_acquire
from .prepare import classes as classes


def prepare(program: Program) -> Program:
    return encode(release_acquire(program))
