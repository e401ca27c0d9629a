"""What it may mean that a program behaves under a weak model as it does under a stronger one."""

from __future__ import annotations

from enum import Enum


class Notion(Enum):
    """What must agree: every execution graph, or only what the program can observe of it (Def 4.1 and 4.9 of RC20);
    the control states that threads reach (thesis-robustness-tso-power-pgas, 2.6); or nothing, as long as there is no
    triangular race (Owens, ECOOP 2010), without which an execution of TSO is one of SC."""

    ROBUST = "robust"
    OBSERVATIONAL = "observational"
    STATE = "state"
    TRIANGULAR = "trf"
