// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// Rust's atomic reference counter: three threads go online with a reference to an object, make and drop further ones,
// and drop theirs when they go offline; the last one destroys the object, and whoever comes next makes a new one.
// References are cloned relaxed and dropped with release, and only the last drop needs an acquire fence: the relaxed
// clones in between continue the release sequences of earlier drops (Doko and Vafeiadis 2017). 6 is -1: values are
// modulo 7.
max_value 6;
global count;              // of references
global x, y;               // the object: 1 while it exists
global alive;              // whether it exists
global door;               // of those who come online

fn t1 {
    local c, a, b;
    offline:
    lock(door);
    c = FADD(count, 1, rlx, rlx);
    if (c == 0) {                                           // nobody has the object: make a new one
        wait(alive, 0, acq);
        x.store(1, rlx);
        y.store(1, rlx);
        alive.store(1, rel);
    }
    unlock(door);
    online:
    oneof {                                                 // use it
        a = x.load(rlx);
        b = y.load(rlx);
        assert(a == 1 && b == 1);
        goto online;
    } {                                                     // clone the reference, drop the clone
        FADD(count, 1, rlx, rlx);
        FADD(count, 6, rlx, rel);
        goto online;
    } {                                                     // drop the reference
        c = FADD(count, 6, rlx, rel);
        if (c == 1) {                                       // it was the last one
            fence(acq);
            x.store(0, rlx);
            y.store(0, rlx);
            alive.store(0, rel);
        }
        goto offline;
    };
}

fn t2 {
    local c, a, b;
    offline:
    lock(door);
    c = FADD(count, 1, rlx, rlx);
    if (c == 0) {                                           // nobody has the object: make a new one
        wait(alive, 0, acq);
        x.store(1, rlx);
        y.store(1, rlx);
        alive.store(1, rel);
    }
    unlock(door);
    online:
    oneof {                                                 // use it
        a = x.load(rlx);
        b = y.load(rlx);
        assert(a == 1 && b == 1);
        goto online;
    } {                                                     // clone the reference, drop the clone
        FADD(count, 1, rlx, rlx);
        FADD(count, 6, rlx, rel);
        goto online;
    } {                                                     // drop the reference
        c = FADD(count, 6, rlx, rel);
        if (c == 1) {                                       // it was the last one
            fence(acq);
            x.store(0, rlx);
            y.store(0, rlx);
            alive.store(0, rel);
        }
        goto offline;
    };
}

fn t3 {
    local c, a, b;
    offline:
    lock(door);
    c = FADD(count, 1, rlx, rlx);
    if (c == 0) {                                           // nobody has the object: make a new one
        wait(alive, 0, acq);
        x.store(1, rlx);
        y.store(1, rlx);
        alive.store(1, rel);
    }
    unlock(door);
    online:
    oneof {                                                 // use it
        a = x.load(rlx);
        b = y.load(rlx);
        assert(a == 1 && b == 1);
        goto online;
    } {                                                     // clone the reference, drop the clone
        FADD(count, 1, rlx, rlx);
        FADD(count, 6, rlx, rel);
        goto online;
    } {                                                     // drop the reference
        c = FADD(count, 6, rlx, rel);
        if (c == 1) {                                       // it was the last one
            fence(acq);
            x.store(0, rlx);
            y.store(0, rlx);
            alive.store(0, rel);
        }
        goto offline;
    };
}
