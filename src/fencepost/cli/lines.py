"""JSON lines: a result per line, written as soon as it is there, so that a long run can be taken up again."""

from __future__ import annotations

import hashlib
import json
import os
from argparse import _ArgumentGroup
from collections.abc import Mapping
from typing import Any

from fencepost._version import __version__

from .exits import UsageError

Record = Mapping[str, Any]


def add_lines(group: _ArgumentGroup) -> None:
    group.add_argument(
        "--lines",
        metavar="FILE",
        help="write each result there as a line of JSON, as soon as it is there; what the file has already is not "
        "asked again",
    )


class Lines:
    """The file of such lines, or none. What it has about the same file, with the same content, and the same question
    is not asked again."""

    def __init__(self, path: str | None, question: Mapping[str, object]) -> None:
        self.path = path
        self._question = {"fencepost": __version__, **question}
        self._known: dict[tuple[str, str], Record] = {}
        if path is None:
            return
        if os.path.exists(path):
            self._read(path)
        try:
            with open(path, "a", encoding="utf-8"):
                pass
        except OSError as error:
            raise UsageError(f"cannot write to {path}: {error.strerror}") from None

    def _read(self, path: str) -> None:
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise UsageError(f"cannot read {path}: {reason}") from None
        whole, _, rest = text.rpartition("\n")
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                record = json.loads(line)
                question, key = record["question"], (record["file"], record["sha256"])
            except (ValueError, KeyError, TypeError):
                raise UsageError(
                    f"{path}:{number}: this is no line of such results", "name another file, or a new one"
                ) from None
            if question == self._question:
                self._known[key] = record
        if rest:  # the last line was not finished: what is written next must not follow it
            with open(path, "r+b") as binary:
                binary.truncate(len((whole + "\n").encode() if whole else b""))

    def known(self, file: str) -> Record | None:
        """The result for a file, if it is there."""
        return self._known.get((file, _digest(file))) if self._known else None

    def add(self, file: str, result: Mapping[str, Any]) -> None:
        if self.path is None:
            return
        record = {**result, "file": file, "sha256": _digest(file), "question": self._question}
        with open(self.path, "a", encoding="utf-8") as output:
            output.write(json.dumps(record) + "\n")


def _digest(file: str) -> str:
    """Of the content; a file that cannot be read has none, and its result is an error."""
    try:
        with open(file, "rb") as content:
            return hashlib.sha256(content.read()).hexdigest()
    except (OSError, ValueError):
        return ""
