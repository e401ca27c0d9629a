"""Automata text to states and transitions: words separated by blanks, expressions in prefix notation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from fencepost.frontends import InputError
from fencepost.program.expr import Binary, Const, Expr, Reg, Unary
from fencepost.program.form import Span

BINARY = ("==", "!=", "<", "<=", ">", ">=", "&&", "||", "+", "-", "*", "&")
THREAD_WORDS = ("initial", "final", "transition", "end")
COMMANDS = ("write", "read", "local", "check", "mfence", "lock", "unlock", "noop")
SMALLEST, LARGEST = -(2**31), 2**31 - 1  # C ints
MAX_NESTING = 100
_MAX_POWER = 64

_INTEGER = re.compile(r"[+-]?[0-9]+")


class Word(NamedTuple):
    text: str
    line: int
    column: int

    @property
    def span(self) -> Span:
        return Span(self.line, self.column)


@dataclass(frozen=True, slots=True)
class Command:
    """`name` is one of COMMANDS. `register` is what read and local write; `value` also the condition of a check."""

    name: str
    word: Word
    register: str | None = None
    value: Expr | None = None
    address: Expr | None = None


@dataclass(frozen=True, slots=True)
class Transition:
    source: str
    target: str
    command: Command
    word: Word  # "transition"
    source_word: Word


@dataclass(frozen=True, slots=True)
class Automaton:
    """A thread. With several initial states it starts in any of them."""

    name: Word
    initial: tuple[str, ...]
    final: str | None
    transitions: tuple[Transition, ...]
    any_number: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    memory_size: int | None
    threads: tuple[Automaton, ...]


def read(text: str, file: str) -> Text:
    """What `text` says. Raises InputError."""
    return _Parser(text, file).program()


class _Parser:
    def __init__(self, text: str, file: str) -> None:
        self.file = file
        lines = text.splitlines()
        self.lines = lines
        self.words = list(_words(lines))
        self.end = Word("", max(len(lines), 1), len(lines[-1]) + 1 if lines else 1)
        self.at = 0

    # Words

    def peek(self) -> Word | None:
        return self.words[self.at] if self.at < len(self.words) else None

    def take(self, what: str) -> Word:
        """The next word; `what` is due."""
        if self.at == len(self.words):
            self.fail(f"expected {what}, found the end of the file", self.end)
        self.at += 1
        return self.words[self.at - 1]

    def fail(self, message: str, word: Word, hint: str | None = None) -> NoReturn:
        raise InputError(message, file=self.file, line=word.line, column=word.column, hint=hint)

    # The grammar

    def program(self) -> Text:
        memory_size: int | None = None
        threads: list[Automaton] = []
        names: dict[str, Word] = {}
        while self.peek() is not None:
            word = self.take("'thread'")
            if word.text.startswith("#"):
                while self.at < len(self.words) and self.words[self.at].line == word.line:
                    self.at += 1
            elif word.text == "memory_size":
                memory_size = self.memory_size()
            elif word.text == "thread":
                thread = self.thread()
                if thread.name.text in names:
                    self.fail(
                        f"there is already a thread '{thread.name.text}', in line {names[thread.name.text].line}",
                        thread.name,
                    )
                names[thread.name.text] = thread.name
                threads.append(thread)
            else:
                self.fail(f"expected 'thread', 'memory_size' or a comment, found '{word.text}'", word)
        if not threads:
            self.fail("expected 'thread': there is none in this file", self.end)
        return Text(memory_size, tuple(threads))

    def memory_size(self) -> int:
        word = self.take("the number of addresses after 'memory_size'")
        if not _INTEGER.fullmatch(word.text) or int(word.text) < 1:
            self.fail(f"expected the number of addresses (at least 1), found '{word.text}'", word)
        return int(word.text)

    def thread(self) -> Automaton:
        name = self.take("the thread's name")
        star = self.peek()
        any_number = star is not None and star.text == "*"  # a template: any number of copies
        if any_number:
            self.at += 1
        initial: dict[str, None] = {}
        final: Word | None = None
        transitions: list[Transition] = []
        while True:
            word = self.take("'transition', 'initial' or 'end'")
            match word.text:
                case "end":
                    break
                case "initial":
                    initial[self.take("the initial state").text] = None
                case "final":
                    if final is not None:
                        self.fail(f"thread '{name.text}' has a second 'final'", word)
                    final = self.take("the final state")
                case "transition":
                    source = self.take("the state that the transition leaves")
                    target = self.take("the state that the transition goes to")
                    transitions.append(Transition(source.text, target.text, self.command(), word, source))
                case _:
                    hint = "comments stand outside threads" if word.text.startswith("#") else None
                    self.fail(f"expected 'transition', 'initial', 'final' or 'end', found '{word.text}'", word, hint)
        if not initial:
            self.fail(f"expected 'initial': thread '{name.text}' does not say in which state it starts", word)
        return Automaton(name, tuple(initial), final and final.text, tuple(transitions), any_number)

    def command(self) -> Command:
        word = self.take("a command")
        match word.text:
            case "write":
                value = self.expression("the value to write", word)
                return Command("write", word, value=value, address=self.expression("the address to write to", word))
            case "read":
                register = self.register("the register to read into", word)
                return Command("read", word, register, address=self.expression("the address to read from", word))
            case "local":
                register = self.register("the register to assign to", word)
                return Command("local", word, register, self.expression("the value to assign", word))
            case "check":
                return Command("check", word, value=self.expression("the condition", word))
            case "mfence" | "lock" | "unlock" | "noop":
                return Command(word.text, word)
        self.fail(f"expected a command ({', '.join(COMMANDS)}), found '{word.text}'", word)

    def register(self, what: str, command: Word) -> str:
        word = self.operand(what, command)
        if _INTEGER.fullmatch(word.text) or word.text in (*BINARY, "!", "^"):
            self.fail(f"expected {what}, found '{word.text}'", word)
        return word.text

    def operand(self, what: str, command: Word) -> Word:
        """The next word of an expression. It may be on a later line, but not where a new transition begins."""
        word = self.take(what)
        starts_line = not self.lines[word.line - 1][: word.column - 1].strip()
        if word.line > command.line and starts_line and word.text in THREAD_WORDS:
            last = self.words[self.at - 2]
            after = Word("", last.line, last.column + len(last.text))
            self.fail(f"expected {what}, found the end of the line", after)
        return word

    def expression(self, what: str, command: Word, depth: int = 0) -> Expr:
        word = self.operand(what, command)
        if depth == MAX_NESTING:
            self.fail(f"nested too deeply: more than {MAX_NESTING} levels", word)
        if _INTEGER.fullmatch(word.text):
            value = int(word.text)
            if not SMALLEST <= value <= LARGEST:
                self.fail(f"{word.text} is not a C int ({SMALLEST} to {LARGEST})", word)
            return Const(value)
        if word.text == "!":
            return Unary("!", self.expression("the operand of '!'", command, depth + 1))
        if word.text in BINARY:
            left = self.expression(f"the first operand of '{word.text}'", command, depth + 1)
            right = self.expression(f"the second operand of '{word.text}'", command, depth + 1)
            return Binary(word.text, left, right)
        if word.text == "^":
            return self.power(word, command, depth)
        if word.text in ("=", "/", "%", "|", "~", "<<", ">>"):
            self.fail(f"expected {what}, found '{word.text}'", word, f"the operators are ! {' '.join(BINARY)}")
        if word.text[0].isdigit():
            self.fail(f"expected {what}, found '{word.text}', which is neither an integer nor a name", word)
        return Reg(word.text)

    def power(self, word: Word, command: Word, depth: int) -> Expr:
        """`^ e n`: e times itself, n times; n is a constant."""
        base = self.expression("the first operand of '^'", command, depth + 1)
        place = self.peek() or word
        exponent = self.expression("the second operand of '^'", command, depth + 1)
        if not isinstance(exponent, Const) or not 0 <= exponent.value <= _MAX_POWER:
            self.fail(f"expected a constant from 0 to {_MAX_POWER} as the second operand of '^'", place)
        result: Expr = Const(1)
        for _ in range(exponent.value):
            result = base if result == Const(1) else Binary("*", base, result)
        return result


def _words(lines: list[str]) -> Iterator[Word]:
    for number, line in enumerate(lines, start=1):
        for match in re.finditer(r"\S+", line):
            yield Word(match[0], number, match.start() + 1)
