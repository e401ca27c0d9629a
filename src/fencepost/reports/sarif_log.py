"""What every SARIF 2.1.0 log (OASIS) of ours has in common: one run of one tool, rules, places."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from fencepost._version import __version__

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding: what it says, and what helps."""

    id: str
    name: str
    text: str
    help: str
    level: str = "error"


def log(rules: Iterable[Rule], results: Sequence[Json], invocation: Json, properties: Json | None = None) -> str:
    """The text of a log with one run."""
    run: Json = {
        "tool": {"driver": _driver(rules)},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    if properties is not None:
        run["properties"] = properties
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _driver(rules: Iterable[Rule]) -> Json:
    return {
        "name": "fencepost",
        "fullName": "fencepost: robustness against weak memory models",
        "semanticVersion": __version__,
        "rules": [
            {
                "id": rule.id,
                "name": rule.name,
                "shortDescription": {"text": rule.text},
                "fullDescription": {"text": rule.text},
                "help": {"text": rule.help},
                "defaultConfiguration": {"level": rule.level},
                "properties": {"tags": ["concurrency", "memory-model"], "precision": "very-high"},
            }
            for rule in rules
        ],
    }


def place(path: PurePath, line: int | None, column: int | None) -> Json:
    """A physical location; a path as a URI, and a relative one stays so."""
    relative = {"uri": quote(path.as_posix()), "uriBaseId": _ROOT}
    artifact = {"uri": path.as_uri()} if path.is_absolute() else relative
    return {"artifactLocation": artifact, "region": {"startLine": line or 1, "startColumn": column or 1}}


def fingerprint(parts: Iterable[str]) -> str:
    """One short text for what makes two findings the same."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
