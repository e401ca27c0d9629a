"""`fencepost cc` and `fencepost c++`: the user's compiler, with the instrumentation on and our runtime linked.

Build systems call this thousands of times, so it imports next to nothing, and becomes the compiler (exec).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import installation
from .arguments import Request, read

USAGE = """\
usage: fencepost {verb} [--fencepost-...] ARGUMENTS OF THE COMPILER

Compiles and links as the compiler would, for the sanitizer: every access is instrumented (-fsanitize=thread), and
fencepost's runtime is linked instead of the compiler's. The header fencepost.h is found. Build systems take it as
CC="fencepost cc" CXX="fencepost c++", or, where a name must be one word, as fencepost-cc and fencepost-c++.

  --fencepost-compiler=NAME   which compiler (default: $FENCEPOST_CC or $FENCEPOST_CXX, then cc or c++ on the path)
  --fencepost-runtime=shared  link libfencepost_rt.so, not the static runtime (then plug-ins share it)
  --fencepost-verbose         print the command
  --fencepost-print-include   print the folder of fencepost.h, for builds without the sanitizer

examples:
  fencepost cc -O2 queue.c -o queue && fencepost run ./queue
  cmake -B build -DCMAKE_C_COMPILER=fencepost-cc -DCMAKE_CXX_COMPILER=fencepost-c++
  ./configure CC="fencepost cc" && make
  FENCEPOST_CXX=clang++ fencepost c++ -std=c++20 deque.cpp -o deque

Fully static programs (-static) cannot be checked: the runtime must stand before the C library.
"""

_PREFIX = "--fencepost-"
_GUARD = "FENCEPOST_IN_COMPILER"  # set for the compiler that we become: if it comes back here, it was ourselves


class WrapperError(Exception):
    """The compiler cannot be called; the message says why, `hint` what can be done."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Choice:
    """What our own options ask for, and the arguments that are left."""

    compiler: str | None
    shared_runtime: bool
    verbose: bool
    arguments: tuple[str, ...]


def main(language: str, arguments: Sequence[str]) -> int:
    """Becomes the compiler of `language`, "c" or "c++". Returns only if there is nothing to compile, or on an error."""
    if list(arguments) in ([], ["--help"], [_PREFIX + "help"]):
        print(USAGE.replace("{verb}", "c++" if language == "c++" else "cc"), end="")
        return 0
    if list(arguments) == [_PREFIX + "print-include"]:
        print(installation.INCLUDE)
        return 0
    try:
        choice = choose(arguments)
        compiler = find_compiler(language, choice.compiler, os.environ)
        os.environ[_GUARD] = "1"  # for all that is started from here on
        command = complete(compiler, choice)
    except WrapperError as error:
        print(f"fencepost: error: {error}\nhint: {error.hint}", file=sys.stderr)
        return 3
    if choice.verbose:
        import shlex

        print(shlex.join(command), file=sys.stderr, flush=True)
    os.execv(command[0], command)


def choose(arguments: Sequence[str]) -> Choice:
    compiler = None
    shared = verbose = False
    rest: list[str] = []
    for word in arguments:
        if not word.startswith(_PREFIX):
            rest.append(word)
            continue
        name, _, value = word.removeprefix(_PREFIX).partition("=")
        if name == "compiler" and value:
            compiler = value
        elif name == "runtime" and value in ("shared", "static"):
            shared = value == "shared"
        elif name == "verbose" and not value:
            verbose = True
        else:
            raise WrapperError(f"unknown option {word}", "fencepost cc --help shows those of fencepost")
    return Choice(compiler, shared, verbose, tuple(rest))


def find_compiler(language: str, chosen: str | None, environment: Mapping[str, str]) -> list[str]:
    """The compiler's words, the first an absolute path."""
    if environment.get(_GUARD):
        raise WrapperError(
            "the compiler that fencepost calls is fencepost again",
            "name the real one: --fencepost-compiler=gcc, or FENCEPOST_CC and FENCEPOST_CXX in the environment",
        )
    variable, default = ("FENCEPOST_CXX", "c++") if language == "c++" else ("FENCEPOST_CC", "cc")
    text = chosen or environment.get(variable) or default
    first, *rest = _words(text)
    for folder in [""] if "/" in first else environment.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, first)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return [os.path.abspath(path), *rest]
    raise WrapperError(
        f"there is no compiler {first}",
        f"on Debian: apt install g++ (or clang); {variable} names another one"
        if first == default
        else f"{variable} or --fencepost-compiler names the compiler",
    )


def _words(text: str) -> list[str]:
    if not any(character in text for character in " \t'\"\\"):
        return [text]
    import shlex

    return shlex.split(text) or [text]


def complete(compiler: Sequence[str], choice: Choice) -> list[str]:
    """The whole command. Ours comes before the user's, so that the user's options win."""
    request = read(choice.arguments)
    if not request.has_input:
        return [*compiler, *choice.arguments]
    clang = is_clang(compiler)
    before = ["-fsanitize=thread", "-D__FENCEPOST__=1", "-idirafter", installation.INCLUDE]
    before += ["-fno-sanitize-link-runtime", "-Wno-unused-command-line-argument"] if clang else ["-Wno-tsan"]
    if not request.has_debug_info:
        before.append("-g")
    after = _linking(request, choice.shared_runtime, clang=clang) if request.links else []
    return [*compiler, *before, *choice.arguments, *after]


def _linking(request: Request, shared_runtime: bool, *, clang: bool) -> list[str]:
    """What the linker needs: our runtime once in the program, nothing in its libraries (which find it there)."""
    neutral = [] if clang else ["-L" + installation.NO_TSAN]
    if request.static:
        raise WrapperError(
            "fully static programs cannot be checked",
            "link without -static (-static-libstdc++ and -static-libgcc are fine): the runtime must stand before libc",
        )
    if request.no_runtime:
        return neutral
    if shared_runtime:
        _require(installation.SHARED_RUNTIME)
        folder = os.path.dirname(installation.SHARED_RUNTIME)
        return [*neutral, *_to_linker(installation.SHARED_RUNTIME, "-rpath", folder), "-lpthread", "-ldl"]
    if request.shared:
        return [*neutral, *_to_linker("-z", "undefs")]
    _require(installation.STATIC_RUNTIME)
    archive = _to_linker("--whole-archive", installation.STATIC_RUNTIME, "--no-whole-archive")
    # Plug-ins that the program loads later call the program's runtime.
    exported = _to_linker("--export-dynamic-symbol=__tsan_*", "--export-dynamic-symbol=__fencepost_*")
    return [*neutral, *archive, *exported, "-lpthread", "-ldl"]


def _to_linker(*words: str) -> list[str]:
    """Not as inputs, which the compiler would take for sources after an -x."""
    return [part for word in words for part in ("-Xlinker", word)]


def _require(path: str) -> None:
    if not os.path.exists(path):
        raise WrapperError(installation.missing(path), "fencepost --version and the platform, in an issue, would help")


def is_clang(compiler: Sequence[str]) -> bool:
    """By the name if it tells, else by asking."""
    for word in reversed(compiler):
        name = os.path.basename(os.path.realpath(word)) if os.path.isabs(word) else word
        if "clang" in name:
            return True
        if name.split("-")[0] in ("gcc", "g++") or "-gcc" in name or "-g++" in name:
            return False
    import subprocess

    command = [*compiler, "-dM", "-E", "-x", "c", os.devnull]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return "__clang__" in answer.stdout


def cc() -> None:
    """The installed program fencepost-cc."""
    sys.exit(main("c", sys.argv[1:]))


def cxx() -> None:
    """The installed program fencepost-c++."""
    sys.exit(main("c++", sys.argv[1:]))
