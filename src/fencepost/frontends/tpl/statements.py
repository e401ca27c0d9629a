"""The body of one TPL function, straight to instructions."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from fencepost.program.assembler import Assembler, negate
from fencepost.program.expr import Expr
from fencepost.program.form import Assert, Assign, Assume, Choose, Fence, Jump, Location, Use
from fencepost.program.orders import FenceKind

from .accesses import CALLS, Accesses
from .cursor import Cursor
from .expressions import Expressions, suggestion
from .lexer import KEYWORDS, Token

_FENCES = {
    "acq": FenceKind.ACQUIRE,
    "rel": FenceKind.RELEASE,
    "acq_rel": FenceKind.ACQ_REL,
    "seq_cst": FenceKind.SEQ_CST,
    "upd": FenceKind.SEQ_CST,
}


class Statements:
    """Reads the statements of one function at `cursor` and emits its instructions."""

    def __init__(
        self, cursor: Cursor, assembler: Assembler, registers: Collection[str], locations: Mapping[str, Location]
    ) -> None:
        self._cursor = cursor
        self._assembler = assembler
        self._registers = registers
        self._locations = locations
        self._expressions = Expressions(cursor, registers, locations)
        self._accesses = Accesses(cursor, assembler, self._expressions, registers, locations)
        self._labels: dict[str, int] = {}
        self._gotos: dict[str, Token] = {}  # the first one to each label
        self._definitions: dict[str, Token] = {}

    def body(self, opening: Token) -> None:
        """All statements up to the brace that closes `opening`, which is taken as well."""
        self._rest_of_block(opening)
        for name, token in self._gotos.items():
            if name not in self._definitions:
                message = f"there is no label '{name}' in this function"
                self._cursor.fail(message, token, suggestion(name, self._definitions))

    def _block(self, context: str) -> None:
        opening = self._cursor.expect("{", context)
        with self._cursor.nested():
            self._rest_of_block(opening)

    def _rest_of_block(self, opening: Token) -> None:
        while not self._cursor.skip("}"):
            if self._cursor.next.kind == "end":
                self._cursor.fail("this '{' is never closed: expected '}' before the end of the file", opening)
            self._statement()

    def _statement(self) -> None:
        token = self._cursor.next
        match token.text:
            case "{":
                self._block("to open a block")
            case ";":
                self._cursor.take()
            case "if":
                self._if()
            case "while":
                self._while()
            case "oneof":
                self._oneof()
            case "local":
                self._cursor.fail("locals are declared at the start of the function, before any statement")
            case "fn":
                self._cursor.fail("a function cannot start here: is a '}' missing before it?")
            case "else":
                self._cursor.fail("this 'else' follows no 'if'")
            case _ if token.kind == "name" and token.text not in KEYWORDS:
                self._named_statement()
            case _:
                self._simple_statement()

    # Flow

    def _if(self) -> None:
        """A whole chain of if, else if, else: each block jumps to the one end."""
        end = self._assembler.label()
        while True:
            span = self._cursor.take().span
            condition = self._condition("if")
            if self._cursor.at("goto"):
                self._assembler.branch(condition, self._goto_target(), span)
            else:
                otherwise = self._assembler.label()
                self._assembler.branch(negate(condition), otherwise, span)
                self._block("or goto after the condition of this if")
                if self._cursor.at("else"):
                    self._assembler.emit(Jump(end, span=span))
                self._assembler.place(otherwise)
            if not self._cursor.skip("else"):
                break
            if not self._cursor.at("if"):
                self._else()
                break
        self._assembler.place(end)

    def _else(self) -> None:
        if self._cursor.at("goto"):
            span = self._cursor.next.span
            self._assembler.emit(Jump(self._goto_target(), span=span))
        else:
            self._block("or goto or if after else")

    def _while(self) -> None:
        span = self._cursor.take().span
        head, end = self._assembler.label(), self._assembler.label()
        self._assembler.place(head)
        self._assembler.branch(negate(self._condition("while")), end, span)
        self._block("after the condition of this while")
        self._assembler.emit(Jump(head, span=span))
        self._assembler.place(end)

    def _condition(self, keyword: str) -> Expr:
        if self._cursor.at("{", "goto"):
            self._cursor.fail(f"expected a condition after {keyword}, found {self._cursor.next}")
        return self._expressions.read()

    def _oneof(self) -> None:
        span = self._cursor.take().span
        parenthesized = self._cursor.skip("(")
        choose = self._assembler.emit(Choose((), span=span))
        end = self._assembler.label()
        blocks: list[int] = []
        while not blocks or self._cursor.at("{"):
            blocks.append(self._assembler.label())
            self._assembler.place(blocks[-1])
            self._block("after oneof")
            self._assembler.emit(Jump(end, span=span))
        if parenthesized:
            self._cursor.expect(")", "or another block of this oneof")
        self._assembler.amend(choose, Choose(tuple(blocks), span=span))
        self._assembler.place(end)

    def _goto_target(self) -> int:
        """`goto name;`"""
        self._cursor.take()
        token = self._cursor.name("a label after goto")
        self._gotos.setdefault(token.text, token)
        self._cursor.end_statement("this goto")
        return self._label(token.text)

    def _label(self, name: str) -> int:
        if name not in self._labels:
            self._labels[name] = self._assembler.label()
        return self._labels[name]

    # Statements that start with a name: a label, an assignment, a store

    def _named_statement(self) -> None:
        token = self._cursor.take()
        if self._cursor.skip(":"):
            self._define_label(token)
        elif self._cursor.skip("="):
            self._assignment(token)
            self._cursor.end_statement("this assignment")
        elif self._cursor.at("."):
            self._assembler.emit(self._accesses.store(token))
            self._cursor.end_statement("this store")
        else:
            self._cursor.fail(f"expected '=', '.' or ':' after '{token.text}', found {self._cursor.next}")

    def _define_label(self, token: Token) -> None:
        name = token.text
        if name in self._definitions:
            line = self._definitions[name].line
            self._cursor.fail(f"the label '{name}' is already defined in line {line}", token)
        self._definitions[name] = token
        self._assembler.place(self._label(name))

    def _assignment(self, target: Token) -> None:
        reg, span = target.text, target.span
        if reg in self._locations:
            store = "store" if self._locations[reg].atomic else "nastore"
            self._cursor.fail(f"'{reg}' is shared: it cannot be assigned", target, f"write {reg}.{store}(value);")
        if reg not in self._registers:
            self._cursor.fail(f"there is no local '{reg}'", target, suggestion(reg, self._registers))
        source = self._cursor.next
        if source.text in CALLS:
            self._assembler.emit(self._accesses.call(reg, span))
        elif source.kind == "name" and self._cursor.after_next.text == ".":
            self._assembler.emit(self._accesses.load(reg, span))
        else:
            self._assembler.emit(Assign(reg, self._expressions.read(), span=span))

    # Statements that start with a keyword and end with a semicolon

    def _simple_statement(self) -> None:
        token = self._cursor.next
        span = token.span
        if token.text == "goto":
            self._assembler.emit(Jump(self._goto_target(), span=span))
            return
        if token.text in CALLS:
            self._assembler.emit(self._accesses.call(None, span))
        else:
            self._cursor.take()
            match token.text:
                case "skip":
                    pass
                case "fence":
                    self._assembler.emit(Fence(self._fence_kind(), span=span))
                case "assert":
                    self._assembler.emit(Assert(self._parenthesized("assert"), span=span))
                case "assume":
                    self._assembler.emit(Assume(self._parenthesized("assume"), span=span))
                case "verify":
                    self._assembler.emit(Use(self._parenthesized("verify"), span=span))
                case _:
                    self._cursor.fail(f"expected a statement, found {token}", token)
        self._cursor.end_statement(f"this {token.text}")

    def _fence_kind(self) -> FenceKind:
        if not self._cursor.skip("("):
            return FenceKind.SEQ_CST
        token = self._cursor.next
        if token.text not in _FENCES:
            self._cursor.fail(f"expected a kind of fence ({', '.join(_FENCES)}), found {token}")
        self._cursor.take()
        self._cursor.expect(")", "at the end of this fence")
        return _FENCES[token.text]

    def _parenthesized(self, keyword: str) -> Expr:
        self._cursor.expect("(", f"after {keyword}")
        expr = self._expressions.read()
        self._cursor.expect(")", f"at the end of this {keyword}")
        return expr
