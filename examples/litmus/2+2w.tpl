// ROBUSTNESS egr: not: ra, rlx.
// ROBUSTNESS wegr: not: ra, rlx.
//
// Two threads write the same two locations in opposite orders. Under SC one of the last writes is 2; without fences
// both locations may end with 1, each write going before the other thread's.
max_value 2;
global x, y;

fn left {
    x.store(1, rel);
    y.store(2, rel);
}

fn right {
    y.store(1, rel);
    x.store(2, rel);
}
