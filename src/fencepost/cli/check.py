"""fencepost check: the verdict on programs."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace

from fencepost import api, reports
from fencepost.engines.options import ALL_REDUCTIONS, Reduction, SearchOptions
from fencepost.frontends import InputError
from fencepost.models.notions import Notion
from fencepost.models.registry import MODELS
from fencepost.reports.json import data
from fencepost.reports.words import safety
from fencepost.verdict.types import Answer, CheckResult, Unknown

from . import question as question_of
from .delivery import Delivery, Failed, Outcome
from .exits import FOUND, INTERNAL, OK, UNKNOWN, USAGE, UsageError, worst
from .files import gather
from .interrupts import Interrupts
from .lines import Lines, add_lines
from .parsing import Parser, one_of
from .progress import Progress
from .units import count, duration, size

_EXAMPLES = """\
examples:
  fencepost check sb.tpl                       robust against RC20?
  fencepost check --observational mp.tpl       ... as far as the program can observe
  fencepost check --model ra peterson.tpl      ... against release/acquire
  fencepost check --model armv7 --against armv8 mp.tpl    does ARMv7 add executions to those of ARMv8?
  fencepost check dekker.txt                   automata, robust against TSO?
  fencepost check --model tso dekker.tpl       ... C11 as it is compiled for x86
  fencepost check --property trf dekker.txt    ... free of triangular races?
  fencepost check --model sc peterson.tpl      only assertions and deadlocks, by plain interleaving
  fencepost check --model tso workers.tpl      for any number of threads, where it has fn worker * { .. }
  fencepost check src/ more.tpl -q             all programs in a folder, one line each
  fencepost check dekker.tpl --format svg -o dekker.svg
  fencepost check src/ --format html -o report.html   one page, to step through
  fencepost check src/ -q --lines results.jsonl       when started again, what is there is not searched again
  fencepost check big.tpl --timeout 10m --memory 8G --format json

exit codes: 0 robust and safe, 1 not robust or an assertion fails or a data race, 2 unknown, 3 bad input or usage,
4 an error of fencepost; of several files, that of the one that needs attention most.
"""

_CODES = {Answer.HOLD: OK, Answer.FAIL: FOUND, Answer.UNKNOWN: UNKNOWN}


def configure(parser: Parser) -> None:
    parser.epilog = f"{question_of.PROPERTIES}\n{_EXAMPLES}"
    parser.add_argument("files", nargs="+", metavar="FILE", help="a program, or a folder of programs")
    question = question_of.add_options(parser, ", ".join(MODELS))
    question.add_argument(
        "--against",
        type=question_of.model_name(question_of.names(), "model to compare with"),
        default="sc",
        help="the stronger model, also a .cat file (default: sc)",
    )
    question_of.add_instances(question)
    report = parser.add_argument_group("the report")
    report.add_argument(
        "--format", type=one_of("format", reports.FORMATS), default="text", help=f"{', '.join(reports.FORMATS)}"
    )
    report.add_argument("-o", "--output", metavar="FILE", help="write the report there")
    report.add_argument("-q", "--quiet", action="store_true", help="text: only the verdict of each file")
    add_lines(report)
    report.add_argument(
        "--color", type=one_of("choice", ("auto", "always", "never")), default="auto", help="auto, always, never"
    )
    search = parser.add_argument_group("the search")
    search.add_argument("--jobs", type=count, metavar="N", help="workers (default: all processors)")
    search.add_argument("--timeout", type=duration, metavar="TIME", help="per program, in seconds; or 10m, 2h")
    search.add_argument("--memory", type=size, metavar="SIZE", help="per program, such as 4G")
    search.add_argument("--max-states", type=count, metavar="N", help="per program; of executions, where they count")
    search.add_argument(
        "--unroll",
        type=count,
        default=2,
        metavar="N",
        help="where executions are enumerated (models that no search decides): how often a loop may come round "
        "(default: 2)",
    )
    search.add_argument(
        "--no-reduction",
        type=one_of("reduction", [reduction.value for reduction in Reduction]),
        action="append",
        default=[],
        metavar="NAME",
        help=f"search without it (repeatable): {', '.join(reduction.value for reduction in Reduction)}",
    )


def run(arguments: Namespace) -> int:
    files, several = gather(arguments.files)
    delivery = Delivery(arguments.format, arguments.output, arguments.color, quiet=arguments.quiet, several=several)
    options = _options(arguments)
    notion = question_of.notion_of(arguments)
    if notion is not Notion.ROBUST and arguments.against != "sc":
        raise UsageError(f"{notion.value} is a property against sc", "against other models, only robust can be asked")
    lines = Lines(arguments.lines, _question(arguments, notion))
    with Interrupts() as interrupts:
        for file in files:
            if interrupts.seen:
                break
            known = _known(lines, file)
            outcome = known or _check(file, arguments, notion, options, interrupts)
            delivery.add(outcome)
            if known is None and not isinstance(outcome, Failed) and not interrupts.seen:
                lines.add(file, data(outcome))
        delivery.finish(unchecked=len(files) - len(delivery.outcomes))
    return worst(map(_code, delivery.outcomes))


def _question(arguments: Namespace, notion: Notion) -> dict[str, object]:
    """All that an answer depends on, beside the file."""
    limits = ("timeout", "memory", "max_states", "unroll", "buffer", "values", "instances", "busy_waits")
    models = {name: question_of.fingerprint_of(getattr(arguments, name)) for name in ("model", "against")}
    return {"verb": "check", "property": notion.value, **models, **{name: getattr(arguments, name) for name in limits}}


def _known(lines: Lines, file: str) -> CheckResult | None:
    """The result for a file from an earlier run."""
    record = lines.known(file)
    if record is None:
        return None
    from fencepost.reports.saved import SavedReportError, parse

    try:
        return parse(json.dumps(record))[0]
    except SavedReportError as error:
        raise UsageError(f"{lines.path}: the result for {file} cannot be read: {error}") from None


def _options(arguments: Namespace) -> SearchOptions:
    without = frozenset(map(Reduction, arguments.no_reduction))
    return SearchOptions(
        arguments.jobs,
        arguments.timeout,
        arguments.memory,
        arguments.max_states,
        ALL_REDUCTIONS - without,
        arguments.buffer,
        arguments.unroll,
    )


def _check(file: str, arguments: Namespace, notion: Notion, options: SearchOptions, interrupts: Interrupts) -> Outcome:
    progress = Progress(file)
    try:
        program, model = question_of.load(file, arguments, notion)
        with interrupts.stoppable():
            result = api.check(
                program,
                model=model,
                against=arguments.against,
                notion=notion,
                busy_waits=arguments.busy_waits,
                instances=arguments.instances,
                options=options,
                on_progress=progress,
            )
        return replace(result, file=file)
    except InputError as error:
        return Failed(file, error)
    except KeyboardInterrupt:  # not during the search, which answers what it knows
        unknown = Unknown("interrupted before or after the search")
        return CheckResult(program, model, arguments.against, notion, unknown, file=file)
    except Exception as error:  # the other files can still be checked; Delivery says what happened
        return Failed(file, error)
    finally:
        progress.clear()


def _code(outcome: Outcome) -> int:
    if isinstance(outcome, Failed):
        return USAGE if isinstance(outcome.error, InputError) else INTERNAL
    return _CODES[safety(outcome)]
