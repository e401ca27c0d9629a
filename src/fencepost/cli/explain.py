"""fencepost explain: what words mean, and saved reports in another format."""

from __future__ import annotations

import os
from argparse import Namespace

from fencepost import reports
from fencepost.models.registry import MODELS, find

from .exits import OK, UsageError
from .output import show
from .parsing import Parser, nearest, one_of
from .topics import TOPICS

_EXAMPLES = """\
examples:
  fencepost explain                         what can be explained
  fencepost explain observational           a notion
  fencepost explain exit-codes
  fencepost explain report.json             a saved report, to be read
  fencepost explain report.json --format svg -o report.svg
  fencepost explain queue.log               a log of the sanitizer (fencepost run --log, or log_path=queue.log)
"""


def configure(parser: Parser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("what", nargs="?", metavar="TOPIC|REPORT", help="a word, or a report saved with --format json")
    parser.add_argument(
        "--format", type=one_of("format", reports.FORMATS), default="text", help=f"{', '.join(reports.FORMATS)}"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write it there")
    parser.add_argument(
        "--color", type=one_of("choice", ("auto", "always", "never")), default="auto", help="auto, always, never"
    )


def run(arguments: Namespace) -> int:
    what: str | None = arguments.what
    if what is None:
        show(f"topics:  {', '.join(TOPICS)}\nmodels:  {', '.join(MODELS)}\nor the name of a report in JSON\n")
    elif what in TOPICS:
        show(TOPICS[what])
    elif (model := find(what)) is not None:
        from .models import describe

        show(describe(model))
    elif os.path.exists(what):
        return _report(what, arguments)
    else:
        known = (*TOPICS, *MODELS)
        raise UsageError(
            f"there is no topic, model or report {what!r}", nearest(what, known) or f"topics are {', '.join(known)}"
        )
    return OK


def _is_log(text: str) -> bool:
    """Whether it is the log of a program that ran under the sanitizer."""
    if not text.startswith('{"type"'):
        return False
    from fencepost.sanitizer.saved import is_log

    return is_log(text)


def _log(path: str, text: str, arguments: Namespace) -> int:
    from fencepost.sanitizer.records import LogError
    from fencepost.sanitizer.saved import load

    from .run import deliver

    try:
        result = load(text)
    except LogError as error:
        raise UsageError(f"{path} is not a log of the sanitizer: {error}") from None
    deliver(result, arguments.format, arguments.output, arguments.color, quiet=False)
    return OK


def _report(path: str, arguments: Namespace) -> int:
    from fencepost.reports.saved import SavedReportError, parse

    from .delivery import Delivery

    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if _is_log(text):
            return _log(path, text, arguments)
        results = parse(text)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is not text'}") from None
    except SavedReportError as error:
        raise UsageError(
            f"{path} is not a report of fencepost: {error}", "it comes from fencepost check --format json"
        ) from None
    delivery = Delivery(arguments.format, arguments.output, arguments.color, quiet=False, several=len(results) > 1)
    for result in results:
        delivery.add(result)
    delivery.finish()
    return OK
