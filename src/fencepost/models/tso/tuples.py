"""Tuples as values that change."""

from __future__ import annotations

from typing import TypeVar

_T = TypeVar("_T")


def put(items: tuple[_T, ...], place: int, item: _T) -> tuple[_T, ...]:
    """`items` with `item` at `place`."""
    return (*items[:place], item, *items[place + 1 :])
