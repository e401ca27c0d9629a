// ROBUSTNESS egr: not: rlx. robust: ra.
// ROBUSTNESS wegr: not: rlx. robust: ra.
//
// Message passing: data, then a flag that says it is there. With relaxed accesses the reader may see the flag and still
// miss the data; release and acquire are enough to repair it, so under RA it is robust as it stands.
max_value 1;
global data, flag;

fn writer {
    data.store(1, rlx);
    flag.store(1, rlx);
}

fn reader {
    local seen;
    wait(flag, 1, rlx);
    seen = data.load(rlx);
    assert(seen == 1);
}
