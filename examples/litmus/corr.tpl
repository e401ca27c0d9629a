// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// Coherence of reads: whoever has seen the new value of a location does not see the old one again, even with relaxed
// accesses. One location alone always behaves as under SC.
max_value 1;
global x;

fn writer {
    x.store(1, rlx);
}

fn reader {
    local first, second;
    first = x.load(rlx);
    second = x.load(rlx);
    assert(first <= second);
}
