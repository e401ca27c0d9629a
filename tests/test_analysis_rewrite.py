from fencepost.program.analysis.rewrite import replace_instructions
from fencepost.program.expr import Const, Reg
from fencepost.program.form import Branch, Choose, Jump, Span, Thread, Use

ONE, TWO, THREE = (Use(Const(number)) for number in (1, 2, 3))


def test_targets_follow_the_code():
    thread = Thread("t", ("r",), (Branch(Reg("r"), 2), ONE, Choose((0, 3, 5)), TWO, Jump(1)))
    new = replace_instructions(thread, {1: (ONE, THREE), 3: (THREE, TWO, THREE)})
    assert new.code == (Branch(Reg("r"), 3), ONE, THREE, Choose((0, 4, 8)), THREE, TWO, THREE, Jump(1))


def test_a_jump_to_a_removed_instruction_goes_to_the_next_one():
    thread = Thread("t", ("r",), (Jump(1), ONE, TWO))
    assert replace_instructions(thread, {1: ()}).code == (Jump(1), TWO)


def test_targets_of_the_replacement_are_places_of_the_old_code():
    thread = Thread("t", ("r",), (ONE, TWO))
    assert replace_instructions(thread, {0: (THREE, THREE, Jump(1))}).code == (THREE, THREE, Jump(3), TWO)


def test_spans_stay():
    thread = Thread("t", ("r",), (Jump(1, span=Span(4, 2)), ONE))
    assert [i.span for i in replace_instructions(thread, {1: (TWO, THREE)}).code] == [Span(4, 2), None, None]
