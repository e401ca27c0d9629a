from random import Random

import pytest

from fencepost.program.analysis.conditions import choice, decided, folded, holds, is_boolean, negated, stored, with_read
from fencepost.program.expr import BINARY, UNARY, Binary, Const, Expr, ReadValue, Reg, Unary, evaluate, parts
from fencepost.program.form import Program

R, S = Reg("r"), Reg("s")
READ = ReadValue()
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def random_expr(random: Random, depth: int) -> Expr:
    """No division: what is under test may drop one, but may not reorder it."""
    if depth == 0 or random.random() < 0.2:
        return random.choice((R, S, READ, Const(random.randint(-1, 3))))
    if random.random() < 0.3:
        return Unary(random.choice(sorted(UNARY)), random_expr(random, depth - 1))
    op = random.choice(sorted(BINARY.keys() - {"/", "%"}))
    return Binary(op, random_expr(random, depth - 1), random_expr(random, depth - 1))


def environments() -> list[tuple[dict[str, int], int]]:
    return [({"r": r, "s": s}, read) for r in range(4) for s in range(4) for read in range(4)]


def is_normal(condition: Expr) -> bool:
    match condition:
        case Const(0) | Const(1):
            return True
        case Binary("&&" | "||", left, right):
            return is_normal(left) and is_normal(right)
        case Binary(op, _, _):
            return op in COMPARISONS
    return False


@pytest.mark.parametrize("seed", range(300))
def test_normal_forms_mean_the_same(seed: int):
    random = Random(seed)
    a, b, c = (random_expr(random, 3) for _ in range(3))
    normal = holds(a)
    chosen = choice(normal, holds(b), holds(c))
    assert is_normal(normal)
    assert is_normal(negated(normal))
    assert is_normal(chosen)
    for env, read in environments():
        truth = evaluate(a, env, read) != 0
        assert bool(evaluate(normal, env, read)) == truth
        assert bool(evaluate(negated(normal), env, read)) == (not truth)
        assert bool(evaluate(chosen, env, read)) == (evaluate(b if truth else c, env, read) != 0)


@pytest.mark.parametrize("max_value", [0, 1, 4, 7])
@pytest.mark.parametrize("seed", range(50))
def test_stored_is_the_wrapped_value(seed: int, max_value: int):
    expr = random_expr(Random(seed), 3)
    program = Program("p", (), (), max_value)
    for env, read in environments():
        if max(read, *env.values()) <= max_value:
            assert evaluate(stored(expr, max_value), env, read) == program.wrap(evaluate(expr, env, read))


def test_what_needs_no_wrapping_stays_as_it_is():
    for expr in (R, READ, Unary("!", R), Binary("<", R, S), Binary("&&", R, S)):
        assert stored(expr, 7) == expr
    assert stored(Binary("-", Const(1), Const(2)), 7) == Const(7)


def test_readable_forms():
    assert holds(Unary("!", R)) == Binary("==", R, Const(0))
    assert holds(Unary("!", Binary("==", R, S))) == Binary("!=", R, S)
    assert holds(Binary("==", Binary("<", R, S), Const(0))) == Binary(">=", R, S)
    assert holds(Binary("==", Const(2), Const(2))) == Const(1)
    assert choice(Binary("<", R, S), Const(0), Const(1)) == Binary(">=", R, S)


def test_folding_leaves_a_division_by_zero_alone():
    division = Binary("/", Const(1), Const(0))
    assert folded(division) == division
    assert folded(Binary("/", Const(4), Const(2))) == Const(2)


def test_booleans_by_their_operator():
    assert is_boolean(Unary("!", R))
    assert is_boolean(Binary("||", R, S))
    assert not is_boolean(Binary("&", R, S))
    assert not is_boolean(Const(1))


def test_with_read_replaces_only_the_read_value():
    expr = Binary("+", Unary("-", READ), R)
    assert with_read(expr, S) == Binary("+", Unary("-", S), R)
    assert READ not in parts(with_read(expr, S))


def test_three_valued_truth():
    truths = {"r": True, "s": False}

    def comparison(op: str, left: Expr, right: Expr) -> bool | None:
        return truths.get(left.name) if isinstance(left, Reg) else None

    yes, no, unknown = (Binary("!=", left, Const(0)) for left in (R, S, Reg("t")))
    for op, left, right, expected in (
        ("&&", yes, yes, True),
        ("&&", yes, unknown, None),
        ("&&", no, unknown, False),
        ("&&", unknown, no, False),
        ("||", no, no, False),
        ("||", no, unknown, None),
        ("||", unknown, yes, True),
        ("||", unknown, unknown, None),
    ):
        assert decided(Binary(op, left, right), comparison) is expected, (op, left, right)
    assert decided(Const(1), comparison) is True
    assert decided(Const(0), comparison) is False
