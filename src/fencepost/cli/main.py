"""The program `fencepost`: finds the verb, runs it, and turns all that can go wrong into a message and an exit code."""

from __future__ import annotations

import sys
from importlib import import_module

# Verb -> its module in this package, with `configure(parser)` and `run(arguments) -> exit code`, and what it does.
VERBS = {
    "check": ("check", "decide whether programs behave under a weak memory model as they do under SC"),
    "litmus": ("litmus", "enumerate what litmus tests and bounded programs may come to under a memory model"),
    "compare": (
        "compare",
        "count a program's executions under several memory models, and which of them the others lack",
    ),
    "fence": ("fence", "find the cheapest change that makes a program robust"),
    "print": ("print", "print a program in another language"),
    "cc": ("cc", "compile and link C for the sanitizer, with the C compiler's own options"),
    "c++": ("cxx", "the same for C++"),
    "run": ("run", "run a program that was compiled so, and report where it is not robust"),
    "models": ("models", "list the memory models: what is decided for each, and how far the answer holds"),
    "explain": ("explain", "say what the words in a report mean, or show a report that was saved as JSON"),
}

# The rest of their line belongs to another program, whatever it looks like.
_RAW = ("cc", "c++")

_EXAMPLES = """\
examples:
  fencepost check examples/litmus/sb.tpl           is this program robust against RC20?
  fencepost check --model ra examples/             all programs in a folder, against release/acquire
  fencepost litmus sb.litmus --model x86           its final states under x86-TSO, and what its condition says
  fencepost compare sb.tpl --models sc,x86,armv8   one table
  fencepost check peterson.tpl --format svg -o peterson.svg
  fencepost cc -O2 queue.c -o queue                compile for the sanitizer ...
  fencepost run ./queue                            ... and look for executions that SC does not have

`fencepost VERB --help` tells more about a verb, `fencepost explain` what the words mean.
"""


def entry() -> None:
    """What the installed program calls."""
    sys.exit(main(sys.argv[1:]))


def main(arguments: list[str]) -> int:
    """The exit code for a command line. What a verb needs is imported from here on, so that Ctrl-C is always caught."""
    try:
        return _guarded(arguments)
    except KeyboardInterrupt:
        return 130  # exits.INTERRUPTED, which may be what was being imported


def _guarded(arguments: list[str]) -> int:
    from .exits import INTERNAL, PIPE_CLOSED, USAGE, PipeClosedError, UsageError
    from .output import complain

    try:
        return _run(arguments)
    except UsageError as error:
        complain(f"error: {error}" + (f"\nhint: {error.hint}" if error.hint else ""))
        return USAGE
    except PipeClosedError:
        return PIPE_CLOSED
    except SystemExit as end:  # of argparse, after --help
        return end.code if isinstance(end.code, int) else 0
    except Exception as error:  # the last line of defence: nobody should have to read a stack trace
        from fencepost.frontends import InputError

        if isinstance(error, InputError):  # of an option's file; programs have been told about
            from .delivery import complaint

            complain(complaint(error))
            return USAGE
        from .failures import internal_error

        complain(internal_error(error))
        return INTERNAL


def _run(arguments: list[str]) -> int:
    from .output import show

    if not arguments or arguments[0] in ("-h", "--help", "help"):
        return _help(arguments[1:])
    first, *rest = arguments
    if first in ("-V", "--version"):
        from fencepost._version import __version__

        show(f"fencepost {__version__}\n")
        return 0
    if first not in VERBS:
        from .exits import UsageError
        from .parsing import nearest

        what = "option" if first.startswith("-") else "verb"
        raise UsageError(f"there is no {what} {first!r}", nearest(first, VERBS) or f"the verbs are {', '.join(VERBS)}")
    return run_verb(first, rest)


def _help(topics: list[str]) -> int:
    from .output import show

    if topics and topics[0] in VERBS:
        return run_verb(topics[0], ["--help"])
    width = max(map(len, VERBS))
    verbs = "".join(f"  {verb.ljust(width)}  {summary}\n" for verb, (_, summary) in VERBS.items())
    show(f"usage: fencepost VERB ...\n\nverbs:\n{verbs}\n{_EXAMPLES}")
    return 0


def run_verb(verb: str, arguments: list[str]) -> int:
    from .parsing import Parser

    name, summary = VERBS[verb]
    module = import_module(f".{name}", __package__)
    if verb in _RAW:
        return int(module.run(arguments))
    parser = Parser(f"fencepost {verb}", summary)
    module.configure(parser)
    return int(module.run(parser.parse(arguments)))
