// ROBUSTNESS egr: not: ra, rlx.
// ROBUSTNESS wegr: not: ra, rlx.
//
// Store buffering: two threads announce themselves and then look for each other. Under every model weaker than SC both
// may miss the other one, as when each store still waits in a buffer. It is the core of Dekker's and Peterson's locks.
// (`verify` is a use of what was read; without one, nobody could tell.)
max_value 1;
global x, y;

fn left {
    local seen;
    x.store(1, rlx);
    seen = y.load(rlx);
    verify(seen);
}

fn right {
    local seen;
    y.store(1, rlx);
    seen = x.load(rlx);
    verify(seen);
}
