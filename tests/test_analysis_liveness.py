import pytest

from fencepost.program.analysis.liveness import live_registers
from fencepost.program.expr import Binary, Const, Expr, ReadValue, Reg
from fencepost.program.form import (
    Assert,
    Assign,
    Assume,
    BlockingCas,
    Branch,
    Cas,
    Instruction,
    Jump,
    Load,
    Ref,
    Rmw,
    RmwOp,
    Store,
    Thread,
    Use,
    Wait,
)
from fencepost.program.orders import Order

RLX = Order.RELAXED
X = Ref("x")
A, B = Reg("a"), Reg("b")


def live(*code: Instruction) -> list[set[str]]:
    return [set(registers) for registers in live_registers(Thread("t", ("a", "b", "c"), code))]


def plus_one(expr: Expr) -> Expr:
    return Binary("+", expr, Const(1))


@pytest.mark.parametrize(
    "instruction",
    [
        Store(X, A, RLX),
        Store(Ref("x", A), Const(0), RLX),
        Load("b", Ref("x", A), RLX),
        Rmw(None, RmwOp.ADD, X, A, RLX),
        Cas(None, X, A, Const(0), RLX, RLX),
        Cas(None, X, Const(0), A, RLX, RLX),
        BlockingCas(X, A, Const(0), RLX),
        BlockingCas(X, Const(0), A, RLX),
        Wait(None, X, Binary("==", ReadValue(), A), RLX),
        Branch(A, 0),
        Assume(A),
        Assert(A),
        Use(A),
    ],
)
def test_what_an_instruction_evaluates_matters(instruction):
    assert live(instruction) == [{"a"}, set()]


def test_a_register_matters_only_until_it_is_overwritten():
    assert live(Use(A), Load("a", X, RLX), Use(A)) == [{"a"}, set(), {"a"}, set()]


def test_an_update_of_a_register_reads_it_first():
    assert live(Rmw("a", RmwOp.ADD, X, A, RLX), Use(A)) == [{"a"}, {"a"}, set()]


def test_computing_what_never_matters_makes_nothing_matter():
    assert live(Assign("b", A), Assign("c", B)) == [set(), set(), set()]


def test_a_counter_that_nobody_looks_at_is_dead():
    assert live(Assign("a", plus_one(A)), Jump(0)) == [set(), set(), set()]


def test_a_chain_of_assignments_matters_through_its_last_use():
    assert live(Assign("b", A), Assign("c", B), Use(Reg("c"))) == [{"a"}, {"b"}, {"c"}, set()]


def test_both_ways_out_of_a_branch_count():
    assert live(Branch(A, 3), Use(B), Jump(4), Use(Reg("c"))) == [{"a", "b", "c"}, {"b"}, set(), {"c"}, set()]


def test_around_a_loop():
    code = (Load("a", X, RLX), Branch(A, 0), Assign("b", plus_one(B)), Branch(B, 0))
    assert live(*code) == [{"b"}, {"a", "b"}, {"b"}, {"b"}, set()]
