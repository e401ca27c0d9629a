"""Runs the instructions of a `.cat` file: definitions become expressions, checks become axioms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fencepost.models.axiomatic.algebra import (
    Axiom,
    Expression,
    Group,
    Op,
    RelExpr,
    SetExpr,
    Test,
    everything,
    nothing,
    parts,
    shrinking,
)
from fencepost.program.source import InputError

from . import syntax
from .lexer import Place
from .names import outside_co
from .values import Closure, Missing, Native, Orders, ProcedureValue, Value, infix, is_empty, kind, terms, unary

Names = dict[str, Value]
Included = Callable[[syntax.Include], tuple[syntax.Instruction, ...]]
_MOST_NESTED, _MOST_CALLS = 100, 20_000


class UnboundError(InputError):
    """A name that nothing defines: what `try` is for."""


@dataclass
class Interpreter:
    included: Included  # the instructions of a file; raises InputError
    axioms: list[Axiom] = field(default_factory=list)
    flags: list[Axiom] = field(default_factory=list)
    notes: list[Axiom] = field(default_factory=list)
    depth: int = 0  # of calls and included files
    calls: int = 0

    # Instructions

    def run(self, instructions: tuple[syntax.Instruction, ...], names: Names) -> None:
        for instruction in instructions:
            self.instruction(instruction, names)

    def instruction(self, instruction: syntax.Instruction, names: Names) -> None:
        match instruction:
            case syntax.Let():
                self.define(instruction, names)
            case syntax.Check():
                self.check(instruction, names)
            case syntax.Include(place):
                self.deeper(place)
                self.run(self.included(instruction), names)
                self.depth -= 1
            case syntax.Procedure(_, name, parameters, body):
                names[name] = ProcedureValue(parameters, body, dict(names))
            case syntax.Call():
                self.call(instruction, names)
            case syntax.Choice(_, condition, then, otherwise):
                self.run(then if holds(condition) else otherwise, names)
            case syntax.WithFrom(place, name, value):
                self.chosen(place, name, self.value(value, names), names)
            case syntax.Enum():
                pass  # its tags have no meaning without a bell file: each is an error where it is used

    def define(self, let: syntax.Let, names: Names) -> None:
        if let.recursive:
            names.update(self.recursive(let, names))
        else:
            names.update({binding.name: self.value(binding.value, names) for binding in let.bindings})

    def recursive(self, let: syntax.Let, names: Names) -> Mapping[str, Value]:
        for binding in let.bindings:
            if isinstance(binding.value, syntax.Function):
                raise binding.place.error("recursive functions are not supported")
        group = Group(tuple(binding.name for binding in let.bindings))
        inner = {**names, **{name.name: name for name in group.bound}}
        bodies: list[RelExpr] = []
        for binding in let.bindings:
            body = self.value(binding.value, inner)
            if isinstance(body, Missing):
                return {each.name: body for each in let.bindings}
            if not isinstance(body, RelExpr):
                raise binding.place.error(f"only relations can be defined recursively, and {binding.name} is not one")
            if shrinking(body, group) is not None:
                raise binding.place.error(
                    f"the definition of {binding.name} has no least solution: what it defines stands below a ~ or to "
                    "the right of a \\"
                )
            bodies.append(body)
        if len(bodies) == 1:
            return {group.bound[0].name: _closed(bodies[0], group)}
        return dict(zip((name.name for name in group.bound), group.close(tuple(bodies)), strict=True))

    def check(self, check: syntax.Check, names: Names) -> None:
        value = self.computable(self.value(check.value, names), check.place)
        if isinstance(value, SetExpr) and check.test is not Test.EMPTY:
            if not is_empty(value):
                raise check.place.error(f"'{check.test.value}' takes a relation, not a set")
            return
        match check.role:
            case "":
                if not is_empty(value) or check.negated:
                    self.axioms.append(Axiom(check.name, check.test, value, check.negated))
            case "undefined_unless":
                if not is_empty(value) or check.negated:
                    self.flags.append(Axiom(check.name, check.test, value, check.negated))
            case "assert" if not is_empty(value) or check.negated:
                raise check.place.error("'assert' is supported only of what is so whatever the execution")
            case "flag" if not is_empty(value) or not check.negated:  # what is so is worth a note
                self.notes.append(Axiom(check.name, check.test, value, not check.negated))

    def computable(self, value: Value, place: Place) -> Expression:
        if isinstance(value, Missing):
            raise (value.place or place).error(
                f"this needs {value.name}, which is not supported: {value.why}", hint="docs/cat.md says what is"
            )
        if not isinstance(value, SetExpr | RelExpr):
            raise place.error(f"a check takes a relation or a set, not {kind(value)}")
        return value

    def call(self, call: syntax.Call, names: Names) -> None:
        procedure = self.named(call.name, call.place, names)
        if not isinstance(procedure, ProcedureValue):
            raise call.place.error(f"{call.name} is {kind(procedure)}, not a procedure")
        arguments = [self.value(argument, names) for argument in call.arguments]
        inner = {**procedure.names, **bound(procedure.parameters, arguments, call.name, call.place)}
        self.deeper(call.place)
        self.run(procedure.body, inner)
        self.depth -= 1

    def chosen(self, place: Place, name: str, value: Value, names: Names) -> None:
        """`with name from value`: any of the relations in `value`.

        For co these are all coherence orders, unless a relation restricts them; of others, only the empty one can be.
        """
        if isinstance(value, Missing):
            self.computable(value, place)
        if name == "co" and isinstance(value, Orders):
            rest = self.computable(outside_co(value, place), place)
            if not is_empty(rest):
                self.axioms.append(Axiom(f"co (line {place.line})", Test.EMPTY, rest))
        elif name != "co" and is_empty(value):
            names[name] = value
        elif name == "co":
            raise place.error("'with co from' takes generate_cos(...)")
        else:
            raise place.error(f"'with {name} from' is not supported, only 'with co from'")

    def deeper(self, place: Place) -> None:
        self.depth += 1
        self.calls += 1
        if self.depth > _MOST_NESTED:
            raise place.error("calls or included files are nested too deeply")
        if self.calls > _MOST_CALLS:
            raise place.error("functions call each other too often")

    # Expressions

    def value(self, expression: syntax.Expression, names: Names) -> Value:
        match expression:
            case syntax.Name(place, name):
                return self.named(name, place, names)
            case syntax.Tag(place, name):
                return Missing(f"'{name}", "tags belong to bell files, which are not supported", place)
            case syntax.Nothing():
                return nothing
            case syntax.Everything():
                return everything
            case syntax.Infix(place, sign, left, right):
                return infix(sign, self.value(left, names), self.value(right, names), place)
            case syntax.Unary(place, sign, argument):
                return unary(sign, self.value(argument, names), place)
            case syntax.Application(place, function, arguments):
                applied = self.value(function, names)
                return self.apply(applied, [self.value(argument, names) for argument in arguments], place)
            case syntax.Function(_, parameters, body):
                return Closure(parameters, body, dict(names))
            case syntax.LetIn(_, definition, body):
                inner = dict(names)
                self.define(definition, inner)
                return self.value(body, inner)
            case syntax.Try(_, first, otherwise):
                try:
                    return self.value(first, names)
                except UnboundError:
                    return self.value(otherwise, names)
            case syntax.If(_, condition, then, otherwise):
                return self.value(then if holds(condition) else otherwise, names)

    def named(self, name: str, place: Place, names: Names) -> Value:
        if name not in names:
            hint = None
            near = [known for known in names if known.lower() == name.lower()]
            if near:
                hint = f"there is {near[0]}"
            raise UnboundError(
                f"{name} is not defined", file=place.file, line=place.line, column=place.column, hint=hint
            )
        value = names[name]
        if isinstance(value, Missing) and value.place is None:
            return Missing(value.name, value.why, place)
        return value

    def apply(self, function: Value, arguments: list[Value], place: Place) -> Value:
        match function:
            case Missing():
                return function
            case Native(name, parameters, apply):
                if len(arguments) != parameters:
                    raise place.error(f"{name} takes {parameters} arguments, not {len(arguments)}")
                return apply(place, *arguments)
            case Closure(parameters, body, names):
                self.deeper(place)
                result = self.value(body, {**names, **bound(parameters, arguments, "this function", place)})
                self.depth -= 1
                return result
        raise place.error(f"this is {kind(function)}, not a function")


def bound(parameters: tuple[str, ...], arguments: list[Value], name: str, place: Place) -> Names:
    if len(parameters) != len(arguments):
        raise place.error(f"{name} takes {len(parameters)} arguments, not {len(arguments)}")
    return dict(zip(parameters, arguments, strict=True))


def holds(condition: syntax.Condition) -> bool:
    """No variant of herd is on."""
    match condition:
        case syntax.Variant():
            return False
        case syntax.Not(argument):
            return not holds(argument)
        case syntax.Both(left, right):
            return holds(left) and holds(right)
        case syntax.Either(left, right):
            return holds(left) or holds(right)


def _closed(body: RelExpr, group: Group) -> RelExpr:
    """The least solution of r = body. That of r = a | b | r;r is (a | b)+, which is computed faster."""
    (name,) = group.bound
    uses = [term for term in terms(body) if name in parts(term)]
    if not uses:
        return body
    again = uses[0].op is Op.SEQUENCE and uses[0].args == (name, name)
    if len(uses) > 1 or not again:
        return group.close((body,))[0]
    rest: Value = nothing
    for term in reversed([term for term in terms(body) if term is not uses[0]]):
        assert isinstance(term, RelExpr)
        rest = rest | term if isinstance(rest, RelExpr) else term
    assert isinstance(rest, RelExpr)
    return rest.plus
