// ROBUSTNESS egr: not: ra, rlx.
// ROBUSTNESS wegr: not: ra, rlx.
//
// Independent reads of independent writes: two readers see two writes in opposite orders. Not even release and acquire
// forbid that; it takes a sequentially consistent fence between the reads of both.
max_value 1;
global x, y;

fn writer_of_x {
    x.store(1, rel);
}

fn writer_of_y {
    y.store(1, rel);
}

fn reader_of_x_first {
    local a, b;
    a = x.load(acq);
    b = y.load(acq);
    assert(a == 0 || b == 0 || a == b);
}

fn reader_of_y_first {
    local a, b;
    a = y.load(acq);
    b = x.load(acq);
    assert(a == 0 || b == 0 || a == b);
}
