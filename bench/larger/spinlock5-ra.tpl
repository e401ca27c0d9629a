// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// Test and test-and-set: five threads wait until the lock is free, then all of them try to take it, and the losers
// wait again. Release/acquire throughout. A CAS that fails must not read a stale 0, and cannot: what it may read
// after the wait and what it may not is seen in the views of the values 0 and 1 apart.
max_value 10;
global held;
global data;               // what the lock protects

fn t1 {
    local got;
    again:
    wait(held, 0, acq);
    got = CAS(held, 0, 1, acq, rel);
    if (got != 0) goto again;
    data.store(1, rel);
    got = data.load(acq);
    assert(got == 1);                                      // nobody else is here
    held.store(0, rel);
    goto again;
}

fn t2 {
    local got;
    again:
    wait(held, 0, acq);
    got = CAS(held, 0, 1, acq, rel);
    if (got != 0) goto again;
    data.store(2, rel);
    got = data.load(acq);
    assert(got == 2);                                      // nobody else is here
    held.store(0, rel);
    goto again;
}

fn t3 {
    local got;
    again:
    wait(held, 0, acq);
    got = CAS(held, 0, 1, acq, rel);
    if (got != 0) goto again;
    data.store(3, rel);
    got = data.load(acq);
    assert(got == 3);                                      // nobody else is here
    held.store(0, rel);
    goto again;
}

fn t4 {
    local got;
    again:
    wait(held, 0, acq);
    got = CAS(held, 0, 1, acq, rel);
    if (got != 0) goto again;
    data.store(4, rel);
    got = data.load(acq);
    assert(got == 4);                                      // nobody else is here
    held.store(0, rel);
    goto again;
}

fn t5 {
    local got;
    again:
    wait(held, 0, acq);
    got = CAS(held, 0, 1, acq, rel);
    if (got != 0) goto again;
    data.store(5, rel);
    got = data.load(acq);
    assert(got == 5);                                      // nobody else is here
    held.store(0, rel);
    goto again;
}
