"""The tree of a `.cat` file. Everything knows its place."""

from __future__ import annotations

from dataclasses import dataclass

from fencepost.models.axiomatic.algebra import Test

from .lexer import Place

# Expressions


@dataclass(frozen=True, slots=True)
class Name:
    place: Place
    name: str


@dataclass(frozen=True, slots=True)
class Tag:
    place: Place
    name: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """`0` or `{}`"""

    place: Place


@dataclass(frozen=True, slots=True)
class Everything:
    """`_`"""

    place: Place


@dataclass(frozen=True, slots=True)
class Infix:
    place: Place
    sign: str  # | ; \ & *
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Unary:
    place: Place
    sign: str  # ~ [] ^-1 + * ?
    argument: Expression


@dataclass(frozen=True, slots=True)
class Application:
    place: Place
    function: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """`fun (a, b) -> body`"""

    place: Place
    parameters: tuple[str, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class LetIn:
    place: Place
    definition: Let
    body: Expression


@dataclass(frozen=True, slots=True)
class Try:
    place: Place
    first: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class If:
    place: Place
    condition: Condition
    then: Expression
    otherwise: Expression


Expression = Name | Tag | Nothing | Everything | Infix | Unary | Application | Function | LetIn | Try | If

# Conditions: which variants of herd are on. None of them is on here.


@dataclass(frozen=True, slots=True)
class Variant:
    name: str


@dataclass(frozen=True, slots=True)
class Not:
    argument: Condition


@dataclass(frozen=True, slots=True)
class Both:
    left: Condition
    right: Condition


@dataclass(frozen=True, slots=True)
class Either:
    left: Condition
    right: Condition


Condition = Variant | Not | Both | Either


# Instructions


@dataclass(frozen=True, slots=True)
class Binding:
    """`name = value`; a function's value is a Function."""

    place: Place
    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Let:
    place: Place
    bindings: tuple[Binding, ...]
    recursive: bool


@dataclass(frozen=True, slots=True)
class Check:
    """`role` is "" (an axiom), "flag", "undefined_unless" or "assert"."""

    place: Place
    role: str
    test: Test
    negated: bool
    value: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Include:
    place: Place
    file: str


@dataclass(frozen=True, slots=True)
class Procedure:
    place: Place
    name: str
    parameters: tuple[str, ...]
    body: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class Call:
    place: Place
    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class WithFrom:
    """`with co from generate_cos(...)`"""

    place: Place
    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Choice:
    """`if ... else ... end` among instructions."""

    place: Place
    condition: Condition
    then: tuple[Instruction, ...]
    otherwise: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class Enum:
    place: Place
    name: str
    tags: tuple[str, ...]


Instruction = Let | Check | Include | Procedure | Call | WithFrom | Choice | Enum


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    architecture: str | None
    instructions: tuple[Instruction, ...]
