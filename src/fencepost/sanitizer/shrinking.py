"""After a campaign: the findings again, each with the shortest schedule that was found for it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Hashable
from dataclasses import replace

from .campaign import Campaign
from .minimise import Minimiser, write
from .results import HARMLESS, Finding, RunResult
from .server import RunOutcome


def minimised(campaign: Campaign, result: RunResult, folder: str, seconds: float, most: int) -> RunResult:
    """The result with the schedules of its first `most` findings minimised and saved in `folder`."""
    os.makedirs(folder, exist_ok=True)
    findings = list(result.findings)
    wanted = [index for index, finding in enumerate(findings) if _can_be(finding)][:most]
    with tempfile.TemporaryDirectory(prefix="fencepost-") as work:
        for index in wanted:
            finding = findings[index]
            name = f"{os.path.basename(result.program)}-{index + 1}.schedule"
            findings[index] = _one(campaign, finding, work, os.path.join(folder, name), seconds)
    return replace(result, findings=tuple(findings))


def _can_be(finding: Finding) -> bool:
    return finding.kind not in HARMLESS and finding.setup.is_repeatable and finding.key is not None


def _one(campaign: Campaign, finding: Finding, work: str, target: str, seconds: float) -> Finding:
    server = campaign.server(work, 0)
    try:
        minimiser = Minimiser(server, work, _shows(campaign, finding.key), campaign.plan.timeout)
        first = minimiser.record(finding.setup)
        if first is None:
            return finding
        best = minimiser.shrink(first, seconds)
    finally:
        server.close()
    write(target, best, remark=finding.headline.encode("ascii", "replace").decode())
    return replace(finding, schedule_file=target, switches=(first.switches, best.switches))


def _shows(campaign: Campaign, key: Hashable) -> Callable[[RunOutcome], bool]:
    return lambda outcome: key in campaign.findings.keys_of(outcome)
