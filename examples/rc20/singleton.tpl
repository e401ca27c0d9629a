// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// Double-checked initialisation of a singleton (Schmidt and Harrison 1996; this form: Boost.Atomic's documentation,
// Bahmann and Blechmann). Four threads ask for the instance again and again; whoever finds none takes the lock, looks
// once more and constructs it. The release store of inst with the acquire load before the lock makes the constructed
// fields visible to those who never lock. The load under the lock is acquire as published; singleton-rlx.tpl does
// without. C++ compilers, logging and configuration code do the same for every static local.
max_value 10;
global inst;               // 1 once the singleton exists
global mutex;
global x, y, z;            // its fields

fn user1 {
    local found, a, b;
    again:
    found = inst.load(acq);
    if (found == 0) {
        lock(mutex);
        found = inst.load(acq);
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
    found = inst.load(acq);
    if (found == 0) {
        lock(mutex);
        found = inst.load(acq);
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
    found = inst.load(acq);
    if (found == 0) {
        lock(mutex);
        found = inst.load(acq);
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
    found = inst.load(acq);
    if (found == 0) {
        lock(mutex);
        found = inst.load(acq);
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
