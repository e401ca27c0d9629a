// ROBUSTNESS egr: not: rlx.
// ROBUSTNESS wegr: robust: rlx.
//
// A sequence lock (Boehm 2012): readers write nothing, read the data speculatively, and try again if the version has
// changed meanwhile. Three threads read and write as they like, up to version 30. Readers look at the version the
// second time by adding 0 to it with release order (see seqlock_rdmw.tpl); writers use release stores. Stale data may
// be read, so the program is not robust; but it is thrown away whenever that happens, so the program is
// observationally robust.
max_value 30;
global seq;                // even: the data is whole; odd: it is being written
global x, y;               // the data

fn t1 {
    local before, after, a, b;
    again:
    oneof {                                                 // write
        before = seq.load(acq);
        if (before % 2 == 1 || before == 30) goto again;    // somebody else writes, or all is written
        after = CAS(seq, before, before + 1, acq, rlx);
        if (after != before) goto again;
        x.store(before, rel);
        y.store(before, rel);
        seq.store(before + 2, rel);
    } {                                                     // read
        before = seq.load(acq);
        if (before % 2 == 1) goto again;                    // somebody writes
        a = x.load(rlx);
        b = y.load(rlx);
        fence(acq);                                         // data before this
        after = FADD(seq, 0, rlx, rel);
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
        after = CAS(seq, before, before + 1, acq, rlx);
        if (after != before) goto again;
        x.store(before, rel);
        y.store(before, rel);
        seq.store(before + 2, rel);
    } {                                                     // read
        before = seq.load(acq);
        if (before % 2 == 1) goto again;                    // somebody writes
        a = x.load(rlx);
        b = y.load(rlx);
        fence(acq);                                         // data before this
        after = FADD(seq, 0, rlx, rel);
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
        after = CAS(seq, before, before + 1, acq, rlx);
        if (after != before) goto again;
        x.store(before, rel);
        y.store(before, rel);
        seq.store(before + 2, rel);
    } {                                                     // read
        before = seq.load(acq);
        if (before % 2 == 1) goto again;                    // somebody writes
        a = x.load(rlx);
        b = y.load(rlx);
        fence(acq);                                         // data before this
        after = FADD(seq, 0, rlx, rel);
        if (after != before) goto again;                    // somebody has written
        assert(a == b);
    };
    goto again;
}
