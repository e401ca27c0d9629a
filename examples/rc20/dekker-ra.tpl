// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// Dekker's mutual exclusion with release/acquire accesses. These alone would not do: each thread raises its flag and
// then looks at the other's, as in store buffering, so a sequentially consistent fence must stand between. The turn
// needs none. A thread spins on the flag alone once it knows that it is its turn.
global flag0, flag1;       // thread 0, thread 1 would like to enter
global turn;               // who need not give way if both would

fn t0 {
    local wants, seen;
    again:
    flag0.store(1, rel);
    fence(seq_cst);                                         // my flag before theirs
    look:
    wants = flag1.load(acq);
    if (wants == 0) goto enter;
    seen = turn.load(acq);
    if (seen == 0) goto insist;
    flag0.store(0, rel);                                    // give way
    fence(seq_cst);
    seen = turn.load(acq);
    while (seen != 0) { seen = turn.load(acq); }
    flag0.store(1, rel);
    fence(seq_cst);
    goto look;
    insist:
    wants = flag1.load(acq);
    if (wants == 1) goto insist;
    enter:
    turn.store(1, rel);                                    // leave: now it is the other's turn
    flag0.store(0, rel);
    goto again;
}

fn t1 {
    local wants, seen;
    again:
    flag1.store(1, rel);
    fence(seq_cst);                                         // my flag before theirs
    look:
    wants = flag0.load(acq);
    if (wants == 0) goto enter;
    seen = turn.load(acq);
    if (seen == 1) goto insist;
    flag1.store(0, rel);                                    // give way
    fence(seq_cst);
    seen = turn.load(acq);
    while (seen != 1) { seen = turn.load(acq); }
    flag1.store(1, rel);
    fence(seq_cst);
    goto look;
    insist:
    wants = flag0.load(acq);
    if (wants == 1) goto insist;
    enter:
    turn.store(0, rel);                                    // leave: now it is the other's turn
    flag1.store(0, rel);
    goto again;
}
