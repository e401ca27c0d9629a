"""Programs written in Python.

    p = ProgramBuilder("mp", max_value=1)
    x, y = p.atomic("x", "y")
    with p.thread("writer") as t:
        t.store(x, 1)
        t.store(y, 1, REL)
    with p.thread("reader") as t:
        a = t.load(y, ACQ)
        b = t.load(x)
    program = p.build()

Arguments that make no sense raise ValueError at the call that has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from .form import Location, Program
from .thread_builder import (
    ACQ,
    ACQ_REL,
    NA,
    REL,
    RLX,
    SC,
    Alternatives,
    Element,
    Shared,
    ThreadBuilder,
    check_new,
    check_range,
)
from .values import Local, Value

__all__ = [
    "ACQ",
    "ACQ_REL",
    "NA",
    "REL",
    "RLX",
    "SC",
    "Alternatives",
    "Element",
    "Local",
    "ProgramBuilder",
    "Shared",
    "ThreadBuilder",
    "Value",
]


class ProgramBuilder:
    """A program in the making: declare locations, write the threads one after the other, `build`."""

    def __init__(self, name: str, *, max_value: int = 255) -> None:
        if max_value < 0:
            raise ValueError(f"max_value is at least 0, got {max_value}")
        self._name = name
        self._max_value = max_value
        self._locations: dict[str, Location] = {}
        self._threads: dict[str, ThreadBuilder] = {}

    @overload
    def atomic(self, name: str, /, *, initial: int = 0) -> Shared: ...
    @overload
    def atomic(self, name: str, another: str, /, *more: str, initial: int = 0) -> tuple[Shared, ...]: ...
    def atomic(self, *names: str, initial: int = 0) -> Shared | tuple[Shared, ...]:
        """Declare atomic locations."""
        declared = tuple(self._declare(name, (initial,), atomic=True) for name in names)
        return declared if len(declared) > 1 else declared[0]

    @overload
    def non_atomic(self, name: str, /, *, initial: int = 0) -> Shared: ...
    @overload
    def non_atomic(self, name: str, another: str, /, *more: str, initial: int = 0) -> tuple[Shared, ...]: ...
    def non_atomic(self, *names: str, initial: int = 0) -> Shared | tuple[Shared, ...]:
        """Declare non-atomic locations."""
        declared = tuple(self._declare(name, (initial,), atomic=False) for name in names)
        return declared if len(declared) > 1 else declared[0]

    def atomic_array(self, name: str, initial: Sequence[int]) -> Shared:
        """Declare an array of atomic locations with these initial values."""
        return self._declare(name, tuple(initial), atomic=True, array=True)

    def non_atomic_array(self, name: str, initial: Sequence[int]) -> Shared:
        """Declare an array of non-atomic locations with these initial values."""
        return self._declare(name, tuple(initial), atomic=False, array=True)

    def thread(self, name: str | None = None, *, any_number: bool = False) -> ThreadBuilder:
        """A new thread, to be filled in a `with` block. `any_number`: of which any number of copies run."""
        name = f"t{len(self._threads)}" if name is None else name
        check_new(name, self._threads, "thread")
        self._threads[name] = ThreadBuilder(self, name, self._max_value, any_number=any_number)
        return self._threads[name]

    def build(self) -> Program:
        """The program. The builder may go on and build larger ones."""
        if not self._threads:
            raise ValueError("a program has at least one thread")
        threads = tuple(thread.finish() for thread in self._threads.values())
        return Program(self._name, tuple(self._locations.values()), threads, self._max_value)

    def _declare(self, name: str, initial: tuple[int, ...], *, atomic: bool, array: bool = False) -> Shared:
        check_new(name, self._locations, "location")
        if not initial:
            raise ValueError(f"the array {name!r} is empty")
        for value in initial:
            check_range(value, self._max_value)
        self._locations[name] = Location(name, initial, atomic)
        return Shared(self._locations[name], self, array)
