"""SARIF: findings that are not what is fine or unknown, places, flows, and what the validator says."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import results

from fencepost.reports import document, render
from fencepost.reports.failure import Failure

VALIDATOR = "@microsoft/sarif-multitool"


def run(content: str) -> dict[str, Any]:
    log = json.loads(content)
    assert log["version"] == "2.1.0"
    (only,) = log["runs"]
    return only


def findings(content: str) -> list[dict[str, Any]]:
    return run(content)["results"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sb", [("FP1001", "fail", "error")]),
        ("race", [("FP1002", "fail", "error")]),
        ("robust", [("FP1001", "pass", "none")]),
        ("unknown", [("FP1001", "open", "none")]),
        ("failing_assertion", [("FP1001", "pass", "none"), ("FP1003", "fail", "error")]),
        ("deadlock", [("FP1001", "pass", "none"), ("FP1004", "fail", "error")]),
    ],
)
def test_what_is_wrong_fine_and_unknown_differ(name: str, expected: list[tuple[str, str, str]]) -> None:
    found = findings(render(getattr(results, name)(), "sarif"))
    assert [(each["ruleId"], each["kind"], each["level"]) for each in found] == expected


def test_a_finding_is_at_its_place_and_leads_there() -> None:
    result = replace(results.sb(), file="some folder/sb.tpl")
    (found,) = findings(render(result, "sarif"))
    witness = results.sb_witness()
    assert witness.span is not None
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "some%20folder/sb.tpl", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": witness.span.line, "startColumn": witness.span.column}
    (flow,) = found["codeFlows"][0]["threadFlows"]
    said = [step["location"]["message"]["text"] for step in flow["locations"]]
    assert [text.split(": ", 1)[1] for text in said] == [step.effect for step in witness.trace]
    assert [step["executionOrder"] for step in flow["locations"]] == list(range(1, len(said) + 1))
    assert "Why SC forbids it" in found["message"]["text"]
    assert "What would forbid this execution" in found["message"]["text"]


def test_the_fingerprint_stays_when_lines_move() -> None:
    result = results.sb()
    program = result.program
    assert program.source is not None
    (before,) = findings(render(result, "sarif"))
    (other,) = findings(render(replace(result, model="tso"), "sarif"))
    (again,) = findings(render(replace(result, file="elsewhere.tpl"), "sarif"))
    assert before["partialFingerprints"] == again["partialFingerprints"] != other["partialFingerprints"]


def test_a_file_without_an_answer_is_a_notification_and_the_run_no_success() -> None:
    whole = run(document([results.robust(), Failure("x.tpl", "expected ';'", 3, 7, "try ;")], "sarif"))
    (invocation,) = whole["invocations"]
    assert not invocation["executionSuccessful"]
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["level"] == "error"
    assert notification["message"]["text"] == "expected ';' (try ;)"
    assert notification["locations"][0]["physicalLocation"]["region"] == {"startLine": 3, "startColumn": 7}
    assert run(document([], "sarif"))["results"] == []


def test_the_validator_of_sarif_finds_nothing_wrong(tmp_path: Path) -> None:
    npx = shutil.which("npx")
    if npx is None:
        pytest.skip("npx is missing: the validator comes with npm")
    every = [replace(make(), file=f"{name}.tpl") for name, make in results.EVERY.items()]
    path = tmp_path / "report.sarif"
    path.write_text(document([*every, Failure("broken.tpl", "expected ';'", 3, 7)], "sarif"), encoding="utf-8")
    command = [npx, "--yes", VALIDATOR, "validate", "--rule-kind", '"Sarif;Ghas"', str(path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    if "npm error" in done.stderr:
        pytest.skip(f"{VALIDATOR} cannot be installed here: {done.stderr.strip().splitlines()[0]}")
    said = [line for line in done.stdout.splitlines() if ": warning " in line or ": error " in line]
    # There is no page about fencepost that SARIF2005 could be given.
    assert [line for line in said if "informationUri" not in line] == [], done.stdout
    assert "Analysis completed successfully" in done.stdout
