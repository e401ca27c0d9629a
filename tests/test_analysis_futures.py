from fencepost.program.analysis.futures import Future, future_accesses
from fencepost.program.expr import Binary, Const, ReadValue, Reg
from fencepost.program.form import (
    BlockingCas,
    Branch,
    Cas,
    Choose,
    Instruction,
    Jump,
    Load,
    Location,
    Program,
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
X, Y, Z = Ref("x"), Ref("y"), Ref("z")
ONE = Const(1)
NOTHING = Future()


def futures(*code: Instruction) -> tuple[Future, ...]:
    thread = Thread("t", ("r",), code)
    locations = (Location("x"), Location("y"), Location("z", (0, 0)))
    return future_accesses(Program("p", locations, (thread,)), thread)


def future(reads: str = "", writes: str = "") -> Future:
    return Future(frozenset(reads), frozenset(writes))


def test_reads_and_writes_of_each_kind_of_access():
    assert futures(Load("r", X, RLX))[0] == future(reads="x")
    assert futures(Wait(None, X, Binary("==", ReadValue(), ONE), RLX))[0] == future(reads="x")
    assert futures(Store(X, ONE, RLX))[0] == future(writes="x")
    assert futures(Rmw(None, RmwOp.ADD, X, ONE, RLX))[0] == future(reads="x", writes="x")
    assert futures(Cas(None, X, ONE, ONE, RLX, RLX))[0] == future(reads="x", writes="x")
    assert futures(BlockingCas(X, ONE, ONE, RLX))[0] == future(reads="x", writes="x")
    assert futures(Use(Reg("r")))[0] == NOTHING


def test_what_has_been_passed_does_not_come_back():
    assert futures(Load("r", X, RLX), Store(Y, ONE, RLX)) == (future("x", "y"), future(writes="y"), NOTHING)


def test_an_array_is_one_name_whatever_the_index():
    assert futures(Store(Ref("z", Reg("r")), ONE, RLX))[0] == future(writes="z")


def test_all_ways_count():
    code = (Choose((1, 3, 5)), Load("r", X, RLX), Jump(5), Load("r", Y, RLX), Jump(5))
    assert futures(*code)[0].reads == {"x", "y"}
    assert futures(*code)[3].reads == {"y"}


def test_in_a_loop_everything_comes_again():
    inside = future("xz", "y")
    code = (Load("r", X, RLX), Store(Y, ONE, RLX), Branch(Reg("r"), 0), Load("r", Ref("z", ONE), RLX))
    assert futures(*code) == (inside, inside, inside, future("z"), NOTHING)
    assert inside.accesses == {"x", "y", "z"}


def test_several_rounds_are_needed_for_backward_jumps():
    # 0 -> 4 -> 2 -> 6, each step backwards but the last
    code = (Jump(4), Jump(6), Jump(6), Jump(1), Jump(2), Jump(3), Load("r", X, RLX))
    assert all(each.reads == {"x"} for each in futures(*code)[:-1])
