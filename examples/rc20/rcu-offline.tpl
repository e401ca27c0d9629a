// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// Read-copy-update by quiescent states (see rcu.tpl) between threads that read, update and sleep as they like. A
// sleeping thread says so (0), and updaters need not wait for it; on waking up it must be known to be awake before it
// reads, which takes a full fence, as an updater's look at the others does after publishing. Updaters lock each other
// out, and those who wake up; they number their phases 1 and 2 in turn, and overwrite the old version with 0 once
// nobody can be reading it.
max_value 100;
global ptr;                // the current version: a or b
global a = 100, b;
global gp = 1;             // the phase
global c1 = 1, c2 = 1, c3 = 1;           // the phases that the threads have announced; 0: asleep
global mutex;

fn t1 {
    local which, seen, phase;
    again:
    oneof {                                                 // read
        which = ptr.load(acq);
        if (which == 0) { seen = a.load(acq); } else { seen = b.load(acq); }
        assert(seen != 0);                                  // this version is not dead
    } {                                                     // announce a quiescent state
        fence(seq_cst);
        phase = gp.load(acq);
        c1.store(phase, rel);
        fence(seq_cst);
    } {                                                     // sleep, and wake up, while nobody updates
        c1.store(0, rel);
        BCAS(mutex, 0, 1, acq, rel);
        phase = gp.load(acq);
        c1.store(phase, rel);
        fence(seq_cst);                                     // awake before anything is read
        mutex.store(0, rel);
    } {                                                     // update
        c1.store(0, rel);                                   // (nobody should wait for me meanwhile)
        wait(mutex, 0, acq);
        BCAS(mutex, 0, 1, acq, rel);
        which = ptr.load(acq);
        phase = gp.load(acq);
        phase = phase % 2 + 1;
        if (which == 0) { b.store(99, rel); } else { a.store(100, rel); }
        ptr.store(1 - which, rel);
        gp.store(phase, rel);
        fence(seq_cst);                                     // published before anybody's state is looked at
        wait(c2, 0, phase, acq);
        wait(c3, 0, phase, acq);
        if (which == 0) { a.store(0, rel); } else { b.store(0, rel); }
        phase = gp.load(acq);
        c1.store(phase, rel);
        fence(seq_cst);
        mutex.store(0, rel);
    };
    goto again;
}

fn t2 {
    local which, seen, phase;
    again:
    oneof {                                                 // read
        which = ptr.load(acq);
        if (which == 0) { seen = a.load(acq); } else { seen = b.load(acq); }
        assert(seen != 0);                                  // this version is not dead
    } {                                                     // announce a quiescent state
        fence(seq_cst);
        phase = gp.load(acq);
        c2.store(phase, rel);
        fence(seq_cst);
    } {                                                     // sleep, and wake up, while nobody updates
        c2.store(0, rel);
        BCAS(mutex, 0, 1, acq, rel);
        phase = gp.load(acq);
        c2.store(phase, rel);
        fence(seq_cst);                                     // awake before anything is read
        mutex.store(0, rel);
    } {                                                     // update
        c2.store(0, rel);                                   // (nobody should wait for me meanwhile)
        wait(mutex, 0, acq);
        BCAS(mutex, 0, 1, acq, rel);
        which = ptr.load(acq);
        phase = gp.load(acq);
        phase = phase % 2 + 1;
        if (which == 0) { b.store(99, rel); } else { a.store(100, rel); }
        ptr.store(1 - which, rel);
        gp.store(phase, rel);
        fence(seq_cst);                                     // published before anybody's state is looked at
        wait(c1, 0, phase, acq);
        wait(c3, 0, phase, acq);
        if (which == 0) { a.store(0, rel); } else { b.store(0, rel); }
        phase = gp.load(acq);
        c2.store(phase, rel);
        fence(seq_cst);
        mutex.store(0, rel);
    };
    goto again;
}

fn t3 {
    local which, seen, phase;
    again:
    oneof {                                                 // read
        which = ptr.load(acq);
        if (which == 0) { seen = a.load(acq); } else { seen = b.load(acq); }
        assert(seen != 0);                                  // this version is not dead
    } {                                                     // announce a quiescent state
        fence(seq_cst);
        phase = gp.load(acq);
        c3.store(phase, rel);
        fence(seq_cst);
    } {                                                     // sleep, and wake up, while nobody updates
        c3.store(0, rel);
        BCAS(mutex, 0, 1, acq, rel);
        phase = gp.load(acq);
        c3.store(phase, rel);
        fence(seq_cst);                                     // awake before anything is read
        mutex.store(0, rel);
    } {                                                     // update
        c3.store(0, rel);                                   // (nobody should wait for me meanwhile)
        wait(mutex, 0, acq);
        BCAS(mutex, 0, 1, acq, rel);
        which = ptr.load(acq);
        phase = gp.load(acq);
        phase = phase % 2 + 1;
        if (which == 0) { b.store(99, rel); } else { a.store(100, rel); }
        ptr.store(1 - which, rel);
        gp.store(phase, rel);
        fence(seq_cst);                                     // published before anybody's state is looked at
        wait(c1, 0, phase, acq);
        wait(c2, 0, phase, acq);
        if (which == 0) { a.store(0, rel); } else { b.store(0, rel); }
        phase = gp.load(acq);
        c3.store(phase, rel);
        fence(seq_cst);
        mutex.store(0, rel);
    };
    goto again;
}
