"""Many runs of one program: which schedules, by how many servers, until when."""

from __future__ import annotations

import selectors
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from .findings import Findings
from .results import RunResult, Setup, Totals
from .server import ForkServer, RunOutcome
from .suppressions import Suppressions
from .symbols import Symboliser

STRATEGIES = ("default", "native", "random", "pct", "pos", "exhaustive")

# By default every strategy has its turn, as none is best for all.
_ROTATION = (("pct", 2), ("pct", 3), ("pct", 4), ("pct", 5), ("pos", 0), ("random", 0))

_MOST_STEPS = 1_000_000
_GRACE = 5.0  # seconds for a server to end a run whose time is over, before we do


@dataclass(frozen=True, slots=True)
class Plan:
    """What `fencepost run` was asked for."""

    command: tuple[str, ...]
    runs: int = 100
    schedule: str = "default"
    seed: int = 1
    depth: int = 3
    steps: int | None = None  # of PCT; None: the mean of the runs so far
    jobs: int = 1
    timeout: float = 60.0  # of a run
    until_violation: bool = False
    replay: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)  # for the runtime
    catch_output: bool = True
    log: str | None = None  # where to keep the runtime's log


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a campaign has come."""

    runs: int
    planned: int
    findings: int
    seconds: float


OnProgress = Callable[[Progress], None]


class Campaign:
    """`run` may be stopped by KeyboardInterrupt; `result` then tells what is known."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.findings = Findings()
        self.interrupted = False
        self._endings: Counter[str] = Counter()
        self._runs = 0
        self._steps = 0
        self._most_threads = 0
        self._pct: Counter[int] = Counter()  # runs of PCT by depth
        self._most_steps = 0
        self._seconds = 0.0
        self._covered = False  # all schedules

    def run(self, on_progress: OnProgress | None = None) -> None:
        started = time.monotonic()
        try:
            with tempfile.TemporaryDirectory(prefix="fencepost-") as folder:
                self._drive(folder, started, on_progress)
        finally:
            self._seconds = time.monotonic() - started

    def _drive(self, folder: str, started: float, on_progress: OnProgress | None) -> None:
        """Each server has a run under way as long as there are runs to begin."""
        setups = self._setups()
        servers: list[ForkServer] = []
        deadlines: dict[ForkServer, float] = {}
        killed: set[ForkServer] = set()
        numbers = iter(range(1 << 30))
        with selectors.DefaultSelector() as selector:

            def begin(server: ForkServer | None) -> None:
                setup = next(setups, None)
                if setup is None:
                    return
                if server is None:
                    server = self._next_server(folder, next(numbers))
                    servers.append(server)
                    selector.register(server, selectors.EVENT_READ, server)
                server.begin(setup)
                deadlines[server] = time.monotonic() + self.plan.timeout + _GRACE

            try:
                for _ in range(max(1, min(self.plan.jobs, self.plan.runs))):
                    begin(None)
                while deadlines:
                    patience = max(0.0, min(deadlines.values()) - time.monotonic())
                    for key, _events in selector.select(patience):
                        server = key.data
                        outcome = server.outcome()
                        if outcome is None:
                            continue
                        del deadlines[server]
                        late = server in killed
                        killed.discard(server)
                        found = self._take(outcome, late=late)
                        if on_progress is not None:
                            seconds = time.monotonic() - started
                            on_progress(Progress(self._runs, self.plan.runs, len(self.findings), seconds))
                        if found and self.plan.until_violation:
                            return
                        if outcome.setup.schedule == "exhaustive" and self._is_over(outcome):
                            return
                        if server.is_over:
                            selector.unregister(server)
                            begin(None)
                        else:
                            begin(server)
                    for server in [one for one, end in deadlines.items() if end <= time.monotonic()]:
                        server.kill_run()
                        killed.add(server)
                        deadlines[server] = time.monotonic() + _GRACE  # should even that not help
            finally:
                for server in servers:
                    server.close()

    def _is_over(self, outcome: RunOutcome) -> bool:
        """Whether there is no schedule after that one, or none that could be gone through."""
        self._covered = outcome.is_last and outcome.ending in ("ok", "failed", "deadlock", "crashed", "redundant")
        return outcome.is_last or outcome.ending in ("diverged", "bound", "timeout")

    def server(self, folder: str, number: int, log: str | None = None) -> ForkServer:
        """Another server of the program, with the options of this campaign."""
        options = {"max_steps": str(_MOST_STEPS), "exitcode": "0", **self.plan.options}
        plan = self.plan
        return ForkServer(
            plan.command, options, folder, timeout=plan.timeout, catch_output=plan.catch_output, number=number, log=log
        )

    def _next_server(self, folder: str, number: int) -> ForkServer:
        """Logs of several servers must not mix: modules have numbers of their own in each."""
        log = self.plan.log
        return self.server(folder, number, log if log is None or number == 0 else f"{log}.{number}")

    def _take(self, outcome: RunOutcome, *, late: bool) -> bool:
        if late:
            outcome = RunOutcome(
                outcome.setup, "timeout", None, outcome.steps, outcome.threads, outcome.records, outcome.output
            )
        if outcome.ending == "redundant":  # no schedule was left but those like others
            return False
        self._runs += 1
        self._endings[outcome.ending] += 1
        self._steps += outcome.steps
        self._most_threads = max(self._most_threads, outcome.threads)
        if outcome.ending in ("ok", "failed"):
            self._most_steps = max(self._most_steps, outcome.setup.steps or outcome.steps)
        if outcome.setup.schedule == "pct":
            self._pct[outcome.setup.depth] += 1
        return self.findings.add(outcome)

    def _setups(self) -> Iterator[Setup]:
        plan = self.plan
        if plan.replay is not None:
            for number in range(plan.runs):
                yield Setup("replay", plan.seed + number, replay=plan.replay)
            return
        for number in range(plan.runs):
            schedule, depth = _ROTATION[number % len(_ROTATION)]
            if plan.schedule == "exhaustive":
                yield Setup("exhaustive", number + 1)
                continue
            if plan.schedule != "default":
                schedule, depth = plan.schedule, plan.depth if plan.schedule == "pct" else 0
            steps = plan.steps or 0 if schedule == "pct" else 0  # 0: the server knows how long runs are
            yield Setup(schedule, plan.seed + number, depth, steps)

    def result(self, symboliser: Symboliser, suppressions: Suppressions) -> RunResult:
        """What is known now."""
        findings, suppressed = self.findings.told(symboliser, suppressions)
        return RunResult(
            program=self.plan.command[0],
            arguments=self.plan.command[1:],
            schedule="replay" if self.plan.replay else self.plan.schedule,
            seed=None if self.plan.schedule == "exhaustive" else self.plan.seed,
            findings=findings,
            totals=Totals(self._runs, self._seconds, self._steps, dict(self._endings)),
            suppressed=suppressed,
            interrupted=self.interrupted,
            planned=self.plan.runs,
            covered=self._covered if self.plan.schedule == "exhaustive" else None,
            bounds=tuple(self._bounds()),
            remarks=(symboliser.trouble,) if symboliser.trouble and findings else (),
        )

    def _bounds(self) -> Iterator[str]:
        """What PCT promises (Burckhardt et al., ASPLOS 2010): a bug of depth d shows with 1 / (n k^(d-1)) or more."""
        threads, steps = self._most_threads, self._most_steps
        if not threads or not steps:
            return
        chances = []
        for depth, runs in sorted(self._pct.items()):
            chance = 1.0 / (threads * float(steps) ** (depth - 1))
            together = 1.0 - (1.0 - chance) ** runs
            chances.append(f"{together:.2g} if its depth is {depth} ({runs} runs)")
        if chances:
            yield (
                f"PCT shows a bug with a probability of at least {', '.join(chances)}; "
                f"runs had up to {threads} threads and {steps:,} steps"
            )
