// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// A spinlock that is taken with a relaxed exchange and an acquire fence, once it was free, and given back with a
// release store. Failed attempts write 1 over 1, again and again, and are part of the release sequence of nobody: a
// later exchange that reads 0 reads it from the release store itself.
max_value 2;
global held, owner;
na data;                   // what the lock protects

fn t1 {
    local busy, seen;
    again:
    busy = exchange(held, 1, rlx, rlx);
    if (busy == 1) goto again;
    fence(acq);
    data.nastore(1);
    owner.store(1, rlx);
    seen = data.naload();
    assert(seen == 1);                                     // nobody else is here
    held.store(0, rel);
    goto again;
}

fn t2 {
    local busy, seen;
    again:
    busy = exchange(held, 1, rlx, rlx);
    if (busy == 1) goto again;
    fence(acq);
    data.nastore(2);
    owner.store(2, rlx);
    seen = data.naload();
    assert(seen == 2);                                     // nobody else is here
    held.store(0, rel);
    goto again;
}
