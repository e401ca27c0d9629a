"""What changes cost. All costs are positive and exact; the total cost of a repair is the sum.

Size: what the change adds to the program, in units of one access made acquire or release. A fence orders more than it
must and is an instruction of its own; an SC fence waits for all processors, and is dearer than the fences of both
other kinds that it contains. Frequency: the same, times how often the place is run: ten times for each loop around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from fencepost.frontends import InputError
from fencepost.program.analysis.flow import Flow
from fencepost.program.form import Program
from fencepost.program.orders import FenceKind, Order

from .edits import Edit

SIZE: Mapping[Order | FenceKind, Fraction] = {
    Order.ACQUIRE: Fraction(1),
    Order.RELEASE: Fraction(1),
    FenceKind.ACQUIRE: Fraction(2),
    FenceKind.RELEASE: Fraction(2),
    FenceKind.SEQ_CST: Fraction(5),
}
RUNS_PER_LOOP = 10

CostOf = Callable[[Edit], Fraction]


@dataclass(frozen=True, slots=True)
class Costs:
    """A cost for each edit, and what to call them."""

    name: str
    of: CostOf
    warnings: Callable[[], list[str]] = list
