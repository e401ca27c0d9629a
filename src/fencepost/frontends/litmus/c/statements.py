"""Statements and expressions of C, turned into instructions as they are read.

Every access of memory is an instruction of its own, from left to right; its result is a hidden register unless it goes
straight to a variable. Accesses without a function are non-atomic, whatever the type says, as herd7 has it (C11 would
make those of atomic types seq_cst).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fencepost.program.expr import PRECEDENCE, Binary, Const, Expr, Reg, Unary
from fencepost.program.form import MEMORY, Load, Ref, Store
from fencepost.program.orders import Order

from ..code import ThreadCode
from ..cursor import Cursor, Token, int_of
from ..layout import Layout
from ..types import INT, Type, accept_type
from .functions import FUNCTIONS
from .values import Arithmetic, Value

_ASSIGNING = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
_UNARY = ("!", "-", "~", "+")


@dataclass(frozen=True, slots=True)
class Local:
    """A variable of the thread."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Memory:
    """What is at an address."""

    address: Expr
    type: Type


Operand = Value | Local | Memory


class Function:
    """One thread. Its variables keep their names; those of inner blocks with the same name are the same variable."""

    def __init__(
        self, cursor: Cursor, code: ThreadCode, layout: Layout, arithmetic: Arithmetic, parameters: dict[str, Type]
    ) -> None:
        self.cursor = cursor
        self.code = code
        self.arithmetic = arithmetic
        self.locals: dict[str, Type] = {}
        self._layout = layout
        self._parameters = parameters
        self._loops: list[tuple[int, int]] = []  # where `continue` and `break` go, innermost last

    # Statements

    def read_body(self) -> None:
        """The body of the function, after its opening brace."""
        self._block()

    def _block(self) -> None:
        while not self.cursor.accept("}"):
            if self.cursor.at_end:
                self.cursor.expected("'}'")
            self._statement()

    def _statement(self) -> None:
        cursor = self.cursor
        token = cursor.next
        self.code.at(token.offset)
        if cursor.accept("{"):
            self._block()
        elif cursor.accept("if"):
            self._if()
        elif cursor.accept("while"):
            self._while()
        elif cursor.accept("do"):
            self._do()
        elif cursor.accept("for"):
            self._for()
        elif cursor.at("break", "continue"):
            self._leave(cursor.take())
        elif cursor.accept("return"):
            self.code.leave(None)
            cursor.expect(";")
        elif cursor.at("goto", "switch", "case", "default"):
            cursor.fail(f"'{token.text}' is not supported", token)
        elif not cursor.accept(";"):
            self._simple()
            cursor.expect(";")

    def _simple(self) -> None:
        """A declaration or an expression, without the semicolon."""
        type = accept_type(self.cursor)
        if type is None:
            self._comma_expression()
            return
        self._declare(type)
        while self.cursor.accept(","):
            self._declare(replace(type, pointer=self.cursor.accept("*") is not None))

    def _declare(self, type: Type) -> None:
        token = self.cursor.name("the name of a variable")
        if token.text in self._parameters:
            self.cursor.fail(f"{token.text} is a parameter already", token)
        if self.cursor.at("["):
            self.cursor.fail("local arrays are not supported")
        known = self.locals.setdefault(token.text, type)
        if known.bits != type.bits or known.signed != type.signed:
            self.cursor.fail(f"{token.text} is declared with two types", token)
        if self.cursor.accept("="):
            self.assign(Local(token.text, type), self.value(self._assignment()))

    def _condition(self) -> Expr:
        self.cursor.expect("(")
        value = self.value(self._comma_expression())
        self.cursor.expect(")")
        return self.arithmetic.plain(value)

    def _if(self) -> None:
        otherwise, after = self.code.new_label(), self.code.new_label()
        self.code.branch(_not(self._condition()), otherwise)
        self._statement()
        if self.cursor.accept("else"):
            self.code.jump(after)
            self.code.place(otherwise)
            self._statement()
        else:
            self.code.place(otherwise)
        self.code.place(after)

    def _while(self) -> None:
        start, after = self.code.new_label(), self.code.new_label()
        self.code.place(start)
        condition = self._condition()
        if not _is_true(condition):
            self.code.branch(_not(condition), after)
        self._body(start, after)
        self.code.jump(start)
        self.code.place(after)

    def _do(self) -> None:
        start, test, after = (self.code.new_label() for _ in range(3))
        self.code.place(start)
        self._body(test, after)
        self.code.place(test)
        self.cursor.expect("while")
        self.code.branch(self._condition(), start)
        self.cursor.expect(";")
        self.code.place(after)

    def _for(self) -> None:
        cursor = self.cursor
        start, step, after = (self.code.new_label() for _ in range(3))
        cursor.expect("(")
        if not cursor.at(";"):
            self._simple()
        cursor.expect(";")
        self.code.place(start)
        if not cursor.at(";"):
            condition = self.arithmetic.plain(self.value(self._comma_expression()))
            self.code.branch(_not(condition), after)
        cursor.expect(";")
        stepping = cursor.mark()
        self._skip_parenthesis()
        self._body(step, after)
        behind = cursor.mark()
        self.code.place(step)
        cursor.reset(stepping)
        if not cursor.at(")"):
            self._comma_expression()
        cursor.expect(")")
        cursor.reset(behind)
        self.code.jump(start)
        self.code.place(after)

    def _skip_parenthesis(self) -> None:
        depth = 1
        while depth:
            if self.cursor.at_end:
                self.cursor.expected("')'")
            text = self.cursor.take().text
            depth += (text == "(") - (text == ")")

    def _body(self, onward: int, out: int) -> None:
        self._loops.append((onward, out))
        self._statement()
        self._loops.pop()

    def _leave(self, token: Token) -> None:
        if not self._loops:
            self.cursor.fail(f"'{token.text}' outside a loop", token)
        self.code.jump(self._loops[-1][token.text == "break"])
        self.cursor.expect(";")

    # Expressions

    def _comma_expression(self) -> Operand | None:
        operand = self._assignment()
        while self.cursor.accept(","):
            operand = self._assignment()
        return operand

    def argument(self) -> Value:
        """One argument of a call."""
        return self.value(self._assignment())

    def place(self) -> Operand:
        """An argument that may be the address of a local variable: `&r0` is that variable."""
        mark = self.cursor.mark()
        if self.cursor.accept("&") and self.cursor.next.text in self.locals:
            token = self.cursor.take()
            if self.cursor.at(",", ")"):
                return Local(token.text, self.locals[token.text])
        self.cursor.reset(mark)
        return self.pointed(self.argument())

    def pointed(self, pointer: Value) -> Memory:
        if not pointer.type.pointer:
            self.cursor.fail("this is no pointer")
        return Memory(pointer.expr, replace(pointer.type, pointer=False))

    def _assignment(self) -> Operand | None:
        left = self._conditional()
        token = self.cursor.accept(*_ASSIGNING)
        if token is None:
            return left
        if not isinstance(left, Local | Memory):
            self.cursor.fail("only variables and memory can be assigned to", token)
        right: Value
        if token.text == "=":
            right = self.value(self._assignment())
        else:
            old = self.value(left)
            right = self.arithmetic.binary(token.text[:-1], old, self.value(self._assignment()))
        return self.assign(left, right)

    def _conditional(self) -> Operand | None:
        condition = self._binary(-1)
        if not self.cursor.accept("?"):
            return condition
        result = self.code.hidden()
        otherwise, after = self.code.new_label(), self.code.new_label()
        self.code.branch(_not(self.arithmetic.plain(self.value(condition))), otherwise)
        yes = self.value(self._assignment())
        self.code.assign(result, yes.expr)
        self.cursor.expect(":")
        self.code.jump(after)
        self.code.place(otherwise)
        self.code.assign(result, self.value(self._conditional()).expr)
        self.code.place(after)
        return Value(Reg(result), yes.type)

    def _binary(self, level: int) -> Operand | None:
        """Operators that bind tighter than `level`."""
        left = self._unary()
        while (mine := PRECEDENCE.get(self.cursor.next.text, -1)) > level:
            op = self.cursor.take().text
            first = self.value(left)
            start = self.code.position()
            right = self.value(self._binary(mine))
            if op in ("&&", "||") and self.code.position() > start:
                left = self._short_circuit(op, first, start, right)
            else:
                left = self._arithmetic(op, first, right)
        return left

    def _arithmetic(self, op: str, left: Value, right: Value) -> Value:
        for pointer, other in ((left, right), (right, left)):
            if pointer.type.pointer and op in ("+", "-") and not other.type.pointer:
                scaled = Binary("*", other.expr, Const(pointer.type.bits // 8))
                return Value(Binary(op, pointer.expr, scaled), pointer.type)
        return self.arithmetic.binary(op, left, right)

    def _short_circuit(self, op: str, left: Value, start: int, right: Value) -> Value:
        """The right side accesses memory, so it must not be evaluated if the left side decides."""
        result, after = self.code.hidden(), self.code.new_label()
        decided: Expr = Reg(result) if op == "||" else _not(Reg(result))
        self.code.insert_branch(start, result, _truth(self.arithmetic.plain(left)), decided, after)
        self.code.assign(result, _truth(self.arithmetic.plain(right)))
        self.code.place(after)
        return Value(Reg(result), INT)

    def _unary(self) -> Operand | None:
        cursor = self.cursor
        token = cursor.next
        if cursor.accept(*_UNARY):
            return self.arithmetic.unary(token.text, self.value(self._unary()))
        if cursor.accept("*"):
            return self.pointed(self.value(self._unary()))
        if cursor.accept("&"):
            operand = self._unary()
            if not isinstance(operand, Memory):
                cursor.fail("only what is in memory has an address", token)
            return Value(operand.address, replace(operand.type, pointer=True))
        if cursor.accept("++", "--"):
            return self._step(self._unary(), token)
        if cursor.at("("):
            return self._parenthesis()
        return self._postfix()

    def _parenthesis(self) -> Operand | None:
        cursor = self.cursor
        cursor.expect("(")
        type = accept_type(cursor)
        if type is not None:
            cursor.expect(")")
            return self.arithmetic.converted(self.value(self._unary()), type)
        inner = self._comma_expression()
        cursor.expect(")")
        return inner

    def _postfix(self) -> Operand | None:
        operand = self._primary()
        while self.cursor.at("[", "++", "--"):
            token = self.cursor.take()
            if token.text == "[":
                pointer = self.value(operand)
                index = self.argument()
                self.cursor.expect("]")
                operand = self.pointed(self._arithmetic("+", pointer, index))
            else:
                old = self.value(operand)
                kept = self.code.hidden()
                self.code.assign(kept, old.expr)
                self._step(operand, token)
                operand = Value(Reg(kept), old.type)
        return operand

    def _step(self, operand: Operand | None, token: Token) -> Operand:
        if not isinstance(operand, Local | Memory):
            self.cursor.fail("only variables and memory can be changed", token)
        return self.assign(operand, self._arithmetic(token.text[0], self.value(operand), self.arithmetic.constant(1)))

    def _primary(self) -> Operand | None:
        cursor = self.cursor
        token = cursor.take()
        if token.kind == "number":
            while cursor.next.kind == "name" and set(cursor.next.text.lower()) <= set("ul"):
                cursor.take()
            return self.arithmetic.constant(int_of(token.text))
        if token.kind != "name":
            cursor.fail(f"expected an expression, found '{token.text or 'the end'}'", token)
        if token.text in self.locals:
            return Local(token.text, self.locals[token.text])
        if token.text in self._parameters:
            address = self._layout.use(token.text).address
            return Value(Const(address), self._parameters[token.text])
        if cursor.at("(", "{"):
            return self._call(token)
        if token.text in ("true", "false"):
            return self.arithmetic.constant(int(token.text == "true"))
        cursor.fail(f"there is no variable '{token.text}' in this thread", token)

    def _call(self, token: Token) -> Operand | None:
        call = FUNCTIONS.get(token.text)
        if call is None:
            hint = f"known: {', '.join(sorted(FUNCTIONS))}"
            self.cursor.fail(f"unsupported function '{token.text}'", token, hint=hint)
        return call(self)

    # Values and memory

    def value(self, operand: Operand | None) -> Value:
        """The value of `operand`; memory is loaded."""
        match operand:
            case Value():
                return operand
            case Local(name, type):
                return Value(Reg(name), type)
            case Memory():
                return self.load(operand, Order.NON_ATOMIC)
        self.cursor.fail("this call has no value")

    def load(self, memory: Memory, order: Order) -> Value:
        register = self.code.hidden()
        self.code.emit(Load(register, Ref(MEMORY, memory.address), order, span=self.code.span), self.bits(memory.type))
        return self.loaded(register, memory.type)

    def loaded(self, register: str, type: Type) -> Value:
        """What an access of a location of `type` has put into a register, where it has no sign yet."""
        bits = self.bits(type)
        if bits < self.arithmetic.width and type.signed:
            return self.arithmetic.converted(Value(Reg(register), Type(bits, signed=False)), type)
        return Value(Reg(register), type)

    def store(self, memory: Memory, value: Value, order: Order) -> None:
        stored = Store(Ref(MEMORY, memory.address), self.low(value, memory.type), order, span=self.code.span)
        self.code.emit(stored, self.bits(memory.type))

    def low(self, value: Value, type: Type) -> Expr:
        """`value` as what a location of `type` holds: its low bits."""
        unsigned = Type(self.bits(type), signed=False)
        return self.arithmetic.converted(value, unsigned).expr

    def bits(self, type: Type) -> int:
        return self.arithmetic.width if type.pointer else type.bits

    def assign(self, target: Local | Memory, value: Value) -> Value:
        if isinstance(target, Memory):
            self.store(target, value, Order.NON_ATOMIC)
            return value
        converted = self.arithmetic.converted(value, target.type)
        expr = converted.expr
        if not (isinstance(expr, Reg) and expr.name.startswith(".") and self.code.redirect(expr.name, target.name)):
            self.code.assign(target.name, expr)
        return Value(Reg(target.name), target.type)


def _not(condition: Expr) -> Expr:
    return condition.arg if isinstance(condition, Unary) and condition.op == "!" else Unary("!", condition)


def _truth(value: Expr) -> Expr:
    return Binary("!=", value, Const(0))


def _is_true(condition: Expr) -> bool:
    return isinstance(condition, Const) and condition.value != 0
