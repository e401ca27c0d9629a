"""Text of a `.cat` file to its tree, by recursive descent."""

from __future__ import annotations

from typing import NoReturn

from fencepost.models.axiomatic.algebra import Test

from . import syntax
from .lexer import Place, Token, tokens
from .syntax import Condition, Expression, Instruction

# Operators from the loosest to the tightest; then come * (product), ~, and what is written behind.
_LEVELS = ("|", "++", ";", "\\", "&")
_END = "end of file"
_STARTS_ARGUMENT = frozenset(("name", "tag", "0", "_", "(", "[", "{", "begin"))
_TESTS = {test.value: test for test in Test}
_ROLES = frozenset(("flag", "undefined_unless", "assert"))
_IGNORED_OPTIONS = frozenset(("withco", "withoutco", "withoutinit", "withoutsc", "catdep"))  # of the model's name
_OTHER_OPTIONS = frozenset(("withinit", "withsc"))
_MOST_NESTED = 40

_UNSUPPORTED = {
    "match": "'match' is not supported: models here do not compute with sets of sets",
    "forall": "'forall' is not supported",
    "yield": "'yield' is not supported",
    "instructions": "'instructions' belongs to bell files, which are not supported",
    "default": "'default' belongs to bell files, which are not supported",
    "debug": "'debug' is not supported",
}


def parse(text: str, file: str) -> syntax.Model:
    """Raises InputError."""
    return _Parser(list(tokens(text, file))).model(file)


class _Parser:
    def __init__(self, words: list[Token]) -> None:
        self.words = words
        self.at = 0
        self.depth = 0

    # Words

    @property
    def next(self) -> Token:
        return self.words[self.at]

    @property
    def place(self) -> Place:
        return self.next.place

    def following(self, ahead: int) -> str:
        return self.words[min(self.at + ahead, len(self.words) - 1)].kind

    def take(self) -> Token:
        token = self.next
        self.at += token.kind != _END
        return token

    def accept(self, kind: str) -> bool:
        found = self.next.kind == kind
        if found:
            self.take()
        return found

    def expect(self, kind: str, what: str) -> Token:
        if self.next.kind != kind:
            self.fail(what)
        return self.take()

    def fail(self, expected: str) -> NoReturn:
        if self.next.kind in _UNSUPPORTED:
            raise self.place.error(_UNSUPPORTED[self.next.kind], hint="docs/cat.md says what is")
        raise self.place.error(f"expected {expected}, not {self.next}")

    # Instructions

    def model(self, file: str) -> syntax.Model:
        title: list[str] = []
        while self.next.kind in ("name", "string"):
            word = self.take()
            if word.text in _OTHER_OPTIONS:
                raise word.place.error(f"the option {word} of models is not supported")
            if word.text not in _IGNORED_OPTIONS:
                title.append(word.text)
            if len(title) > 2:
                raise word.place.error(f"expected an instruction, not {word}", hint="they begin with let, acyclic, ...")
        instructions = self.instructions(_END)
        architecture = title[0] if len(title) == 2 else None
        return syntax.Model(title[-1] if title else file, architecture, instructions)

    def instructions(self, *ends: str) -> tuple[Instruction, ...]:
        found: list[Instruction] = []
        while self.next.kind not in ends:
            made = self.instruction()
            if made is not None:
                found.append(made)
        return tuple(found)

    def instruction(self) -> Instruction | None:
        place = self.place
        match self.next.kind:
            case "let":
                made = self.let()
                self.accept("in")
                return made
            case "include":
                self.take()
                return syntax.Include(place, self.expect("string", 'the name of a file, as in include "cos.cat"').text)
            case "show" | "unshow":
                self.take()
                self.shown()
                return None
            case "procedure":
                return self.procedure()
            case "call":
                self.take()
                name = self.expect("name", "the name of a procedure").text
                arguments = self.argument()
                if self.accept("as"):
                    self.expect("name", "a name")
                return syntax.Call(place, name, arguments)
            case "with":
                self.take()
                name = self.expect("name", "a name").text
                self.expect("from", "'from'")
                return syntax.WithFrom(place, name, self.expression())
            case "if":
                return self.choice()
            case "enum":
                return self.enum()
            case "~" | "acyclic" | "irreflexive" | "empty" | "flag" | "undefined_unless" | "assert":
                return self.check()
        self.fail("an instruction (let, acyclic, irreflexive, empty, include, show, procedure, call, with)")

    def let(self) -> syntax.Let:
        place = self.take().place
        recursive = self.accept("rec")
        bindings = [self.binding()]
        while self.accept("and"):
            bindings.append(self.binding())
        if self.next.kind == "when":
            raise self.place.error("'let rec ... when' is not supported")
        return syntax.Let(place, tuple(bindings), recursive)

    def binding(self) -> syntax.Binding:
        place = self.place
        if self.next.kind == "(":
            raise place.error("definitions of several names at once (let (a, b) = ...) are not supported")
        name = self.expect("name", "the name that is defined").text
        if self.accept("="):
            return syntax.Binding(place, name, self.expression())
        parameters = self.parameters()
        self.expect("=", "'='")
        return syntax.Binding(place, name, syntax.Function(place, parameters, self.expression()))

    def parameters(self) -> tuple[str, ...]:
        """`x`, `_` or `(x, y)`"""
        if not self.accept("("):
            return (self.parameter(),)
        found: list[str] = []
        while not self.accept(")"):
            if found:
                self.expect(",", "',' or ')'")
            found.append(self.parameter())
        return tuple(found)

    def parameter(self) -> str:
        return self.take().text if self.next.kind == "_" else self.expect("name", "the name of a parameter").text

    def shown(self) -> None:
        """What is shown is not computed."""
        while True:
            self.expression()
            if self.accept("as"):
                self.expect("name", "a name")
            if not self.accept(","):
                return

    def procedure(self) -> syntax.Procedure:
        place = self.take().place
        if self.next.kind == "rec":
            raise self.place.error("recursive procedures are not supported")
        name = self.expect("name", "the name of the procedure").text
        parameters = self.parameters()
        self.expect("=", "'='")
        return syntax.Procedure(place, name, parameters, self.block(place))

    def block(self, place: Place) -> tuple[Instruction, ...]:
        body = self.instructions("end", _END)
        if self.next.kind == _END:
            raise place.error("this has no 'end'")
        self.expect("end", "'end'")
        return body

    def choice(self) -> syntax.Choice:
        place = self.take().place
        condition = self.condition()
        self.accept("then")
        then = self.instructions("else", "end")
        otherwise: tuple[Instruction, ...] = ()
        if self.accept("else"):
            otherwise = self.block(place)
        else:
            self.expect("end", "'else' or 'end'")
        return syntax.Choice(place, condition, then, otherwise)

    def enum(self) -> syntax.Enum:
        place = self.take().place
        name = self.expect("name", "the name of the enumeration").text
        self.expect("=", "'='")
        self.accept("||")
        tags = [self.expect("tag", "a tag, as in 'once").text]
        while self.accept("||"):
            tags.append(self.expect("tag", "a tag, as in 'once").text)
        return syntax.Enum(place, name, tuple(tags))

    def check(self) -> syntax.Check:
        place = self.place
        role = self.take().text if self.next.kind in _ROLES else ""
        negated = self.accept("~")
        if self.next.kind not in _TESTS:
            self.fail("acyclic, irreflexive or empty")
        test = _TESTS[self.take().kind]
        value = self.expression()
        name = f"{'~' if negated else ''}{test.value} (line {place.line})"
        if self.accept("as"):
            name = self.expect("name", "the name of the check").text
        return syntax.Check(place, role, test, negated, value, name)

    # Expressions

    def expression(self) -> Expression:
        self.depth += 1
        if self.depth > _MOST_NESTED:
            raise self.place.error("this is nested too deeply")
        made = self.prefixed()
        self.depth -= 1
        return made

    def prefixed(self) -> Expression:
        place = self.place
        match self.next.kind:
            case "let":
                definition = self.let()
                self.expect("in", "'in'")
                return syntax.LetIn(place, definition, self.expression())
            case "fun":
                self.take()
                parameters = self.parameters()
                self.expect("->", "'->'")
                return syntax.Function(place, parameters, self.expression())
            case "try":
                self.take()
                first = self.expression()
                self.expect("with", "'with'")
                return syntax.Try(place, first, self.expression())
            case "if":
                self.take()
                condition = self.condition()
                self.expect("then", "'then'")
                then = self.expression()
                self.expect("else", "'else'")
                return syntax.If(place, condition, then, self.expression())
        return self.infix(0)

    def infix(self, level: int) -> Expression:
        if level == len(_LEVELS):
            return self.product()
        left = self.infix(level + 1)
        while self.next.kind == _LEVELS[level]:
            sign = self.take()
            if sign.kind == "++":
                raise sign.place.error("'++' is not supported: models here do not compute with sets of sets")
            left = syntax.Infix(sign.place, sign.kind, left, self.infix(level + 1))
        return left

    def product(self) -> Expression:
        left = self.unary()
        while self.next.kind == "*":
            sign = self.take()
            left = syntax.Infix(sign.place, "*", left, self.unary())
        return left

    def unary(self) -> Expression:
        if self.next.kind != "~":
            return self.postfix()
        place = self.take().place
        self.depth += 1
        if self.depth > _MOST_NESTED:
            raise place.error("this is nested too deeply")
        made = syntax.Unary(place, "~", self.unary())
        self.depth -= 1
        return made

    def postfix(self) -> Expression:
        made = self.applied()
        while True:
            place = self.place
            if self.next.kind in ("+", "?") or (self.next.kind == "*" and not self.operand_follows()):
                made = syntax.Unary(place, self.take().kind, made)
            elif self.next.kind == "^":
                self.take()
                self.expect("-1", "'-1'")
                made = syntax.Unary(place, "^-1", made)
            else:
                return made

    def operand_follows(self) -> bool:
        """Whether the * here is a product: something that can be its right side comes behind it."""
        if self.following(1) == "~":  # of a negated check?
            return self.following(2) not in _TESTS
        return self.following(1) in _STARTS_ARGUMENT

    def applied(self) -> Expression:
        place = self.place
        callable_ = self.next.kind == "name"
        made = self.simple()
        while callable_ and self.next.kind in _STARTS_ARGUMENT:
            made = syntax.Application(place, made, self.argument())
        return made

    def argument(self) -> tuple[Expression, ...]:
        """What a function is applied to: one thing, or several in parentheses."""
        if self.next.kind not in _STARTS_ARGUMENT:
            self.fail("an argument")
        if self.next.kind != "(":
            return (self.simple(),)
        self.take()
        found: list[Expression] = []
        while not self.accept(")"):
            if found:
                self.expect(",", "',' or ')'")
            found.append(self.expression())
        return tuple(found)

    def simple(self) -> Expression:
        place = self.place
        match self.next.kind:
            case "name":
                return syntax.Name(place, self.take().text)
            case "tag":
                return syntax.Tag(place, self.take().text)
            case "0":
                self.take()
                return syntax.Nothing(place)
            case "_":
                self.take()
                return syntax.Everything(place)
            case "{":
                self.take()
                if not self.accept("}"):
                    raise self.place.error("sets that are written out are not supported, but {}")
                return syntax.Nothing(place)
            case "(" | "begin":
                close = {"(": ")", "begin": "end"}[self.take().kind]
                made = self.expression()
                self.expect(close, f"'{close}'")
                return made
            case "[":
                self.take()
                made = self.expression()
                self.expect("]", "']'")
                return syntax.Unary(place, "[]", made)
        self.fail("a set or a relation")

    # Conditions

    def condition(self) -> Condition:
        left = self.conjunction()
        while self.accept("||"):
            left = syntax.Either(left, self.conjunction())
        return left

    def conjunction(self) -> Condition:
        left = self.variant()
        while self.accept("&&"):
            left = syntax.Both(left, self.variant())
        return left

    def variant(self) -> Condition:
        if self.next.kind == "name" and self.next.text == "not":
            self.take()
            return syntax.Not(self.variant())
        if self.accept("("):
            made = self.condition()
            self.expect(")", "')'")
            return made
        return syntax.Variant(self.expect("string", "the name of a variant, in quotes").text)
