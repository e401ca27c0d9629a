"""What it may mean that a program behaves under a weak model as it does under a stronger one."""

from __future__ import annotations

from enum import Enum


class Notion(Enum):
    """What must agree: every execution graph, or only what the program can observe of it (Def 4.1 and 4.9 of RC20)."""

    ROBUST = "robust"
    OBSERVATIONAL = "observational"
