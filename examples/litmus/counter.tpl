// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// A counter that three threads increase. Read-modify-writes are never lost, so a relaxed one is enough.
max_value 3;
global counter;

fn one {
    local before;
    before = FADD(counter, 1, rlx, rlx);
    assert(before < 3);
}

fn two {
    local before;
    before = FADD(counter, 1, rlx, rlx);
    assert(before < 3);
}

fn three {
    local before;
    before = FADD(counter, 1, rlx, rlx);
    assert(before < 3);
}
