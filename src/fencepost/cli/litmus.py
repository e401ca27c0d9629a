"""fencepost litmus: the final states of litmus tests, and what their conditions say."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace

from fencepost import api
from fencepost.engines.graphs.outcomes import Outcomes
from fencepost.models.registry import MODELS
from fencepost.reports.failure import Failure
from fencepost.reports.outcomes import data, headline, render
from fencepost.reports.style import COLOUR, PLAIN

from .enumeration import Batch, add_limits, add_report, options_of
from .exits import FOUND, OK, UNKNOWN
from .parsing import Parser
from .question import fingerprint_of, model_name

_WITH_GRAPHS = ("html", "svg")  # formats that are about them
_EXAMPLES = """\
examples:
  fencepost litmus sb.litmus                   under the model of its architecture
  fencepost litmus sb.litmus --model sc        under SC
  fencepost litmus mp.litmus --graphs          with an execution for every final state
  fencepost litmus mp.tpl --model armv8        any program: here as compiled for AArch64
  fencepost litmus mp.litmus --format html -o mp.html  the same as a page, to step through
  fencepost litmus sb.litmus --model mine.cat  under a model of your own (docs/cat.md)
  fencepost litmus spin.litmus --unroll 4      loops come round four times at most, which the answer then says
  fencepost litmus tests/ --lines results.jsonl        a folder; when started again, what is there is not run again

A final state is marked * if the proposition of the condition holds in it. Always, Sometimes, Never say in which of the
final states it does; whether the condition (exists, ~exists, forall) holds is said after it.

exit codes: 0 the condition holds, or there is none; 1 it does not; 2 not known: a limit, or a bound on loops, was
reached, or something is not supported; 3 bad input or usage, 4 an error of fencepost; of several files, that of the one
that needs attention most.
"""


def configure(parser: Parser) -> None:
    names = [name for model in MODELS.values() if model.axioms for name in (model.name, *model.aliases)]
    parser.epilog = _EXAMPLES
    parser.add_argument("files", nargs="+", metavar="FILE", help="a litmus test or other program, or a folder of them")
    question = parser.add_argument_group("the question")
    question.add_argument(
        "--model",
        type=model_name(names),
        help=f"{', '.join(model.name for model in MODELS.values() if model.axioms)} "
        "or a file in the cat language (default: that of the test's architecture)",
    )
    report = add_report(parser, "html", "svg")
    report.add_argument("--graphs", action="store_true", help="an execution for every final state")
    report.add_argument("--states", action="store_true", help="of several files, too, all final states")
    add_limits(parser)


def run(arguments: Namespace) -> int:
    options = options_of(arguments)
    graphs = arguments.graphs or arguments.format in _WITH_GRAPHS
    question = {
        "verb": "litmus",
        "model": fingerprint_of(arguments.model),
        "unroll": arguments.unroll,
        "graphs": graphs,
    }

    def answer(file: str, batch: Batch[Outcomes]) -> Outcomes:
        program = api.load(file)
        with batch.stoppable(file) as progress:
            result = api.litmus(program, model=arguments.model, graphs=graphs, options=options, on_progress=progress)
        return replace(result, file=file)

    def text(result: Outcomes, several: bool, coloured: bool) -> str:
        style = COLOUR if coloured else PLAIN
        if arguments.quiet or (several and not (arguments.states or arguments.graphs)):
            return headline(result, style) + "\n"
        return render(result, style) + ("\n" if several else "")

    batch = Batch(
        arguments,
        question,
        answer=answer,
        text=text,
        data=data,
        code=_code,
        word=_word,
        document=_picture if arguments.format == "svg" else _page,
    )
    return batch.run()


def _page(results: Sequence[Outcomes | Failure]) -> str:
    from fencepost.reports.outcomes_html import document

    return document(results)


def _picture(results: Sequence[Outcomes | Failure]) -> str:
    from fencepost.reports.outcomes_svg import render

    return "".join(render(result) for result in results if isinstance(result, Outcomes))


def _code(result: Outcomes) -> int:
    if result.unknown is not None or not result.is_certain:
        return UNKNOWN
    return FOUND if result.is_satisfied is False else OK


def _word(result: Outcomes) -> str:
    if result.unknown is not None or not result.is_certain:
        return "unknown"
    return "no condition" if result.occurrence is None else result.occurrence.value
