// ROBUSTNESS egr: not: ra, rlx.
// ROBUSTNESS wegr: not: ra, rlx.
//
// Store buffering: two threads announce themselves and then look for each other. Under every model weaker than SC both
// may miss the other one, as when each store still waits in a buffer. It is the core of Dekker's and Peterson's locks.
max_value 1;
global x, y;

fn left {
    local seen;
    x.store(1, rlx);
    seen = y.load(rlx);
    assert(seen == 0 || seen == 1);     // a use of what was seen; without one, nobody could tell
}

fn right {
    local seen;
    y.store(1, rlx);
    seen = x.load(rlx);
    assert(seen == 0 || seen == 1);
}
