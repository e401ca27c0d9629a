"""AArch64: what its instructions mean."""

from __future__ import annotations

from fencepost.program.form import Isa

from ..machine import Machine, table_of
from .accesses import accesses
from .arithmetic import arithmetic
from .atomics import atomics
from .control import control
from .operands import register

_TABLE = table_of(arithmetic(), control(), accesses(), atomics())

MACHINE = Machine(Isa.AARCH64, 64, register, _TABLE.get, lambda: _TABLE)
