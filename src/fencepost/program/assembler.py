"""Puts the code of one thread together: labels become program counters, divisions get their guards.

Front ends and the Python builder emit instructions whose targets are label numbers; `finish` resolves these,
shortens chains of jumps and leaves out what cannot be reached.
"""

from __future__ import annotations

from dataclasses import replace

from .expr import (
    Binary,
    Const,
    DivisionByZeroError,
    Expr,
    ReadValue,
    Reg,
    Unary,
    both,
    defined,
    either,
    evaluate,
    parts,
    show,
)
from .form import Assert, Assign, Branch, Choose, Instruction, Jump, Span, operands, successors

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def constant(expr: Expr) -> int | None:
    """The value of `expr` if it is the same in every run and defined."""
    if any(isinstance(part, Reg | ReadValue) for part in parts(expr)):
        return None
    try:
        return evaluate(expr, {})
    except DivisionByZeroError:
        return None


def negate(condition: Expr) -> Expr:
    """A condition that is true iff `condition` is false (only truth counts, not the value)."""
    match condition:
        case Unary("!", arg):
            return arg
        case Binary(op, left, right) if op in _OPPOSITE:
            return Binary(_OPPOSITE[op], left, right)
    return Unary("!", condition)


def division_guard(expr: Expr, span: Span | None = None) -> Assert | None:
    """The assertion that `expr` divides by no zero; None if it surely does not."""
    condition = _fold(defined(expr))
    if isinstance(condition, Const) and condition.value:
        return None
    if any(isinstance(part, ReadValue) for part in parts(condition)):
        raise ValueError("the condition of a wait cannot divide by the value that it waits for")
    divisions = [part for part in parts(expr) if isinstance(part, Binary) and part.op in ("/", "%")]
    risky = dict.fromkeys(show(part) for part in divisions if not constant(part.right))
    return Assert(condition, why=f"division by zero in {' or '.join(risky)}", span=span)


def _fold(expr: Expr) -> Expr:
    """`expr`, made by `defined`, without its constant parts: what is left must be tested.

    `e || 1` is 1 there, whatever `e` is: that `e` is defined is another part of the guard.
    """
    value = constant(expr)
    if value is not None:
        return Const(value)
    match expr:
        case Binary("&&", left, right):
            return both(_fold(left), _fold(right))
        case Binary("||", left, right):
            rest = _fold(right)
            return rest if isinstance(rest, Const) and rest.value else either(_fold(left), rest)
    return expr


class Assembler:
    """The code of one thread in the making. Targets of `Branch`, `Jump` and `Choose` are labels until `finish`."""

    def __init__(self, *, max_value: int) -> None:
        self.hidden: list[str] = []  # registers that the source does not name
        self._range = max_value + 1
        self._code: list[Instruction] = []
        self._places: list[int | None] = []

    def label(self) -> int:
        """A new label, not yet placed."""
        self._places.append(None)
        return len(self._places) - 1

    def place(self, label: int) -> None:
        """`label` is the next instruction."""
        self._places[label] = len(self._code)

    def is_placed(self, label: int) -> bool:
        return self._places[label] is not None

    def emit(self, instruction: Instruction) -> int:
        """Append `instruction`, after the guards of its divisions. The result is for `amend`."""
        for expr in operands(instruction):
            guard = division_guard(expr, instruction.span)
            if guard is not None:
                self._code.append(guard)
        self._code.append(instruction)
        return len(self._code) - 1

    def amend(self, position: int, choose: Choose) -> None:
        """Replace the `Choose` that was emitted as `position`, now that all its targets are known."""
        self._code[position] = choose

    def branch(self, condition: Expr, target: int, span: Span | None) -> None:
        """Go to `target` if `condition` holds. A constant condition is decided here and makes no event."""
        value = constant(condition)
        if value is None:
            self.emit(Branch(condition, target, span=span))
        elif value:
            self.emit(Jump(target, span=span))

    def comparand(self, value: Expr, span: Span | None) -> Expr:
        """`value` as something that a wait may compare with what it reads: wrapped into the program's range."""
        known = constant(value)
        if known is not None:
            return Const(known % self._range)
        if isinstance(value, Reg):
            return value
        name = f".{len(self.hidden)}"  # no front end allows a name that starts with a dot
        self.hidden.append(name)
        self.emit(Assign(name, value, span=span))
        return Reg(name)

    def finish(self) -> tuple[Instruction, ...]:
        """The code, its targets program counters."""
        code = [self._resolve(instruction) for instruction in self._code]
        while (tight := _tightened(code)) != code:  # what is left out may have stood between a branch and a jump
            code = tight
        return tuple(code)

    def _resolve(self, instruction: Instruction) -> Instruction:
        return _retarget(instruction, {label: pc for label, pc in enumerate(self._places) if pc is not None})


def any_of(values: list[Expr]) -> Expr:
    """The condition of a wait for one of `values`."""
    tests = [Binary("==", ReadValue(), value) for value in dict.fromkeys(values)]
    condition: Expr = tests[0]
    for test in tests[1:]:
        condition = Binary("||", condition, test)
    return condition


def _retarget(instruction: Instruction, moved: dict[int, int]) -> Instruction:
    match instruction:
        case Branch(target=target) | Jump(target=target):
            return replace(instruction, target=moved[target])
        case Choose(targets=targets):
            return replace(instruction, targets=tuple(moved[target] for target in targets))
    return instruction


def _tightened(code: list[Instruction]) -> list[Instruction]:
    """`code` with shorter ways, and without what they make superfluous."""
    code = _shorten(code)
    kept = _without_useless_jumps(code, sorted(_reachable(code)))
    position = {pc: index for index, pc in enumerate(kept)}
    position[len(code)] = len(kept)
    return [_retarget(code[pc], position) for pc in kept]


def _shorten(code: list[Instruction]) -> list[Instruction]:
    """No jump to a jump, and no branch over a jump. Only a jump to itself (an empty endless loop) stays a target."""
    final: dict[int, int] = {}
    for start in range(len(code) + 1):
        path: dict[int, None] = {}
        pc = start
        while pc not in final and pc not in path and pc < len(code):
            instruction = code[pc]
            if not isinstance(instruction, Jump):
                break
            path[pc] = None
            pc = instruction.target
        end = final.get(pc, pc)
        final.update(dict.fromkeys(path, end))
        final.setdefault(start, end)
    code = [_retarget(instruction, final) for instruction in code]
    for pc in range(len(code) - 2):
        branch, jump = code[pc], code[pc + 1]
        if (
            isinstance(branch, Branch)
            and isinstance(jump, Jump)
            and jump.target not in (pc + 1, branch.target)
            and branch.target == final[pc + 2]
        ):
            code[pc] = replace(branch, condition=negate(branch.condition), target=jump.target)
            code[pc + 1] = replace(jump, target=branch.target)
    return code


def _reachable(code: list[Instruction]) -> set[int]:
    frozen = tuple(code)
    seen: set[int] = set()
    todo = [0]
    while todo:
        pc = todo.pop()
        if pc < len(frozen) and pc not in seen:
            seen.add(pc)
            todo.extend(successors(frozen, pc))
    return seen


def _without_useless_jumps(code: list[Instruction], kept: list[int]) -> list[int]:
    """`kept` without the jumps to what follows anyway. Backwards, so that several in a row go at once."""
    following = len(code)
    result: list[int] = []
    for pc in reversed(kept):
        instruction = code[pc]
        if isinstance(instruction, Jump) and instruction.target == following:
            continue
        result.append(pc)
        following = pc
    return result[::-1]
