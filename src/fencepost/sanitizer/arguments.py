"""What a compiler's command line asks for: only as much as a wrapper must know, the rest is the compiler's business."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# Options of gcc and clang whose value is the next argument (they may also be joined to it).
_WITH_VALUE_TEXT = """
    -o -I -D -U -L -l -x -include -imacros -isystem -iquote -idirafter -isysroot -iprefix -iwithprefix
    -iwithprefixbefore -imultilib -iframework -F -framework -MF -MT -MQ -Xlinker -Xassembler -Xpreprocessor -Xclang
    -Xarch_host -mllvm -target -T -u -z -e -A -B -G -arch --param -aux-info -wrapper -dumpbase -dumpdir
    -dumpbase-ext --sysroot -ivfsoverlay -include-pch -Xanalyzer -gcc-toolchain --config -specs
"""
_WITH_VALUE = frozenset(_WITH_VALUE_TEXT.split())

# With these no program is linked.
_STOPS_EARLY = frozenset(("-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r", "--precompile", "-emit-ast"))

# With these the compiler only answers a question.
_QUERIES = ("-print-", "--print-", "-dump", "--version", "--help", "--target-help", "-###")


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a compiler."""

    has_input: bool
    links: bool
    shared: bool
    static: bool
    has_debug_info: bool  # the user has said which, even if none
    no_runtime: bool  # -nostdlib and the like: the user says what is linked


def read(arguments: Sequence[str]) -> Request:
    """The request behind the arguments, response files included."""
    options: set[str] = set()
    inputs = 0
    queries = False
    words = expanded(arguments)
    for word in words:
        if word in _WITH_VALUE:
            value = next(words, "")
            inputs += word == "-l" and bool(value)
            options.add(word)
        elif word == "-" or not word.startswith("-"):
            inputs += 1
        else:
            inputs += word.startswith("-l")
            queries = queries or (word.startswith(_QUERIES) and not word.startswith(("-dumpbase", "-dumpdir")))
            options.add(word)
    return Request(
        has_input=inputs > 0,
        links=inputs > 0 and not queries and not options & _STOPS_EARLY,
        shared=not options.isdisjoint(("-shared", "--shared")),
        static=not options.isdisjoint(("-static", "--static", "-static-pie")),
        has_debug_info=any(option.startswith(("-g", "--debug")) and option != "-gcc-toolchain" for option in options),
        no_runtime=not options.isdisjoint(("-nostdlib", "-nodefaultlibs", "-nostartfiles")),
    )


def expanded(arguments: Sequence[str], depth: int = 0) -> Iterator[str]:
    """The arguments, with those of response files in their place. What cannot be read is left to the compiler."""
    for word in arguments:
        path = word[1:]
        if not word.startswith("@") or depth > 20 or not os.path.isfile(path):
            yield word
            continue
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                inside = _split(file.read())
        except OSError:
            yield word
            continue
        yield from expanded(inside, depth + 1)


def _split(text: str) -> list[str]:
    """As gcc does it: blanks separate, quotes of either kind keep together, a backslash takes the next one as it is."""
    words: list[str] = []
    word: list[str] | None = None
    quote = ""
    characters = iter(text)
    for character in characters:
        if character == "\\":
            word = [*(word or ()), next(characters, "")]
        elif quote:
            if character == quote:
                quote = ""
            else:
                word = [*(word or ()), character]
        elif character in "'\"":
            quote = character
            word = word or []
        elif character.isspace():
            if word is not None:
                words.append("".join(word))
            word = None
        else:
            word = [*(word or ()), character]
    if word is not None:
        words.append("".join(word))
    return words
