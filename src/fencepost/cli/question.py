"""The question that a command line asks: which model, which property, of which program."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from fencepost import api
from fencepost.frontends import InputError
from fencepost.models.notions import Notion
from fencepost.models.registry import CAT, MODELS, guess, named

from .exits import UsageError
from .parsing import Parser, one_of
from .units import count

if TYPE_CHECKING:
    from argparse import _ArgumentGroup

    from fencepost.program.form import Program

PROPERTIES = """\
properties (--property; `fencepost explain WORD` says more):
  robust          every execution is one of SC (default)
  observational   the program cannot tell its executions from those of SC: rc20, ra (same as --observational)
  trf             no triangular race (Owens), which is more than robust: tso
  state           threads come only to where they come under SC; store buffers may be bounded (--buffer): tso
"""


def names() -> list[str]:
    """All that models are called."""
    return [name for model in MODELS.values() for name in (model.name, *model.aliases)]


def model_name(known: Iterable[str], what: str = "model") -> Callable[[str], str]:
    """The type of an option that takes a model: one of these, or a `.cat` file. Raises InputError for that file."""
    choose = one_of(what, known)

    def convert(text: str) -> str:
        if not text.endswith(CAT):
            return choose(text)
        named(text)  # so that what is wrong with it is said before anything is done
        return text

    return convert


def fingerprint_of(model: str | None) -> str | None:
    """What results are kept under: a file's model changes with the file."""
    info = None if model is None else named(model)
    return None if info is None else info.fingerprint


def add_options(parser: Parser, models: str) -> _ArgumentGroup:
    """Those of every verb that decides something about a program. `models`: which ones it is about, for --help."""
    question = parser.add_argument_group("the question")
    question.add_argument(
        "--model",
        type=model_name(names()),
        help=f"{models}, or a .cat file (default: rc20; for a processor's instructions, its model; for automata and "
        "properties of tso alone, tso)",
    )
    words = [notion.value for notion in Notion]
    question.add_argument(
        "--property",
        type=one_of("property", words),
        metavar="|".join(words),
        help="what is to hold (default: robust; see below)",
    )
    question.add_argument("--observational", action="store_true", help="the same as --property observational")
    question.add_argument(
        "--busy-waits",
        type=one_of("treatment of busy waits", ("block", "keep")),
        metavar="block|keep",
        help="loops that only wait: block (default) treats them as blocking; keep is the default for files "
        "that announce verdicts; loops of automata are always kept",
    )
    question.add_argument(
        "--values",
        type=count,
        metavar="N",
        help="follow values up to N (and from -N on, if any is negative), in automata: where values have no bound, "
        "the default is a little more than the constants that occur",
    )
    question.add_argument(
        "--buffer",
        type=count,
        metavar="N",
        help="--property state: stores that a buffer holds at most (default: no limit without loops, 4 with)",
    )
    return question


def add_instances(question: _ArgumentGroup) -> None:
    question.add_argument(
        "--instances",
        type=count,
        metavar="N",
        help="of every thread of which any number of copies run, check with N (default: decide for any number)",
    )


def notion_of(arguments: Namespace) -> Notion:
    """The property that is asked for. Raises UsageError if the options contradict each other."""
    notion = Notion.ROBUST if arguments.property is None else Notion(arguments.property)
    if arguments.observational:
        if arguments.property not in (None, Notion.OBSERVATIONAL.value):
            raise UsageError(f"--observational and --property {arguments.property} are two different questions")
        notion = Notion.OBSERVATIONAL
    if arguments.buffer is not None and notion is not Notion.STATE:
        raise UsageError("--buffer bounds the store buffers", "it needs --property state")
    info = None if arguments.model is None else named(arguments.model)
    if info is not None and notion not in info.notions:
        raise UsageError(_not_asked(info.name, notion), _asked(info.name))
    return notion


def load(file: str, arguments: Namespace, notion: Notion) -> tuple[Program, str]:
    """The program, and the model to check it against. Raises InputError."""
    program = api.load(file)
    if arguments.values is not None:
        try:
            program = program.within(arguments.values)
        except ValueError as error:
            raise InputError(str(error), file=file) from None
    model = arguments.model or guess(program, notion)
    info = named(model)
    if info is not None and notion not in info.notions:
        raise InputError(_not_asked(info.name, notion), file=file, hint=_asked(info.name))
    return program, model


def _not_asked(model: str, notion: Notion) -> str:
    return f"{model} is not checked for the property {notion.value}"


def _asked(model: str) -> str:
    info = named(model)
    assert info is not None
    known = ", ".join(notion.value for notion in Notion if notion in info.notions)
    others = [other.name for other in MODELS.values() if other.name != model]
    return f"known for {model} are {known}; other models: {', '.join(others)}"
