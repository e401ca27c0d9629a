// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// The spinlock of spinlock5-ra.tpl with relaxed waiting and taking, and one acquire fence for the winner: who loses
// pays for no order at all. The data is non-atomic, so that any gap in the chain of release store, relaxed CAS and
// fence would be a data race.
max_value 10;
global held;
na data;                   // what the lock protects

fn t1 {
    local got;
    again:
    wait(held, 0, rlx);
    got = CAS(held, 0, 1, rlx, rlx);
    if (got != 0) goto again;
    fence(acq);
    data.nastore(1);
    got = data.naload();
    assert(got == 1);                                      // nobody else is here
    held.store(0, rel);
    goto again;
}

fn t2 {
    local got;
    again:
    wait(held, 0, rlx);
    got = CAS(held, 0, 1, rlx, rlx);
    if (got != 0) goto again;
    fence(acq);
    data.nastore(2);
    got = data.naload();
    assert(got == 2);                                      // nobody else is here
    held.store(0, rel);
    goto again;
}

fn t3 {
    local got;
    again:
    wait(held, 0, rlx);
    got = CAS(held, 0, 1, rlx, rlx);
    if (got != 0) goto again;
    fence(acq);
    data.nastore(3);
    got = data.naload();
    assert(got == 3);                                      // nobody else is here
    held.store(0, rel);
    goto again;
}

fn t4 {
    local got;
    again:
    wait(held, 0, rlx);
    got = CAS(held, 0, 1, rlx, rlx);
    if (got != 0) goto again;
    fence(acq);
    data.nastore(4);
    got = data.naload();
    assert(got == 4);                                      // nobody else is here
    held.store(0, rel);
    goto again;
}

fn t5 {
    local got;
    again:
    wait(held, 0, rlx);
    got = CAS(held, 0, 1, rlx, rlx);
    if (got != 0) goto again;
    fence(acq);
    data.nastore(5);
    got = data.naload();
    assert(got == 5);                                      // nobody else is here
    held.store(0, rel);
    goto again;
}
