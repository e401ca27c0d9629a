// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// Dekker's mutual exclusion with relaxed accesses and fences, after Williams (2010): sequentially consistent fences
// between raising the own flag and reading the other's, an acquire fence on entering and a release fence on leaving.
// No access by itself orders anything; data is non-atomic, and never raced for. Here both threads enter again and
// again; for that, one who gives way must not see an old turn in the loops, which costs an acquire fence and one more
// full fence there. Who enters without contention pays for neither.
max_value 10;
global flag0, flag1;       // thread 0, thread 1 would like to enter
global turn;               // who need not give way if both would
na data;                   // what the lock protects

fn t0 {
    local wants, seen;
    again:
    flag0.store(1, rlx);
    fence(seq_cst);                                         // my flag before theirs
    wants = flag1.load(rlx);
    while (wants == 1) {
        fence(acq);
        seen = turn.load(rlx);
        if (seen != 0) {
            flag0.store(0, rlx);
            fence(seq_cst);                                 // (for those who come back: see above)
            seen = turn.load(rlx);
            while (seen != 0) { seen = turn.load(rlx); }
            flag0.store(1, rlx);
            fence(seq_cst);
        }
        wants = flag1.load(rlx);
    }
    fence(acq);
    data.nastore(1);
    seen = data.naload();
    assert(seen == 1);                                 // nobody else is here
    turn.store(1, rlx);
    fence(rel);
    flag0.store(0, rlx);
    goto again;
}

fn t1 {
    local wants, seen;
    again:
    flag1.store(1, rlx);
    fence(seq_cst);                                         // my flag before theirs
    wants = flag0.load(rlx);
    while (wants == 1) {
        fence(acq);
        seen = turn.load(rlx);
        if (seen != 1) {
            flag1.store(0, rlx);
            fence(seq_cst);                                 // (for those who come back: see above)
            seen = turn.load(rlx);
            while (seen != 1) { seen = turn.load(rlx); }
            flag1.store(1, rlx);
            fence(seq_cst);
        }
        wants = flag0.load(rlx);
    }
    fence(acq);
    data.nastore(2);
    seen = data.naload();
    assert(seen == 2);                                 // nobody else is here
    turn.store(0, rlx);
    fence(rel);
    flag1.store(0, rlx);
    goto again;
}
