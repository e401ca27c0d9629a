// ROBUSTNESS egr: not: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// Store buffering in which nobody looks at what was read: not robust, as there are executions that SC does not have, and
// yet observationally robust, as the program cannot tell. `verify(seen)` would be a use, and make the difference.
max_value 1;
global x, y;

fn left {
    local seen;
    x.store(1, rlx);
    seen = y.load(rlx);
}

fn right {
    local seen;
    y.store(1, rlx);
    seen = x.load(rlx);
}
