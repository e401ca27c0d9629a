"""How accesses, values and places are named to people."""

from __future__ import annotations

import os
import re

from .results import Event
from .symbols import Frame

_WHAT = {
    "load": "load",
    "store": "store",
    "rmw": "read-modify-write",
    "cas": "compare-and-swap",
    "cas_weak": "compare-and-swap (weak)",
    "wait": "wait",
    "bcas": "blocking compare-and-swap",
    "fence": "fence",
    "read": "plain read",
    "write": "plain write",
}
_WRITES = frozenset(("store", "rmw", "cas", "cas_weak", "bcas", "write"))
_READS = frozenset(("load", "rmw", "cas", "cas_weak", "bcas", "wait", "read"))


def writes(event: Event) -> bool:
    return event.what in _WRITES


def reads(event: Event) -> bool:
    return event.what in _READS


def what(event: Event) -> str:
    """`acquire load`, `plain write`."""
    noun = _WHAT.get(event.what, event.what or "access")
    return noun if event.order in ("", "plain") or event.what in ("read", "write") else f"{event.order} {noun}"


def place(event: Event) -> str:
    """`queue.c:17 (push)`, or what is known of it."""
    return "an unknown place" if event.frame is None else where(event.frame)


def where(frame: Frame) -> str:
    function = short_function(frame.function)
    if not frame.is_known:
        return function
    return f"{source(frame)} ({function})" if function not in ("", "??") else source(frame)


def source(frame: Frame) -> str:
    """`queue.c:17`, the path as seen from here if that is shorter."""
    return f"{short_path(frame.file)}:{frame.line}"


def short_path(path: str) -> str:
    if not os.path.isabs(path):
        return path
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir + os.sep + os.pardir) or len(relative) > len(path) else relative


def short_function(name: str) -> str:
    """Without its parameters, and template arguments cut when they are long."""
    name = re.sub(r" ?\[clone [^\]]*\]", "", name)
    if name.endswith(")") or name.endswith(") const"):
        depth = 0
        for index in range(len(name) - 1, -1, -1):
            depth += (name[index] == ")") - (name[index] == "(")
            if depth == 0 and name[index] == "(":
                name = name[:index] or name
                break
    while len(name) > 60 and "<" in name:
        shorter = re.sub(r"<[^<>]*>", "\0", name)
        if shorter == name:
            break
        name = shorter
    return name.replace("\0", "<..>") if len(name) <= 200 else name.replace("\0", "<..>")[:197] + "..."


def thread(event: Event) -> str:
    if event.thread is None:
        return "another thread"
    return "the main thread" if event.thread == 0 else f"thread {event.thread}"


def value(event: Event | None) -> str | None:
    """In decimal where that is what people would write."""
    if event is None or event.value is None:
        return None
    try:
        number = int(event.value, 0)
    except ValueError:
        return event.value
    bits = 8 * (event.size or 8)
    if number >> (bits - 1) == 1 and (1 << bits) - number <= 1 << 16:
        return str(number - (1 << bits))
    return str(number) if number < 1 << 20 else hex(number)
