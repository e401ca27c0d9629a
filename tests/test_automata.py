"""Automata text: what it means, what it prints as, and what is said about text that is none."""

from __future__ import annotations

import pytest

from fencepost.api import fence
from fencepost.fences.types import Repaired
from fencepost.frontends import InputError, loads
from fencepost.frontends.automata.writer import to_automata
from fencepost.program.analysis.locks import locked_places
from fencepost.program.expr import Binary, Const, Reg
from fencepost.program.form import MEMORY, Assume, Branch, Choose, Fence, Isa, Load, Lock, Program, Ref, Store, Unlock
from fencepost.program.orders import FenceKind, Order

COUNTER = """\
# Two threads on few addresses
memory_size 6

thread adder
initial q0
transition q0 q1    lock
transition q1 q2    read    tmp     5
transition q2 q3    write   + tmp 1 5
transition q3 q4    unlock
transition q4 q5    mfence
end

# fills memory
thread filler
initial q0
transition q0 q1    local   i   1
transition q1 q2    check   <= i 5
transition q2 q3    write   i   i
transition q3 q1    local   i   + i 1
transition q1 q9    check   > i 5
end
"""


def parse(text: str) -> Program:
    return loads(text, "p.txt")


def thread(*transitions: str, initial: str = "a") -> str:
    lines = ["thread t", f"initial {initial}", *(f"transition {transition}" for transition in transitions), "end"]
    return "\n".join(lines) + "\n"


def test_commands_become_instructions() -> None:
    adder, filler = parse(COUNTER).threads
    assert [type(instruction) for instruction in adder.code[:5]] == [Lock, Load, Store, Unlock, Fence]
    assert adder.code[1] == Load("tmp", Ref("[5]"), Order.RELAXED)
    assert adder.code[2] == Store(Ref("[5]"), Binary("+", Reg("tmp"), Const(1)), Order.RELAXED)
    assert adder.code[4] == Fence(FenceKind.MFENCE)
    assert [name for _, name in adder.places] == ["q0", "q1", "q2", "q3", "q4", "q5"]
    assert Store(Ref(MEMORY, Reg("i")), Reg("i"), Order.RELAXED) in filler.code
    assert adder.code[1].span is not None
    assert adder.code[1].span.line == 7


def test_it_is_a_program_for_x86() -> None:
    assert parse(COUNTER).isa is Isa.X86
    assert parse(COUNTER).language == "automata"


def test_every_address_is_a_location() -> None:
    assert [(location.name, location.address) for location in parse(COUNTER).locations] == [
        (f"[{address}]", address) for address in range(1, 6)
    ]


def test_far_addresses_cost_nothing() -> None:
    program = parse(thread("a b write 1 1000000", "b c read r -3"))
    assert [location.address for location in program.locations] == [-3, 1000000]


def test_a_computed_address_reaches_what_is_written_there() -> None:
    program = parse(thread("a b local p 7", "b c write 3 p", "c d local p + p 2", "d e read r p"))
    assert [location.address for location in program.locations] == [7, 9]


def test_values_are_those_that_occur() -> None:
    program = parse(thread("a b write 3 0", "b c read r 0", "c d local s * r r", "d e local m - r 5"))
    assert (program.min_value, program.max_value) == (-5, 9)
    assert not program.wraps


def test_counting_loops_have_an_end() -> None:
    filler = parse(COUNTER[COUNTER.index("# fills") :])
    assert (filler.min_value, filler.max_value) == (0, 6)


def test_values_without_bound_get_one() -> None:
    program = parse(thread("a b read r 0", "b a write + r 1 0"))
    assert program.max_value == 9  # 8 beyond the constants


def test_the_size_of_memory_matters_where_addresses_have_no_bound() -> None:
    text = thread("a b read p 0", "b a write + p 1 p")
    assert len(parse(text).locations) == 10
    assert len(parse("memory_size 4\n" + text).locations) == 4


def test_opposite_checks_are_a_branch_and_others_a_choice() -> None:
    (branching,) = parse(thread("a b check == r 0", "a c check != r 0")).threads
    assert isinstance(branching.code[0], Branch)
    (choosing,) = parse(thread("a b check == r 0", "a c check == r 1", "a a noop")).threads
    choice = choosing.code[0]
    assert isinstance(choice, Choose)
    assert [type(choosing.code[target]) for target in choice.targets[:2]] == [Assume, Assume]
    assert len(choice.targets) == 3


def test_power_is_repeated_multiplication() -> None:
    assert parse(thread("a b local r ^ s 3")) == parse(thread("a b local r * s * s s"))


def test_threads_may_have_several_thousand_states() -> None:
    text = thread(*(f"q{number} q{number + 1} noop" for number in range(5000)), initial="q0")
    assert len(parse(text).threads[0].places) == 5001


def test_several_initial_states_are_a_choice() -> None:
    program = parse(
        "thread t\ninitial a\ninitial b\ninitial a\ntransition a c write 1 0\ntransition b c write 2 0\nend"
    )
    code = program.threads[0].code
    assert isinstance(code[0], Choose)
    assert len(code[0].targets) == 2
    assert {instruction.value for instruction in code if isinstance(instruction, Store)} == {Const(1), Const(2)}
    assert program.notes == ("thread t starts in any of its initial states: a, b",)


@pytest.mark.parametrize("name", ["p.txt", "p", "p.unknown"])
def test_it_is_known_by_its_content(name: str) -> None:
    assert loads(COUNTER, name).language == "automata"


def test_other_languages_in_txt_files_are_known_too() -> None:
    assert loads("global x; fn f { local r; r = x.load(); }", "p.txt").language == "tpl"


def test_a_state_inside_and_outside_a_lock_has_two_copies() -> None:
    """Table 7.1: a thread that has the lock cannot take it again. Elsewhere the same transition goes on."""
    program = parse(thread("a b lock", "a b noop", "b c write 1 0", "c d lock", "d e unlock"))
    assert program.notes == (
        "line 6: thread 't', state 'c': control may also come to this lock inside another lock, and gets stuck",
    )
    held = locked_places(program.threads[0])
    places = {(name, held[pc]) for pc, name in program.threads[0].places}
    assert places == {("a", False), ("b", True), ("b", False), ("c", True), ("c", False), ("d", True), ("e", False)}
    assert len([instruction for instruction in program.threads[0].code if isinstance(instruction, Lock)]) == 2


def test_copies_of_a_state_get_one_fence() -> None:
    text = "thread u\ninitial a\ntransition a b write 1 1\ntransition b c mfence\ntransition c d read r 0\nend\n"
    program = parse(thread("a b lock", "b c noop", "b c unlock", "c d write 1 0", "d e read r 1") + text)
    outcome = fence(program).outcome
    assert isinstance(outcome, Repaired)
    assert [change.edits[0].name for change in outcome.changes] == ["d"]
    assert outcome.text is not None
    assert outcome.text.count("mfence") == 2


def test_an_address_that_nothing_writes_is_noted() -> None:
    assert parse(thread("a b write 1 x")).notes == (
        "line 3: the address 'x' is a register that thread t never writes, so it is always 0",
    )
    assert parse(thread("a b local x 1", "b c write 1 x")).notes == ()


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("thread t\ninitial a\ntransition a b jump\nend", 3, 16, "expected a command (write, read"),
        (
            "thread t\ninitial a\ntransition a b write 1\nend",
            3,
            23,
            "expected the address to write to, found the end of",
        ),
        ("thread t\ninitial a\ntransition a b check == r\nend", 3, 26, "expected the second operand of '=='"),
        ("thread t\ninitial a\ntransition a b local 3 4\nend", 3, 22, "expected the register to assign to, found '3'"),
        ("thread t\ninitial a\ntransition a b check / r 2\nend", 3, 22, "expected the condition, found '/'"),
        ("thread t\ninitial a\ntransition a b check 3x\nend", 3, 22, "neither an integer nor a name"),
        ("thread t\ninitial a\ntransition a b check 99999999999\nend", 3, 22, "is not a C int"),
        ("thread t\ninitial a\ntransition a b local r ^ r r\nend", 3, 28, "expected a constant from 0 to 64"),
        ("thread t\ninitial a\n# no\nend", 3, 1, "expected 'transition', 'initial', 'final' or 'end', found '#'"),
        ("thread t\ninitial a\nfinal b\nfinal b\nend", 4, 1, "has a second 'final'"),
        ("thread t\ntransition a b noop\nend", 3, 1, "does not say in which state it starts"),
        ("thread t\ninitial a\ntransition a b noop", 3, 20, "found the end of the file"),
        ("thread t\ninitial a\nend\nthread t\ninitial a\nend", 4, 8, "there is already a thread 't', in line 1"),
        ("memory_size x\nthread t\ninitial a\nend", 1, 13, "expected the number of addresses"),
        ("# nothing\n", 1, 10, "there is none in this file"),
        ("thread t\ninitial a\nend\nend", 4, 1, "expected 'thread', 'memory_size' or a comment, found 'end'"),
        ("thread t\ninitial a\ntransition a b unlock\nend", 3, 16, "state 'a': unlock without a lock before it"),
        (
            "thread t\ninitial a\ntransition a b lock\ntransition b c lock\nend",
            4,
            16,
            "state 'b': lock inside another lock",
        ),
    ],
)
def test_errors_say_what_was_expected_where(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column), str(caught.value)
    assert message in caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        COUNTER,
        thread("a b check == r 0", "a c check != r 0", "b a noop", "c d mfence", "c e read r + r 1"),
        thread("a a noop", "a b local r - 0 s", "b c check && r || ! r <= r 3"),
    ],
)
def test_what_is_written_reads_back(text: str) -> None:
    once = to_automata(parse(text))
    again = parse(once)
    assert to_automata(again) == once
    assert [thread.code for thread in again.threads] == [thread.code for thread in parse(text).threads]
    assert again.locations == parse(text).locations


def test_a_state_that_nothing_leads_to_is_noted() -> None:
    program = loads("thread t\ninitial q1\ntransition q0 q1 write 1 0\ntransition q1 q2 noop\nend\n", "x.txt")
    assert program.notes == ("thread 't': nothing leads to 'q0' (line 3), so what leaves there is never taken",)
    fixed = loads("thread t\ninitial q0\ntransition q0 q1 write 1 0\ntransition q1 q2 noop\nend\n", "x.txt")
    assert not fixed.notes
