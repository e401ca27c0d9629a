"""Command lines: argparse with messages that help, and the types of options that several verbs have."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

from .exits import UsageError
from .output import show


class Parser(argparse.ArgumentParser):
    """Raises UsageError instead of ending the process, and knows which option was meant."""

    def __init__(self, prog: str, description: str) -> None:
        super().__init__(
            prog=prog,
            description=description[:1].upper() + description[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Options may stand anywhere, unless the rest of the line belongs to another program."""
        takes_rest = any(action.nargs == argparse.REMAINDER for action in self._actions)
        return self.parse_args(arguments) if takes_rest else self.parse_intermixed_args(arguments)

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, self._hint(message))

    def _hint(self, message: str) -> str:
        unknown = re.match(r"unrecognized arguments: (-\S+)", message)
        options = [option for action in self._actions for option in action.option_strings]
        similar = nearest(unknown[1].split("=")[0], options) if unknown else None
        return similar or f"{self.prog} --help shows what it takes"

    def _print_message(self, message: str, file: object = None) -> None:
        show(message)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """A hint at the known word that is most like a wrong one."""
    from difflib import get_close_matches  # costs something to import, and is only needed when something is wrong

    found = get_close_matches(word.lower(), list(known), n=1, cutoff=0.5)
    return f"did you mean {found[0]}?" if found else None


def one_of(what: str, known: Iterable[str]) -> Callable[[str], str]:
    """The type of an option that takes one of some words."""
    words = tuple(known)

    def convert(text: str) -> str:
        if text in words:
            return text
        hint = nearest(text, words)
        raise argparse.ArgumentTypeError(
            f"there is no {what} {text!r}; known are {', '.join(words)}" + (f" ({hint})" if hint else "")
        )

    return convert
