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
    """`queue.c:17 (push)`, or what is known of it: for sentences."""
    frame = event.frame
    if frame is None:
        return "an unknown place"
    name = bare_function(frame.function)
    if not frame.is_known:
        return name
    return f"{source(frame)} ({name})" if name not in ("", "??") else source(frame)


def where(frame: Frame) -> str:
    """The same with the whole name of the function: for stacks."""
    function = short_function(frame.function)
    if not frame.is_known:
        return function
    return f"{source(frame)} ({function})" if function not in ("", "??") else source(frame)


def source(frame: Frame) -> str:
    """`queue.c:17`, the path as seen from here if that is shorter."""
    return f"{short_path(frame.file)}:{frame.line}"


def short_path(path: str) -> str:
    for folder in ("/usr/include/", "/usr/local/include/"):  # as an #include would name it
        if path.startswith(folder):
            return path.removeprefix(folder)
    if not os.path.isabs(path):
        return path
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir + os.sep + os.pardir) or len(relative) > len(path) else relative


def bare_function(name: str) -> str:
    """`push` of `bool queue<int>::push<true>(int const&)`."""
    name = _without_arguments(name)
    match = re.search(r"((?:operator[^\w\s]{1,3})|~?[\w$.+{}#]+)$", name)
    return match[1] if match else name


def short_function(name: str) -> str:
    """Without its parameters, and without template arguments when it is long."""
    name = re.sub(r" ?\[clone [^\]]*\]", "", name)
    bare = _without_parameters(name)
    return bare if len(bare) <= 60 else _cut(_without_arguments(bare))


def _cut(name: str) -> str:
    return name if len(name) <= 160 else name[:157] + "..."


def _without_parameters(name: str) -> str:
    end = len(name.removesuffix(" const"))
    if not name[:end].endswith(")") or name[:end].endswith("operator()"):
        return name[:end]
    depth = 0
    for index in range(end - 1, -1, -1):
        depth += (name[index] == ")") - (name[index] == "(")
        if depth == 0:
            return name[:index] or name
    return name


def _without_arguments(name: str) -> str:
    """Neither parameters nor template arguments."""
    name = _without_parameters(name)
    operator = re.search(r"operator\s*(<=>|<<=|>>=|<<|>>|<=|>=|->\*|->|<|>)$", name)
    tail = operator[0] if operator else ""
    name = name.removesuffix(tail)
    while (shorter := re.sub(r"<[^<>]*>", "", name)) != name:
        name = shorter
    return name + tail


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
