"""The runtime's log, one JSON object a line (runtime/PROTOCOL.md), as values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class LogError(Exception):
    """A line that the runtime would not have written."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Somewhere in the code of a module, which is the path of a program or a library."""

    module: str
    offset: int


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
    depth: int
    steps: int
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


Record = Start | Violation | Race | Deadlock | Trouble | End

_Object = Mapping[str, Any]


class Reader:
    """Reads lines one after the other. Numbers of modules hold until a later line gives them away again."""

    def __init__(self) -> None:
        self._modules: dict[str, str] = {}

    def read(self, line: str) -> Record | None:
        """The record of one line; None if it only introduces a module."""
        try:
            data = json.loads(line)
        except ValueError as error:
            raise LogError(f"not JSON: {error}") from None
        if not isinstance(data, dict):
            raise LogError("not an object")
        kind = data.get("type")
        if kind == "module":
            self._modules[str(data.get("id"))] = str(data.get("path", ""))
            return None
        reader = self._readers().get(kind) if isinstance(kind, str) else None
        if reader is None:
            raise LogError(f"no record has the type {kind!r}")
        try:
            return reader(data)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise LogError(f"in a record of type {kind}: {type(error).__name__}: {error}") from None

    def _readers(self) -> dict[str, Callable[[_Object], Record]]:
        return {
            "start": _start,
            "violation": self._violation,
            "benign_wait": self._benign_wait,
            "race": self._race,
            "deadlock": self._deadlock,
            "error": _trouble,
            "end": _end,
        }

    def _violation(self, data: _Object, *, benign: bool = False) -> Violation:
        stale = data.get("stale")
        return Violation(
            kind=str(data["kind"]),
            access=self._access(data["access"]),
            missed=self._access(data["missed"]),
            stale=self._access(stale) if stale else None,
            path=tuple(map(self._access, data.get("path", ()))),
            benign=benign,
            suppressed=bool(data.get("suppressed")),
            run=data.get("run"),
        )

    def _benign_wait(self, data: _Object) -> Violation:
        return self._violation(data, benign=True)

    def _race(self, data: _Object) -> Race:
        suppressed = bool(data.get("suppressed"))
        return Race(self._access(data["first"]), self._access(data["second"]), suppressed, data.get("run"))

    def _deadlock(self, data: _Object) -> Deadlock:
        threads = tuple(
            Blocked(
                thread.get("thread"),
                str(thread.get("waits_for", "")),
                thread.get("address"),
                self._stack(thread.get("stack", ())),
            )
            for thread in data["threads"]
        )
        return Deadlock(threads, data.get("run"))

    def _access(self, data: _Object) -> Access:
        return Access(
            thread=data.get("thread"),
            what=str(data.get("what", "")),
            order=str(data.get("order", "")),
            size=data.get("size"),
            address=data.get("address"),
            value=data.get("value"),
            stack=self._stack(data.get("stack", ())),
        )

    def _stack(self, items: Sequence[Sequence[Any]]) -> tuple[Place, ...]:
        return tuple(Place(self._modules.get(str(module), ""), _number(offset)) for module, offset in items)


def _start(data: _Object) -> Start:
    argv = tuple(map(str, data.get("argv", ())))
    return Start(
        pid=int(data["pid"]),
        program=str(data["program"]),
        argv=argv,
        schedule=str(data.get("schedule", "native")),
        seed=_optional_number(data.get("seed")),
        depth=_optional_number(data.get("depth")) or 0,
        steps=_optional_number(data.get("k")) or 0,
        version=str(data.get("version", "")),
        run=data.get("run"),
    )


def _trouble(data: _Object) -> Trouble:
    return Trouble(str(data["message"]), data.get("run"))


def _end(data: _Object) -> End:
    counts = {key: value for key, value in data.items() if isinstance(value, (int, float)) and key not in ("run",)}
    return End(data.get("status"), counts, data.get("run"))


def _number(value: int | str) -> int:
    return value if isinstance(value, int) else int(value, 16 if value.startswith("0x") else 10)


def _optional_number(value: int | str | None) -> int | None:
    return None if value is None else _number(value)
