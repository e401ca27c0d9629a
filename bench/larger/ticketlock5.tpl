// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// A ticket lock (Reed and Kanodia 1979; Mellor-Crummey and Scott 1991): five threads draw numbers and wait until
// theirs is served, so they enter in the order of their arrival. Numbers wrap around at 11, which five threads do not
// notice. Waiting for a value that a register holds makes every number critical: any of them may be a stale one of
// interest.
max_value 10;
global next;               // the next number to draw
global serving;            // who may enter
global data;               // what the lock protects

fn t1 {
    local mine, seen;
    again:
    mine = FADD(next, 1, acq, rel);
    wait(serving, mine, acq);
    data.store(1, rel);
    seen = data.load(acq);
    assert(seen == 1);                                     // nobody else is here
    serving.store(mine + 1, rel);
    goto again;
}

fn t2 {
    local mine, seen;
    again:
    mine = FADD(next, 1, acq, rel);
    wait(serving, mine, acq);
    data.store(2, rel);
    seen = data.load(acq);
    assert(seen == 2);                                     // nobody else is here
    serving.store(mine + 1, rel);
    goto again;
}

fn t3 {
    local mine, seen;
    again:
    mine = FADD(next, 1, acq, rel);
    wait(serving, mine, acq);
    data.store(3, rel);
    seen = data.load(acq);
    assert(seen == 3);                                     // nobody else is here
    serving.store(mine + 1, rel);
    goto again;
}

fn t4 {
    local mine, seen;
    again:
    mine = FADD(next, 1, acq, rel);
    wait(serving, mine, acq);
    data.store(4, rel);
    seen = data.load(acq);
    assert(seen == 4);                                     // nobody else is here
    serving.store(mine + 1, rel);
    goto again;
}

fn t5 {
    local mine, seen;
    again:
    mine = FADD(next, 1, acq, rel);
    wait(serving, mine, acq);
    data.store(5, rel);
    seen = data.load(acq);
    assert(seen == 5);                                     // nobody else is here
    serving.store(mine + 1, rel);
    goto again;
}
