"""fencepost fence: the cheapest change that makes a program robust."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from fencepost import api
from fencepost.engines.options import SearchOptions
from fencepost.fences.types import FenceResult, Repaired, Undecided, Unrepairable
from fencepost.fences.vocabulary import repairable_models
from fencepost.frontends import InputError
from fencepost.models.notions import Notion
from fencepost.reports import repairs
from fencepost.reports.style import COLOUR, PLAIN

from . import question as question_of
from .delivery import complaint
from .exits import FOUND, OK, UNKNOWN, USAGE, UsageError
from .interrupts import Interrupts
from .output import check_writable, complain, save, show, use_colour
from .parsing import Parser, one_of
from .progress import Progress
from .units import count, duration, size

_EXAMPLES = """\
examples:
  fencepost fence sb.tpl                       what to change, as a patch, and why
  fencepost fence sb.tpl -o fixed.tpl          write the repaired program
  fencepost fence sb.tpl --diff | patch -p0    only the patch
  fencepost fence dekker.txt -o fixed.txt      automata: the fewest mfences, for TSO
  fencepost fence --property trf dekker.txt    ... so that there is no triangular race
  fencepost fence --cost frequency queue.tpl   fences in loops cost more
  fencepost fence --cost prices.txt queue.tpl  lines: PLACE [KIND] COST, with PLACE a line or THREAD:STATE

exit codes: 0 repaired (or nothing to repair), 1 no change of this kind is enough, 2 unknown, 3 bad input or usage,
4 an error of fencepost.
"""


def configure(parser: Parser) -> None:
    parser.epilog = f"{question_of.PROPERTIES}\n{_EXAMPLES}"
    parser.add_argument("file", metavar="FILE", help="a program")
    question = question_of.add_options(parser, ", ".join(repairable_models()))
    question.add_argument(
        "--cost", default="size", metavar="size|frequency|FILE", help="what is to be least (default: size)"
    )
    question.add_argument(
        "--profile", metavar="FILE", help="with --cost frequency: lines PLACE COUNT, instead of loop depths"
    )
    question_of.add_instances(question)
    question.add_argument("--count", action="store_true", help="also count the cheapest repairs")
    report = parser.add_argument_group("the report")
    report.add_argument("-o", "--output", metavar="FILE", help="write the repaired program there")
    report.add_argument("--diff", action="store_true", help="only the patch, on standard output")
    report.add_argument(
        "--format", type=one_of("format", repairs.FORMATS), default="text", help=", ".join(repairs.FORMATS)
    )
    report.add_argument("-q", "--quiet", action="store_true", help="text: only the first line")
    report.add_argument(
        "--color", type=one_of("choice", ("auto", "always", "never")), default="auto", help="auto, always, never"
    )
    search = parser.add_argument_group("the search")
    search.add_argument(
        "--jobs", type=count, metavar="N", help="workers (default: 1, which finds the same repair every time)"
    )
    search.add_argument("--timeout", type=duration, metavar="TIME", help="altogether, in seconds; or 10m, 2h")
    search.add_argument("--memory", type=size, metavar="SIZE", help="per check, such as 4G")
    search.add_argument("--max-states", type=count, metavar="N", help="per check")


def run(arguments: Namespace) -> int:
    if arguments.profile is not None and arguments.cost != "frequency":
        raise UsageError("--profile says how often places are run", "it needs --cost frequency")
    if arguments.output is not None:
        check_writable(arguments.output)
    notion = question_of.notion_of(arguments)
    if notion is Notion.STATE:
        raise UsageError("fences are found for robustness and for triangular-race freedom, not for state-robustness")
    progress = Progress(arguments.file)
    try:
        result = _fence(arguments, notion, progress)
    except InputError as error:
        complain(complaint(error))
        return USAGE
    finally:
        progress.clear()
    _deliver(result, arguments)
    return _code(result)


def _fence(arguments: Namespace, notion: Notion, progress: Progress) -> FenceResult:
    with Interrupts() as interrupts, interrupts.stoppable():
        program, model = question_of.load(arguments.file, arguments, notion)
        result = api.fence(
            program,
            model=model,
            notion=notion,
            cost=arguments.cost,
            profile=arguments.profile,
            count=arguments.count,
            busy_waits=arguments.busy_waits,
            instances=arguments.instances,
            options=SearchOptions(arguments.jobs, arguments.timeout, arguments.memory, arguments.max_states),
            on_progress=progress,
        )
        return replace(result, file=arguments.file)


def _deliver(result: FenceResult, arguments: Namespace) -> None:
    outcome = result.outcome
    if arguments.output is not None and isinstance(outcome, Repaired):
        if outcome.text is None:
            raise UsageError(f"a program in {result.program.language} cannot be written back")
        save(arguments.output, outcome.text)
    if arguments.diff:
        show(repairs.diff(result))
        if not isinstance(outcome, Repaired):
            complain(repairs.headline(result))
        return
    style = COLOUR if use_colour(arguments.color, None) else PLAIN
    if arguments.quiet and arguments.format == "text":
        show(repairs.headline(result) + "\n")
    else:
        show(repairs.render(result, arguments.format, style))


def _code(result: FenceResult) -> int:
    return {Repaired: OK, Unrepairable: FOUND, Undecided: UNKNOWN}[type(result.outcome)]
