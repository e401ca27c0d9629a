"""Numbers with units, as people write them on a command line."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError

_SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_TIMES = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


def size(text: str) -> int:
    """Bytes: `4G`, `512MiB`, `1.5g`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE | re.ASCII)
    value = int(float(match[1]) * _SIZES[match[2].upper()]) if match else 0
    if value <= 0:
        raise ArgumentTypeError(f"{text!r} is not an amount of memory, like 4G or 512M")
    return value


def duration(text: str) -> float:
    """Seconds: `10`, `1.5s`, `10m`, `2h`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text.strip(), re.ASCII)
    value = float(match[1]) * _TIMES[match[2]] if match else 0.0
    if value <= 0:
        raise ArgumentTypeError(f"{text!r} is not a length of time, like 30 (seconds), 10m or 2h")
    return value


def count(text: str) -> int:
    """A positive whole number; `_` and `,` may group its digits."""
    digits = text.strip().replace("_", "").replace(",", "")
    if not re.fullmatch(r"\d+", digits, re.ASCII) or int(digits) == 0:
        raise ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(digits)
