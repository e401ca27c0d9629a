"""The runtime's log, one JSON object a line (runtime/PROTOCOL.md), as values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class LogError(Exception):
    """A line that the runtime would not have written."""


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere in the code of a module."""

    module: int
    offset: int


@dataclass(frozen=True, slots=True)
class Module:
    id: int
    path: str
    base: int


@dataclass(frozen=True, slots=True)
class Access:
    """What a thread did, or was about to do, to memory. What the runtime did not know is None, or an empty stack."""

    thread: int | None
    what: str  # load store rmw cas cas_weak wait bcas fence read write
    order: str  # relaxed consume acquire release acq_rel seq_cst plain
    size: int | None
    address: str | None
    value: str | None
    stack: tuple[Place, ...]

    @property
    def is_write(self) -> bool:
        return self.what in ("store", "write", "rmw", "cas", "cas_weak", "bcas")

    @property
    def is_rmw(self) -> bool:
        return self.what in ("rmw", "cas", "cas_weak", "bcas")


@dataclass(frozen=True, slots=True)
class Start:
    pid: int
    program: str
    argv: tuple[str, ...]
    schedule: str
    seed: int | None
    version: str
    run: int | None = None


@dataclass(frozen=True, slots=True)
class Violation:
    """`access` need not see `missed`, which comes first under SC by way of `path`; it may take `stale` instead."""

    kind: str  # read write wait bcas cas
    access: Access
    missed: Access
    stale: Access | None
    path: tuple[Access, ...]
    benign: bool  # confirmed as a wait loop
    suppressed: bool
    run: int | None = None


@dataclass(frozen=True, slots=True)
class Race:
    first: Access
    second: Access
    suppressed: bool
    run: int | None = None


@dataclass(frozen=True, slots=True)
class Blocked:
    """A thread of a deadlock."""

    thread: int | None
    waits_for: str
    address: str | None
    stack: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Deadlock:
    threads: tuple[Blocked, ...]
    run: int | None = None


@dataclass(frozen=True, slots=True)
class Trouble:
    """Of the tool itself, or of the program's use of threads."""

    message: str
    run: int | None = None


@dataclass(frozen=True, slots=True)
class End:
    status: int | None
    counts: Mapping[str, float]  # steps accesses locations violations races seconds
    run: int | None = None


Record = Start | Module | Violation | Race | Deadlock | Trouble | End


def parse(line: str) -> Record:
    """The record of one line."""
    try:
        data = json.loads(line)
    except ValueError as error:
        raise LogError(f"not JSON: {error}") from None
    if not isinstance(data, dict):
        raise LogError("not an object")
    kind = data.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise LogError(f"no record has the type {kind!r}")
    try:
        return reader(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LogError(f"in a record of type {kind}: {type(error).__name__}: {error}") from None


def _start(data: Mapping[str, Any]) -> Start:
    argv = tuple(map(str, data.get("argv", ())))
    return Start(
        pid=int(data["pid"]),
        program=str(data["program"]),
        argv=argv,
        schedule=str(data.get("schedule", "native")),
        seed=_optional_number(data.get("seed")),
        version=str(data.get("version", "")),
        run=data.get("run"),
    )


def _module(data: Mapping[str, Any]) -> Module:
    return Module(_number(data["id"]), str(data["path"]), _number(data["base"]))


def _violation(data: Mapping[str, Any], *, benign: bool = False) -> Violation:
    stale = data.get("stale")
    return Violation(
        kind=str(data["kind"]),
        access=access(data["access"]),
        missed=access(data["missed"]),
        stale=access(stale) if stale else None,
        path=tuple(map(access, data.get("path", ()))),
        benign=benign,
        suppressed=bool(data.get("suppressed")),
        run=data.get("run"),
    )


def _benign_wait(data: Mapping[str, Any]) -> Violation:
    return _violation(data, benign=True)


def _race(data: Mapping[str, Any]) -> Race:
    return Race(access(data["first"]), access(data["second"]), bool(data.get("suppressed")), data.get("run"))


def _deadlock(data: Mapping[str, Any]) -> Deadlock:
    threads = tuple(
        Blocked(item.get("thread"), str(item.get("waits_for", "")), item.get("address"), _stack(item.get("stack", ())))
        for item in data["threads"]
    )
    return Deadlock(threads, data.get("run"))


def _trouble(data: Mapping[str, Any]) -> Trouble:
    return Trouble(str(data["message"]), data.get("run"))


def _end(data: Mapping[str, Any]) -> End:
    counts = {key: value for key, value in data.items() if isinstance(value, (int, float)) and key not in ("run",)}
    return End(data.get("status"), counts, data.get("run"))


def access(data: Mapping[str, Any]) -> Access:
    return Access(
        thread=data.get("thread"),
        what=str(data.get("what", "store")),
        order=str(data.get("order", "")),
        size=data.get("size"),
        address=data.get("address"),
        value=data.get("value"),
        stack=_stack(data.get("stack", ())),
    )


def _stack(items: Sequence[Sequence[Any]]) -> tuple[Place, ...]:
    return tuple(Place(_number(module), _number(offset)) for module, offset in items)


def _number(value: int | str) -> int:
    return value if isinstance(value, int) else int(value, 16 if value.startswith("0x") else 10)


def _optional_number(value: int | str | None) -> int | None:
    return None if value is None else _number(value)


_READERS: dict[str, Callable[[Mapping[str, Any]], Record]] = {
    "start": _start,
    "module": _module,
    "violation": _violation,
    "benign_wait": _benign_wait,
    "race": _race,
    "deadlock": _deadlock,
    "error": _trouble,
    "end": _end,
}
