"""Suppression files: findings that are known and not to be told again.

A line is `kind:pattern`. Kinds are those of findings (violation, race, deadlock, crash, ... or *), patterns are of the
shell (* and ?), and match a function, a source file or a module of any of the finding's stacks. `#` begins a comment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from .results import Finding, Kind
from .wording import short_function


class SuppressionError(Exception):
    """A line that says nothing."""


@dataclass(frozen=True, slots=True)
class Suppressions:
    rules: tuple[tuple[str, str], ...] = ()  # kind, pattern

    def cover(self, finding: Finding) -> bool:
        rules = [pattern for kind, pattern in self.rules if kind in ("*", finding.kind.value)]
        return bool(rules) and any(fnmatchcase(name, pattern) for pattern in rules for name in _names(finding))


def parse(text: str, name: str) -> Suppressions:
    """The rules of a file; SuppressionError names the line that is wrong."""
    rules = []
    kinds = ("*", *(kind.value for kind in Kind))
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        kind, colon, pattern = line.partition(":")
        kind, pattern = kind.strip(), pattern.strip()
        if not colon or not pattern:
            raise SuppressionError(f"{name}:{number}: expected kind:pattern, such as race:push, not {line!r}")
        if kind not in kinds:
            raise SuppressionError(f"{name}:{number}: there is no kind {kind!r}; known are {', '.join(kinds)}")
        rules.append((kind, pattern))
    return Suppressions(tuple(rules))


def _names(finding: Finding) -> Iterator[str]:
    events = [finding.access, finding.missed, *(event for event, _ in finding.threads)]
    for event in events:
        for frame in event.frames if event is not None else ():
            yield short_function(frame.function)
            yield frame.function
            if frame.file:
                yield frame.file
                yield frame.file.rpartition("/")[2]
