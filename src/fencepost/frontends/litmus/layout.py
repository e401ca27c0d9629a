"""The shared locations of a test, and where they are: addresses are values that no number of the test can be."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fencepost.program.form import Location

from .cursor import int_of
from .types import Type

_NUMBER = re.compile(r"\b(?:0[xX][0-9A-Fa-f]+|[0-9]+)\b")
_LOWEST = 1 << 20  # addresses start here or, if the test has larger numbers, above those
_PAGE = 1 << 12


@dataclass(slots=True)
class Place:
    """A location in the making. `type` is None if it was never declared with one."""

    name: str
    address: int
    values: tuple[int, ...]
    type: Type | None
    is_array: bool
    accessed: int | None = None  # bits of the first access, if no type says how many there are

    def size(self, word: int) -> int | None:
        """How many bits an element has, if that is known. Pointers have as many as registers."""
        if self.type is None:
            return self.accessed
        return word if self.type.pointer else self.type.bits

    def has_size(self, bits: int, word: int) -> bool:
        """Whether an access of `bits` is one of a whole element. The first access settles what no type does."""
        if self.type is None and self.accessed is None:
            self.accessed = bits
        return self.size(word) == bits

    def contains(self, value: int) -> bool:
        """Whether `value` is an address in this location."""
        return 0 <= value - self.address < self.stride * len(self.values)

    @property
    def stride(self) -> int:
        return (self.type.bits if self.type else 32) // 8


class Layout:
    """Locations get their addresses in the order in which they are met."""

    def __init__(self, text: str, word: int) -> None:
        """`text` is the whole test, `word` the width of its registers."""
        numbers = [value for found in _NUMBER.findall(text) if (value := int_of(found)) < 1 << (word - 2)]
        self._next = max(_LOWEST, 1 << max(numbers, default=0).bit_length())
        self._word = word
        self.places: dict[str, Place] = {}

    def declare(self, name: str, type: Type | None, size: int | None) -> Place:
        """The location called `name`; an array of `size` if that is a number. Declaring it again changes nothing."""
        if name in self.places:
            return self.places[name]
        place = Place(name, self._next, (0,) * (size or 1), type, size is not None)
        self._next += -(-place.stride * len(place.values) // _PAGE) * _PAGE
        self.places[name] = place
        return place

    def extend(self, place: Place, size: int) -> bool:
        """Makes a location that was met before its declaration the array that it is. Whether there is room for it."""
        place.is_array = True
        place.values = (*place.values, *(0,) * (size - len(place.values)))
        return place.stride * size <= _PAGE

    def use(self, name: str) -> Place:
        """The location called `name`, 0 at first if nothing else is known of it."""
        return self.declare(name, None, None)

    def locations(self, atomic: dict[str, bool]) -> tuple[Location, ...]:
        return tuple(
            Location(place.name, self._held(place), atomic.get(place.name, True), place.address, place.stride)
            for place in self.places.values()
        )

    def _held(self, place: Place) -> tuple[int, ...]:
        """The initial values as numbers of as many bits as the location has. Addresses stay whole."""
        bits = place.size(self._word)
        if bits is None or bits >= self._word:
            return place.values
        return tuple(value if self._is_address(value) else value % (1 << bits) for value in place.values)

    def _is_address(self, value: int) -> bool:
        return any(place.contains(value) for place in self.places.values())
