"""fencepost run: runs a program under the sanitizer, many times, and reports what is wrong with it."""

from __future__ import annotations

import argparse
import os
import shutil
from argparse import Namespace
from collections.abc import Callable

from fencepost.reports import runs as reports
from fencepost.sanitizer.campaign import STRATEGIES, Campaign, Plan
from fencepost.sanitizer.campaign import Progress as CampaignProgress
from fencepost.sanitizer.results import RunResult
from fencepost.sanitizer.server import ServerError
from fencepost.sanitizer.suppressions import SuppressionError, Suppressions
from fencepost.sanitizer.suppressions import parse as parse_suppressions
from fencepost.sanitizer.symbols import Symboliser

from .exits import FOUND, OK, UNKNOWN, UsageError
from .interrupts import Interrupts
from .output import check_writable, save, show, use_colour
from .parsing import Parser, one_of
from .progress import Progress
from .units import count, duration

_EXAMPLES = """\
examples:
  fencepost cc -O2 queue.c -o queue                     compile for the sanitizer
  fencepost run ./queue                                 100 runs, each with another schedule
  fencepost run --runs 10000 --until-violation ./queue  until something is found
  fencepost run --schedule native --runs 1 ./server -v  once, as the operating system schedules it
  fencepost run --schedule pct --depth 3 --steps 120 --seed 17 --runs 1 ./queue      a run again, as a report tells
  fencepost run --minimise ./queue                      and the shortest schedule that shows it

What stands in FENCEPOST_OPTIONS goes to the runtime (fencepost explain sanitizer-options).

exit codes: 0 nothing found, 1 something found (a violation, a data race, a deadlock, a crash, an exit code of the
program other than 0), 2 no run, or not all, came to an end, 3 usage, 4 an error of fencepost.
"""

_MOST_EXPLORED = 100_000
_MINIMISING_TIME = 10.0  # seconds, for each finding
_MOST_MINIMISED = 5


def configure(parser: Parser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("program", metavar="PROGRAM", help="compiled with fencepost cc or fencepost c++")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS", help="of the program")
    which = parser.add_argument_group("the runs")
    which.add_argument(
        "--runs", type=count, metavar="N", help="how many (default: 100; 1 with --replay; exhaustive: at most 100000)"
    )
    which.add_argument(
        "--schedule",
        type=one_of("schedule", STRATEGIES),
        default="default",
        help="who runs next: native (the operating system), random, pct, pos, default (these three in turn), or\n"
        "exhaustive: every schedule there is, of small programs",
    )
    which.add_argument(
        "--seed", type=count, default=1, metavar="S", help="of the first run; each has the next (default: 1)"
    )
    which.add_argument(
        "--depth", type=count, default=3, metavar="D", help="of pct: looks for bugs of D events (default: 3)"
    )
    which.add_argument("--steps", type=count, metavar="K", help="of pct: how long runs are (default: as they turn out)")
    which.add_argument("--jobs", type=count, default=1, metavar="J", help="runs at the same time (default: 1)")
    which.add_argument("--timeout", type=duration, default=60.0, metavar="TIME", help="of a run (default: 60 seconds)")
    which.add_argument("--until-violation", action="store_true", help="stop when something is found")
    which.add_argument("--replay", metavar="FILE", help="follow a schedule that was saved")
    which.add_argument("--minimise", action="store_true", help="shrink the schedules of findings, and save them")
    which.add_argument("--schedules", metavar="FOLDER", default=".", help="where --minimise saves (default: here)")
    check = parser.add_argument_group("the check")
    check.add_argument("--no-races", action="store_true", help="only robustness, no data races of plain accesses")
    check.add_argument(
        "--sc", type=one_of("meaning", ("rc11", "fence", "acqrel")), help="what seq_cst accesses mean (default: rc11)"
    )
    check.add_argument("--benign-waits", action="store_true", help="recognise loops that only wait, by trying")
    check.add_argument("--suppressions", metavar="FILE", help="findings not to tell: a line kind:pattern each")
    check.add_argument("--history", type=count, metavar="N", help="writes remembered per location (default: 7)")
    report = parser.add_argument_group("the report")
    report.add_argument(
        "--format", type=one_of("format", reports.FORMATS), default="text", help=f"{', '.join(reports.FORMATS)}"
    )
    report.add_argument("-o", "--output", metavar="FILE", help="write the report there")
    report.add_argument("-q", "--quiet", action="store_true", help="text: only the first line")
    report.add_argument("--show-output", action="store_true", help="let the program write to the terminal")
    report.add_argument("--log", metavar="FILE", help="keep the runtime's log, for fencepost explain")
    report.add_argument(
        "--color", type=one_of("choice", ("auto", "always", "never")), default="auto", help="auto, always, never"
    )


def run(arguments: Namespace) -> int:
    command = (_program(arguments.program), *arguments.arguments)
    suppressions = _suppressions(arguments.suppressions)
    if arguments.output is not None:
        check_writable(arguments.output)
    if arguments.replay is not None and not os.path.isfile(arguments.replay):
        raise UsageError(f"there is no schedule {arguments.replay}", "fencepost run --minimise saves some")
    if arguments.schedule == "exhaustive" and (arguments.minimise or arguments.replay is not None):
        raise UsageError(
            "--schedule exhaustive goes with neither --minimise nor --replay", "use them with another schedule"
        )
    if arguments.schedule == "exhaustive" and arguments.jobs != 1:
        raise UsageError("--schedule exhaustive runs one schedule at a time", "leave --jobs away")
    campaign = Campaign(_plan(arguments, command))
    symboliser = Symboliser()
    with Interrupts() as interrupts:
        _drive(campaign, arguments.program, interrupts)
        result = campaign.result(symboliser, suppressions)
        if arguments.minimise and result.findings and not interrupts.seen:
            with interrupts.stoppable():
                result = _minimised(campaign, result, arguments.schedules)
    deliver(result, arguments.format, arguments.output, arguments.color, quiet=arguments.quiet)
    if result.found:
        return FOUND
    return UNKNOWN if result.is_inconclusive else OK


def _drive(campaign: Campaign, name: str, interrupts: Interrupts) -> None:
    progress = Progress(name)
    try:
        with interrupts.stoppable():
            campaign.run(_shown(progress))
    except KeyboardInterrupt:
        campaign.interrupted = True
    except ServerError as error:
        raise UsageError(str(error), error.hint) from None
    finally:
        progress.clear()


def _shown(progress: Progress) -> Callable[[CampaignProgress], None]:
    def show_one(state: CampaignProgress) -> None:
        rate = state.runs / state.seconds if state.seconds > 0 else 0.0
        progress.line(f"{state.runs:,} of {state.planned:,} runs, {rate:,.0f} runs/s, {state.findings} findings")

    return show_one


def _minimised(campaign: Campaign, result: RunResult, folder: str) -> RunResult:
    from fencepost.sanitizer.shrinking import minimised

    try:
        return minimised(campaign, result, folder, _MINIMISING_TIME, _MOST_MINIMISED)
    except KeyboardInterrupt:
        return result
    except OSError as error:
        raise UsageError(f"cannot save schedules in {folder}: {error.strerror}") from None


def _plan(arguments: Namespace, command: tuple[str, ...]) -> Plan:
    replay = os.path.abspath(arguments.replay) if arguments.replay is not None else None
    return Plan(
        command=command,
        runs=arguments.runs or (1 if replay else _MOST_EXPLORED if arguments.schedule == "exhaustive" else 100),
        schedule=arguments.schedule,
        seed=arguments.seed,
        depth=arguments.depth,
        steps=arguments.steps,
        jobs=arguments.jobs,
        timeout=arguments.timeout,
        until_violation=arguments.until_violation,
        replay=replay,
        options=_options(arguments),
        catch_output=not arguments.show_output,
        log=os.path.abspath(arguments.log) if arguments.log else None,
    )


def _options(arguments: Namespace) -> dict[str, str]:
    """The user's from the environment; then those of the command line."""
    options: dict[str, str] = {}
    for word in os.environ.get("FENCEPOST_OPTIONS", "").replace(",", ":").replace(" ", ":").split(":"):
        key, equals, value = word.partition("=")
        if equals:
            options[key] = value
        elif key:
            raise UsageError(f"FENCEPOST_OPTIONS: {word!r} is not of the form key=value")
    if arguments.no_races:
        options["races"] = "0"
    if arguments.benign_waits:
        options["benign_waits"] = "1"
    if arguments.sc is not None:
        options["sc"] = arguments.sc
    if arguments.history is not None:
        options["history"] = str(arguments.history)
    return options


def _program(name: str) -> str:
    """What to execute."""
    path = name if os.sep in name else shutil.which(name)
    if path is None:
        hint = f"did you mean ./{name}?" if os.path.isfile(name) else None
        raise UsageError(f"there is no program {name}", hint)
    if not os.path.isfile(path):
        raise UsageError(f"there is no program {name}")
    if not os.access(path, os.X_OK):
        raise UsageError(f"{name} is not a program that can be run", f"if it should be: chmod +x {name}")
    return path


def _suppressions(path: str | None) -> Suppressions:
    if path is None:
        return Suppressions()
    try:
        with open(path, encoding="utf-8") as file:
            return parse_suppressions(file.read(), path)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is not text'}") from None
    except SuppressionError as error:
        raise UsageError(str(error)) from None


def deliver(result: RunResult, format: str, output: str | None, color: str, *, quiet: bool) -> None:
    """The report, to the terminal or into a file."""
    if format not in reports.FORMATS:
        raise UsageError(f"runs have no report as {format}", f"there are {', '.join(reports.FORMATS)}")
    if format == "text":
        from fencepost.reports.runs.text import render, summary
        from fencepost.reports.style import COLOUR, PLAIN

        style = COLOUR if use_colour(color, output) else PLAIN
        text = summary(result, style) + "\n" if quiet else render(result, style)
    else:
        text = reports.render(result, format)
    if output is None:
        show(text)
    else:
        save(output, text)
