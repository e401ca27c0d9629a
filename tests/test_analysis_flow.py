from fencepost.program.analysis.flow import dominates, flow_of, immediate_dominators, natural_loops, reachable
from fencepost.program.expr import Const, Reg
from fencepost.program.form import Assume, Branch, Choose, Instruction, Jump, Thread, Use

R = Reg("r")
STEP = Use(R)


def thread(*code: Instruction) -> Thread:
    return Thread("t", ("r",), code)


def test_edges_of_each_kind_of_instruction():
    flow = flow_of(thread(Branch(R, 3), Jump(0), Choose((3, 4, 3)), Assume(R)))
    assert flow.successors == ((1, 3), (0,), (3, 4), (4,), ())
    assert flow.predecessors == ((1,), (0,), (), (0, 2), (2, 3))


def test_a_branch_to_the_next_instruction_is_one_edge():
    flow = flow_of(thread(Branch(R, 1)))
    assert flow.successors == ((1,), ())
    assert flow.predecessors == ((), (0,))


def test_reachable_forwards_and_backwards():
    flow = flow_of(thread(Jump(2), STEP, Branch(R, 4), Jump(3)))
    assert reachable(flow.successors) == {0, 2, 3, 4}
    assert reachable(flow.successors, [3]) == {3}
    assert reachable(flow.predecessors, [4]) == {0, 1, 2, 4}


def test_an_empty_thread():
    flow = flow_of(thread())
    assert reachable(flow.successors) == {0}
    assert immediate_dominators(flow) == (None,)
    assert natural_loops(flow) == ()


def test_dominators_of_a_diamond():
    above = immediate_dominators(flow_of(thread(Branch(R, 3), STEP, Jump(4), STEP, STEP)))
    assert above == (None, 0, 1, 0, 0, 4)
    assert dominates(above, 0, 5)
    assert dominates(above, 4, 4)
    assert not dominates(above, 1, 4)


def test_unreachable_places_have_no_dominator_and_count_for_none():
    above = immediate_dominators(flow_of(thread(Jump(2), Jump(2), STEP)))
    assert above == (None, None, 0, 2)


def test_dominators_where_the_first_guess_is_corrected():
    # 5 is first found below 1; the other way, through 3, lifts it (and what is below it) to 0.
    code = (Branch(R, 3), STEP, Jump(5), Branch(R, 5), Jump(6), STEP, Branch(R, 3), STEP)
    above = immediate_dominators(flow_of(thread(*code)))
    assert above == (None, 0, 1, 0, 3, 0, 0, 6, 7)


def test_dominators_agree_with_their_definition():
    """a dominates b iff b cannot be reached without a."""
    threads = [
        thread(Branch(R, 3), Branch(R, 0), Jump(4), Branch(R, 1), Branch(R, 2), STEP),
        thread(
            Choose((1, 2, 4)), Choose((3, 4)), Choose((3, 0)), Branch(R, 1), Choose((2, 5, 6)), Jump(6), Branch(R, 4)
        ),
    ]
    for each in threads:
        flow = flow_of(each)
        above = immediate_dominators(flow)
        for a in reachable(flow.successors):
            without = tuple(() if place == a else targets for place, targets in enumerate(flow.successors))
            avoiding = reachable(without) if a else frozenset()
            for b in reachable(flow.successors) - {a}:
                assert dominates(above, a, b) == (b not in avoiding), (each, a, b)


def test_nested_loops():
    # 0: while (r) { 1: while (r) { 2 } }
    loops = natural_loops(flow_of(thread(Branch(R, 4), Branch(R, 0), STEP, Jump(1))))
    assert [(loop.header, loop.body) for loop in loops] == [(0, {0, 1, 2, 3}), (1, {1, 2, 3})]


def test_two_back_edges_to_one_header_are_one_loop():
    loops = natural_loops(flow_of(thread(STEP, Branch(R, 0), Branch(Const(1), 0))))
    assert [(loop.header, loop.body) for loop in loops] == [(0, {0, 1, 2})]


def test_a_cycle_with_two_entries_is_no_natural_loop():
    assert natural_loops(flow_of(thread(Branch(R, 2), STEP, STEP, Branch(R, 1)))) == ()


def test_unreachable_code_makes_no_loops():
    assert natural_loops(flow_of(thread(Jump(2), Jump(1), STEP))) == ()
