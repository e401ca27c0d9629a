"""fencepost print: a program in another language."""

from __future__ import annotations

from argparse import Namespace

from fencepost import api
from fencepost.frontends import InputError

from .delivery import complaint
from .exits import OK, USAGE
from .output import check_writable, complain, save, show
from .parsing import Parser, one_of

_LANGUAGES = ("automata", "tpl")


def configure(parser: Parser) -> None:
    parser.epilog = """\
examples:
  fencepost print dekker.tpl --as automata -o dekker.txt
  fencepost print dekker.txt --as tpl

exit codes: 0 printed, 3 bad input, or something in the program that the other language has no words for.
"""
    parser.add_argument("file", metavar="FILE", help="a program")
    parser.add_argument(
        "--as",
        dest="language",
        type=one_of("language", _LANGUAGES),
        default="automata",
        help=f"{', '.join(_LANGUAGES)} (default: automata)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write it there")


def run(arguments: Namespace) -> int:
    if arguments.output is not None:
        check_writable(arguments.output)
    try:
        text = _printed(arguments.file, arguments.language)
    except InputError as error:
        complain(complaint(error))
        return USAGE
    if arguments.output is not None:
        save(arguments.output, text)
    else:
        show(text)
    return OK


def _printed(file: str, language: str) -> str:
    from fencepost.frontends.automata import writer as automata
    from fencepost.frontends.tpl import writer as tpl

    program = api.load(file)
    try:
        return automata.to_automata(program) if language == "automata" else tpl.to_tpl(program)
    except (automata.NotExpressibleError, tpl.NotExpressibleError) as error:
        raise InputError(str(error), file=file) from None
