// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// Double-checked initialisation (see singleton.tpl) with the cheapest orders that still work. The load under the lock
// is relaxed: the lock itself has ordered it after the construction, as Margalit and Lahav (POPL 2021) found. The load
// before the lock is relaxed too, and an acquire fence behind it takes its place, so that a thread pays for the order
// in one place whatever it found; without this fence, fields may be seen unconstructed.
max_value 10;
global inst;               // 1 once the singleton exists
global mutex;
global x, y, z;            // its fields

fn user1 {
    local found, a, b;
    again:
    found = inst.load(rlx);
    fence(acq);
    if (found == 0) {
        lock(mutex);
        found = inst.load(rlx);
        if (found == 0) {
            oneof { a = 3; } { a = 10; }              // each would construct it in its own way
            x.store(a, rlx);
            y.store(a, rlx);
            z.store(a, rlx);
            inst.store(1, rel);
        }
        unlock(mutex);
    }
    a = x.load(rlx);
    assert(a != 0);                                 // constructed
    b = y.load(rlx);
    assert(a == b);                                 // and by one thread only
    b = z.load(rlx);
    assert(a == b);
    goto again;
}

fn user2 {
    local found, a, b;
    again:
    found = inst.load(rlx);
    fence(acq);
    if (found == 0) {
        lock(mutex);
        found = inst.load(rlx);
        if (found == 0) {
            oneof { a = 3; } { a = 10; }              // each would construct it in its own way
            x.store(a, rlx);
            y.store(a, rlx);
            z.store(a, rlx);
            inst.store(1, rel);
        }
        unlock(mutex);
    }
    a = x.load(rlx);
    assert(a != 0);                                 // constructed
    b = y.load(rlx);
    assert(a == b);                                 // and by one thread only
    b = z.load(rlx);
    assert(a == b);
    goto again;
}

fn user3 {
    local found, a, b;
    again:
    found = inst.load(rlx);
    fence(acq);
    if (found == 0) {
        lock(mutex);
        found = inst.load(rlx);
        if (found == 0) {
            oneof { a = 3; } { a = 10; }              // each would construct it in its own way
            x.store(a, rlx);
            y.store(a, rlx);
            z.store(a, rlx);
            inst.store(1, rel);
        }
        unlock(mutex);
    }
    a = x.load(rlx);
    assert(a != 0);                                 // constructed
    b = y.load(rlx);
    assert(a == b);                                 // and by one thread only
    b = z.load(rlx);
    assert(a == b);
    goto again;
}

fn user4 {
    local found, a, b;
    again:
    found = inst.load(rlx);
    fence(acq);
    if (found == 0) {
        lock(mutex);
        found = inst.load(rlx);
        if (found == 0) {
            oneof { a = 3; } { a = 10; }              // each would construct it in its own way
            x.store(a, rlx);
            y.store(a, rlx);
            z.store(a, rlx);
            inst.store(1, rel);
        }
        unlock(mutex);
    }
    a = x.load(rlx);
    assert(a != 0);                                 // constructed
    b = y.load(rlx);
    assert(a == b);                                 // and by one thread only
    b = z.load(rlx);
    assert(a == b);
    goto again;
}
