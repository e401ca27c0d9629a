// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// Peterson's lock with release/acquire everywhere: every store releases, every load acquires, and the turn is
// exchanged with both. Two stores would not do in place of the exchanges: only read-modify-writes of the turn order
// the two threads' entries.
max_value 3;
global flag0, flag1;       // thread 0, thread 1 would like to enter
global turn;               // who may enter if both would: 1 for thread 0, 2 for thread 1
na data;                   // what the lock protects

fn t0 {
    local other, turns;
    again:
    flag0.store(1, rel);
    exchange(turn, 2, acq, rel);                // after you
    other = flag1.load(acq);
    while (other == 1) {
        turns = turn.load(acq);
        if (turns == 1) goto enter;
        other = flag1.load(acq);
    }
    enter:
    data.nastore(1);
    turns = data.naload();
    assert(turns == 1);                                // nobody else is here
    flag0.store(0, rel);
    goto again;
}

fn t1 {
    local other, turns;
    again:
    flag1.store(1, rel);
    exchange(turn, 1, acq, rel);                // after you
    other = flag0.load(acq);
    while (other == 1) {
        turns = turn.load(acq);
        if (turns == 2) goto enter;
        other = flag0.load(acq);
    }
    enter:
    data.nastore(2);
    turns = data.naload();
    assert(turns == 2);                                // nobody else is here
    flag1.store(0, rel);
    goto again;
}
