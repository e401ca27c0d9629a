from collections.abc import Mapping

from fencepost.program.analysis.constants import known_constants
from fencepost.program.expr import Binary, Const, Reg
from fencepost.program.form import Assign, Branch, Instruction, Jump, Load, Location, Program, Ref, Thread, Use
from fencepost.program.orders import Order

A, B = Reg("a"), Reg("b")


def known(*code: Instruction, initial: tuple[int, ...] = ()) -> tuple[Mapping[str, int] | None, ...]:
    thread = Thread("t", ("a", "b"), code, initial)
    return known_constants(Program("p", (Location("x"),), (thread,), max_value=7), thread)


def load(register: str) -> Load:
    return Load(register, Ref("x"), Order.RELAXED)


def test_registers_start_with_their_initial_values():
    assert known(initial=(3,)) == ({"a": 3, "b": 0},)


def test_assignments_of_known_values_wrap_around():
    assert known(Assign("a", Binary("-", B, Const(1))), Assign("b", A))[2] == {"a": 7, "b": 7}


def test_what_is_loaded_or_computed_from_it_is_unknown():
    assert known(load("a"), Assign("b", Binary("+", A, Const(1))))[1:] == ({"b": 0}, {})


def test_where_ways_meet_only_what_they_agree_on_is_known():
    code = (
        load("a"),
        Branch(A, 4),
        Assign("a", Const(1)),
        Jump(6),
        Assign("a", Const(1)),
        Assign("b", Const(2)),
        Use(A),
    )
    assert known(*code)[6] == {"a": 1}


def test_a_register_that_changes_around_a_loop_is_unknown():
    code = (Use(A), Assign("a", Binary("+", A, Const(1))), Branch(A, 0))
    assert known(*code) == ({"b": 0}, {"b": 0}, {"b": 0}, {"b": 0})


def test_a_register_that_is_reset_in_each_iteration_is_known():
    """The expected value of a compare-exchange loop that is written back after a failure."""
    code = (Assign("a", Const(4)), load("b"), Branch(B, 5), Assign("a", B), Jump(0), Use(A))
    assert known(*code)[1] == {"a": 4}
    assert known(*code)[5] == {"a": 4}


def test_unreachable_places_are_marked():
    assert known(Jump(2), Use(A), Use(A))[1] is None


def test_a_division_by_zero_is_no_value():
    assert known(Assign("a", Binary("/", Const(1), B)))[1] == {"b": 0}
