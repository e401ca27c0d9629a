// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// Load buffering: each thread reads what the other writes afterwards. RC20 keeps every read after the write it reads
// from (program order and reads-from have no cycle), so nothing is gained over SC; Power and ARM do reorder it.
max_value 1;
global x, y;

fn left {
    local seen;
    seen = x.load(rlx);
    y.store(1, rlx);
    verify(seen);
}

fn right {
    local seen;
    seen = y.load(rlx);
    x.store(1, rlx);
    verify(seen);
}
