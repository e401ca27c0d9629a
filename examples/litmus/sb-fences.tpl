// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// Store buffering, repaired: a sequentially consistent fence between the store and the load of both threads.
max_value 1;
global x, y;

fn left {
    local seen;
    x.store(1, rlx);
    fence(seq_cst);
    seen = y.load(rlx);
    verify(seen);
}

fn right {
    local seen;
    y.store(1, rlx);
    fence(seq_cst);
    seen = x.load(rlx);
    verify(seen);
}
