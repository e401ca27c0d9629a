// ROBUSTNESS egr: not: ra, rlx.
//
// Lamport's fast mutual exclusion (1987, his second algorithm) for four threads: seven accesses if nobody else comes,
// whatever the number of threads. Release/acquire accesses; sequentially consistent fences wherever a thread writes
// one location and then looks at another. With three threads it is robust; with four, a thread that waits for b3 = 0 may read
// an older 0 than the newest. The observational notion was not searched to the end yet.
max_value 10;
global x, y;               // who came last to the first gate, to the second; y: 0 if the lock is free
global b1, b2, b3, b4;         // thread i is on its way
global data;               // what the lock protects

fn t1 {
    local seen;
    again:
    b1.store(1, rel);
    fence(seq_cst);                                         // b1 before x
    x.store(1, rel);
    fence(seq_cst);                                         // x before y is read
    seen = y.load(acq);
    if (seen != 0) {
        b1.store(0, rel);
        wait(y, 0, acq);
        goto again;
    }
    y.store(1, rel);
    fence(seq_cst);                                         // y before x is read
    seen = x.load(acq);
    if (seen == 1) goto enter;
    b1.store(0, rel);                                       // contention: wait for the others, look who was last
    fence(seq_cst);
    wait(b2, 0, acq);
    fence(seq_cst);
    wait(b3, 0, acq);
    fence(seq_cst);
    wait(b4, 0, acq);
    seen = y.load(acq);
    if (seen != 1) {
        wait(y, 0, acq);
        goto again;
    }
    enter:
    data.store(1, rel);
    seen = data.load(acq);
    assert(seen == 1);                                     // nobody else is here
    y.store(0, rel);
    b1.store(0, rel);
    goto again;
}

fn t2 {
    local seen;
    again:
    b2.store(1, rel);
    fence(seq_cst);                                         // b2 before x
    x.store(2, rel);
    fence(seq_cst);                                         // x before y is read
    seen = y.load(acq);
    if (seen != 0) {
        b2.store(0, rel);
        wait(y, 0, acq);
        goto again;
    }
    y.store(2, rel);
    fence(seq_cst);                                         // y before x is read
    seen = x.load(acq);
    if (seen == 2) goto enter;
    b2.store(0, rel);                                       // contention: wait for the others, look who was last
    fence(seq_cst);
    wait(b1, 0, acq);
    fence(seq_cst);
    wait(b3, 0, acq);
    fence(seq_cst);
    wait(b4, 0, acq);
    seen = y.load(acq);
    if (seen != 2) {
        wait(y, 0, acq);
        goto again;
    }
    enter:
    data.store(2, rel);
    seen = data.load(acq);
    assert(seen == 2);                                     // nobody else is here
    y.store(0, rel);
    b2.store(0, rel);
    goto again;
}

fn t3 {
    local seen;
    again:
    b3.store(1, rel);
    fence(seq_cst);                                         // b3 before x
    x.store(3, rel);
    fence(seq_cst);                                         // x before y is read
    seen = y.load(acq);
    if (seen != 0) {
        b3.store(0, rel);
        wait(y, 0, acq);
        goto again;
    }
    y.store(3, rel);
    fence(seq_cst);                                         // y before x is read
    seen = x.load(acq);
    if (seen == 3) goto enter;
    b3.store(0, rel);                                       // contention: wait for the others, look who was last
    fence(seq_cst);
    wait(b1, 0, acq);
    fence(seq_cst);
    wait(b2, 0, acq);
    fence(seq_cst);
    wait(b4, 0, acq);
    seen = y.load(acq);
    if (seen != 3) {
        wait(y, 0, acq);
        goto again;
    }
    enter:
    data.store(3, rel);
    seen = data.load(acq);
    assert(seen == 3);                                     // nobody else is here
    y.store(0, rel);
    b3.store(0, rel);
    goto again;
}

fn t4 {
    local seen;
    again:
    b4.store(1, rel);
    fence(seq_cst);                                         // b4 before x
    x.store(4, rel);
    fence(seq_cst);                                         // x before y is read
    seen = y.load(acq);
    if (seen != 0) {
        b4.store(0, rel);
        wait(y, 0, acq);
        goto again;
    }
    y.store(4, rel);
    fence(seq_cst);                                         // y before x is read
    seen = x.load(acq);
    if (seen == 4) goto enter;
    b4.store(0, rel);                                       // contention: wait for the others, look who was last
    fence(seq_cst);
    wait(b1, 0, acq);
    fence(seq_cst);
    wait(b2, 0, acq);
    fence(seq_cst);
    wait(b3, 0, acq);
    seen = y.load(acq);
    if (seen != 4) {
        wait(y, 0, acq);
        goto again;
    }
    enter:
    data.store(4, rel);
    seen = data.load(acq);
    assert(seen == 4);                                     // nobody else is here
    y.store(0, rel);
    b4.store(0, rel);
    goto again;
}
