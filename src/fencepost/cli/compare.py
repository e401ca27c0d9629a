"""fencepost compare: programs under several models, in one table."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from dataclasses import replace

from fencepost import api
from fencepost.engines.graphs.comparison import Comparison
from fencepost.models.registry import MODELS, named
from fencepost.reports.comparison import column_of, data, line, render
from fencepost.reports.style import COLOUR, PLAIN

from .enumeration import Batch, add_limits, add_report, options_of
from .exits import OK, UNKNOWN
from .parsing import Parser, nearest
from .question import fingerprint_of

_EXAMPLES = """\
examples:
  fencepost compare sb.litmus                              under all models that speak of its instructions
  fencepost compare sb.tpl --models sc,x86,armv8,power     a C11 program: as compiled for each of them
  fencepost compare tests/ --models sc,x86                 a folder: a row per test
  fencepost compare tests/ --models sc,armv8 --lines results.jsonl      when started again, it goes on

For each model: how many executions and final states the program has, what its condition says, and how many of these
executions each of the other models forbids (- if it says nothing about such instructions). No execution that M forbids:
the program is robust, and does under this model what it does under M. Of several programs, each row has the number of
executions under each model, and in brackets how many of them the first model forbids.

exit codes: 0 all rows are complete, 2 something is not known, 3 bad input or usage, 4 an error of fencepost.
"""


def configure(parser: Parser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("files", nargs="+", metavar="FILE", help="a litmus test or other program, or a folder of them")
    question = parser.add_argument_group("the question")
    known = ", ".join(model.name for model in MODELS.values() if model.axioms)
    question.add_argument(
        "--models",
        type=_models,
        default=(),
        metavar="M,M,..",
        help=f"the strongest first, of {known}, files in the cat language (default: all)",
    )
    add_report(parser)
    add_limits(parser)


def _models(text: str) -> tuple[str, ...]:
    names = []
    for word in filter(None, text.split(",")):
        model = named(word.strip())
        if model is None or not model.axioms:
            hint = nearest(word, [name for each in MODELS.values() for name in (each.name, *each.aliases)])
            raise ArgumentTypeError(f"there is no model {word!r}" + (f" ({hint})" if hint else ""))
        names.append(model.name)
    if not names:
        raise ArgumentTypeError("no model is named")
    return tuple(dict.fromkeys(names))


def run(arguments: Namespace) -> int:
    options = options_of(arguments)
    question = {"verb": "compare", "models": list(map(fingerprint_of, arguments.models)), "unroll": arguments.unroll}
    header: list[tuple[str, ...]] = []  # of the table that is being written

    def answer(file: str, batch: Batch[Comparison]) -> Comparison:
        program = api.load(file)
        with batch.stoppable(file) as progress:
            result = api.compare(program, models=arguments.models, options=options, on_progress=progress)
        return replace(result, file=file)

    def text(result: Comparison, several: bool, coloured: bool) -> str:
        if not several and not arguments.quiet:
            return render(result, COLOUR if coloured else PLAIN)
        models = tuple(row.model for row in result.rows)
        title = ""
        if header[-1:] != [models]:
            title = "  ".join(map(column_of, models)) + "\n"
            header.append(models)
        return f"{title}{line(result, models)}  {result.file}\n"

    batch = Batch(arguments, question, answer=answer, text=text, data=data, code=_code, word=_word)
    return batch.run()


def _code(result: Comparison) -> int:
    complete = all(row.unknown is None and row.open_end is None for row in result.rows)
    return OK if complete else UNKNOWN


def _word(result: Comparison) -> str:
    return "complete" if _code(result) == OK else "not complete"
