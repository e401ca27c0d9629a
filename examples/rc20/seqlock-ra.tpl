// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// A sequence lock (Boehm 2012): readers write nothing, read the data speculatively, and try again if the version has
// changed meanwhile. Three threads read and write as they like, up to version 30. With release/acquire accesses
// throughout nothing stale is read at all, at the price of ordering every access to the data.
max_value 30;
global seq;                // even: the data is whole; odd: it is being written
global x, y;               // the data

fn t1 {
    local before, after, a, b;
    again:
    oneof {                                                 // write
        before = seq.load(acq);
        if (before % 2 == 1 || before == 30) goto again;    // somebody else writes, or all is written
        after = CAS(seq, before, before + 1, acq, rel);
        if (after != before) goto again;
        x.store(before, rel);
        y.store(before, rel);
        seq.store(before + 2, rel);
    } {                                                     // read
        before = seq.load(acq);
        if (before % 2 == 1) goto again;                    // somebody writes
        a = x.load(acq);
        b = y.load(acq);
        after = seq.load(acq);
        if (after != before) goto again;                    // somebody has written
        assert(a == b);
    };
    goto again;
}

fn t2 {
    local before, after, a, b;
    again:
    oneof {                                                 // write
        before = seq.load(acq);
        if (before % 2 == 1 || before == 30) goto again;    // somebody else writes, or all is written
        after = CAS(seq, before, before + 1, acq, rel);
        if (after != before) goto again;
        x.store(before, rel);
        y.store(before, rel);
        seq.store(before + 2, rel);
    } {                                                     // read
        before = seq.load(acq);
        if (before % 2 == 1) goto again;                    // somebody writes
        a = x.load(acq);
        b = y.load(acq);
        after = seq.load(acq);
        if (after != before) goto again;                    // somebody has written
        assert(a == b);
    };
    goto again;
}

fn t3 {
    local before, after, a, b;
    again:
    oneof {                                                 // write
        before = seq.load(acq);
        if (before % 2 == 1 || before == 30) goto again;    // somebody else writes, or all is written
        after = CAS(seq, before, before + 1, acq, rel);
        if (after != before) goto again;
        x.store(before, rel);
        y.store(before, rel);
        seq.store(before + 2, rel);
    } {                                                     // read
        before = seq.load(acq);
        if (before % 2 == 1) goto again;                    // somebody writes
        a = x.load(acq);
        b = y.load(acq);
        after = seq.load(acq);
        if (after != before) goto again;                    // somebody has written
        assert(a == b);
    };
    goto again;
}
