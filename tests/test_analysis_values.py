from collections.abc import Iterable

import pytest
from support.random_programs import Options, random_program

from fencepost.program.analysis.values import Values, ValueSet, possible_values
from fencepost.program.expr import Binary, Const, Expr, ReadValue, Reg
from fencepost.program.form import (
    MEMORY,
    Assign,
    BlockingCas,
    Cas,
    Instruction,
    Jump,
    Load,
    Location,
    Program,
    Ref,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
    Thread,
    Wait,
)
from fencepost.program.lts import ThreadState, initial_state, steps
from fencepost.program.orders import Order

RLX = Order.RELAXED
X, Y = Ref("x"), Ref("y")
R = Reg("r")


def values(*threads: Iterable[Instruction], max_value: int = 255, x: tuple[int, ...] = (0,)) -> Values:
    made = tuple(Thread(f"t{number}", ("r", "s"), tuple(code)) for number, code in enumerate(threads))
    return possible_values(Program("p", (Location("x", x), Location("y")), made, max_value))


def store(ref: Ref, value: Expr | int) -> Store:
    return Store(ref, Const(value) if isinstance(value, int) else value, RLX)


def add(amount: int) -> Expr:
    return Binary("+", R, Const(amount))


def test_initial_values_and_stores():
    found = values([store(X, 3)], [store(X, 300)], x=(1, 2))
    assert found.reads("x") == {1, 2, 3, 44}
    assert found.reads("y") == {0}


def test_values_travel_from_thread_to_thread_through_registers():
    found = values([store(X, 3)], [Load("r", X, RLX), Assign("s", add(1)), store(Y, Reg("s"))])
    assert found.register(1, "r") == {0, 3}
    assert found.register(1, "s") == {0, 1, 4}
    assert found.reads("y") == {0, 1, 4}
    assert found.register(0, "r") == {0}


def test_registers_of_one_expression_vary_together():
    found = values([store(X, 3), Load("r", X, RLX), Assign("s", Binary("-", R, R))])
    assert found.register(0, "s") == {0}


def test_a_wait_ends_with_the_values_it_waits_for():
    found = values([store(X, 1), store(X, 2)], [Wait("r", X, Binary(">", ReadValue(), Reg("s")), RLX)])
    assert found.register(1, "r") == {0, 1, 2}  # 0: its initial value


def test_a_wait_gives_its_register_no_other_value():
    found = values([store(X, 1), store(X, 2), Wait("r", X, Binary("==", ReadValue(), Const(2)), RLX)])
    assert found.register(0, "r") == {0, 2}


def test_updates_write_and_return_what_was_there():
    found = values([Rmw("r", RmwOp.EXCHANGE, X, Const(5), RLX), Rmw(None, RmwOp.OR, Y, Const(2), RLX)])
    assert found.reads("x") == {0, 5}
    assert found.register(0, "r") == {0, 5}
    assert found.reads("y") == {0, 2}


def test_compare_and_swap_writes_the_desired_value_and_returns_any():
    found = values([store(X, 7), Cas("r", X, Const(0), Const(1), RLX, RLX), BlockingCas(Y, Const(0), Const(9), RLX)])
    assert found.reads("x") == {0, 1, 7}
    assert found.register(0, "r") == {0, 1, 7}
    assert found.reads("y") == {0, 9}


def test_a_counter_takes_all_values_soon():
    found = values([Rmw(None, RmwOp.ADD, X, Const(1), RLX)], [Load("r", X, RLX), Assign("s", Binary("<", R, R))])
    assert found.reads("x") == range(256)
    assert found.register(1, "r") == range(256)
    assert found.register(1, "s") == {0}


def test_all_values_of_a_small_program_are_a_range():
    assert values([store(X, 1)], max_value=1).reads("x") == range(2)


def test_an_expression_too_large_to_try_out_may_be_anything_but_a_comparison_is_a_truth_value():
    counting = [Rmw(None, RmwOp.ADD, X, Const(1), RLX), Load("r", X, RLX), Load("s", X, RLX)]
    both = Binary("-", R, Reg("s"))
    found = values([*counting, store(Y, both)])
    assert found.reads("y") == range(256)
    assert values([*counting, store(Y, Binary("<", R, Reg("s")))]).reads("y") == {0, 1}


def test_huge_ranges_cost_nothing():
    found = values(
        [Rmw("r", RmwOp.SUB, X, Const(1), RLX), Wait("s", X, Binary(">", ReadValue(), Const(3)), RLX)],
        max_value=2**40,
    )
    assert found.reads("x") == range(2**40 + 1)
    assert found.register(0, "s") == range(2**40 + 1)


def test_code_that_is_never_reached_does_not_count():
    assert values([Jump(2), store(X, 3), store(X, 4)]).reads("x") == {0, 4}


@pytest.mark.parametrize("seed", range(150))
def test_no_step_leaves_the_sets(seed: int):
    """Whatever value of its location each read returns: so under any memory model."""
    program = random_program(seed, Options(loops=True, non_atomics=True))
    found = possible_values(program)
    for number, thread in enumerate(program.threads):
        seen: set[ThreadState] = {initial_state(thread)}
        waiting = list(seen)
        while waiting:
            state = waiting.pop()
            for name, value in zip(thread.registers, state.registers, strict=True):
                assert value in found.register(number, name), (seed, state)
            for step in steps(program, thread, state, lambda cell: found.reads(cell.location)):
                if step.label is not None and step.label.written is not None and step.label.cell is not None:
                    assert step.label.written in found.reads(step.label.cell.location), (seed, step)
                if step.after not in seen:
                    seen.add(step.after)
                    waiting.append(step.after)


def test_sets_are_usable_as_collections():
    sets: list[ValueSet] = [values([store(X, 3)]).reads("x"), values([store(X, 1)], max_value=1).reads("x")]
    assert [sorted(each) for each in sets] == [[0, 3], [0, 1]]


def test_a_store_conditional_writes_and_says_whether_it_did() -> None:
    found = values([Load("r", X, RLX), StoreConditional("s", X, Const(7), RLX)])
    assert set(found.reads("x")) == {0, 7}
    assert set(found.register(0, "s")) == {0, 1}


def test_a_computed_address_may_be_any_location_that_has_one() -> None:
    places = (Location("x", address=16), Location("y", address=20), Location("hidden"))
    code = (Store(Ref(MEMORY, Reg("r")), Const(3), RLX), Load("s", Ref(MEMORY, Reg("r")), RLX))
    found = possible_values(Program("p", places, (Thread("t", ("r", "s"), code),)))
    assert set(found.reads("x")) == set(found.reads("y")) == set(found.register(0, "s")) == {0, 3}
    assert set(found.reads("hidden")) == {0}


def test_an_update_is_computed_from_what_it_reads() -> None:
    double = Rmw("r", RmwOp.UPDATE, X, Binary("*", ReadValue(), Const(2)), RLX)
    assert set(values([double], x=(3,)).reads("x")) == {3, 6, 12, 24, 48, 96, 192, 128, 0}


def test_all_values_of_a_machine_word_are_a_range() -> None:
    grow = [Load("r", X, RLX), Store(X, Binary("+", Reg("r"), Const(1)), RLX)]
    assert values(grow, max_value=2**64 - 1).reads("x") == range(2**64)
