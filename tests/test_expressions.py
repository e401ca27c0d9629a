"""Expressions prepared for many calls have the values that `evaluate` says."""

from __future__ import annotations

from random import Random

from fencepost.program.expr import (
    BINARY,
    UNARY,
    Binary,
    Const,
    DivisionByZeroError,
    Expr,
    ReadValue,
    Reg,
    Unary,
    compiled,
    evaluate,
)


def random_expression(random: Random, depth: int) -> Expr:
    if depth == 0 or random.random() < 0.2:
        large = random.choice((0, 1, -1, 3, 1 << 31, -(1 << 63)))
        return random.choice((Const(large), Reg("a"), Reg("b"), ReadValue()))
    if random.random() < 0.2:
        return Unary(random.choice(list(UNARY)), random_expression(random, depth - 1))
    left, right = random_expression(random, depth - 1), random_expression(random, depth - 1)
    return Binary(random.choice(list(BINARY)), left, right)


def test_compiled_expressions_mean_the_same() -> None:
    random = Random(7)
    for _ in range(3000):
        expr = random_expression(random, 3)
        values = {"a": random.randint(-5, 5), "b": random.choice((0, 7, 1 << 40))}
        read = random.randint(-2, 2)
        try:
            expected = evaluate(expr, values, read)
        except DivisionByZeroError:
            expected = None
        try:
            found = compiled(expr, ["b", "a"])([values["b"], values["a"]], read)
        except DivisionByZeroError:
            found = None
        assert found == expected, expr
