// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// Read-copy-update for user space, by quiescent states (Desnoyers et al. 2012; as studied by Tassarotti, Dreyer and
// Vafeiadis 2015). Three readers, who never wait, read the version that ptr names, or announce that they hold no
// version just now. The writer alternates between two versions: it publishes one and then waits until every reader
// has announced the new phase, before it writes the other again. Readers lock nothing and still no version is written
// while it is read: the versions are non-atomic.
max_value 1;
global ptr;                // the current version: a or b
global gp;                 // the phase that the writer waits for
global c1, c2, c3;         // the phases that the readers have announced
na a, b;

fn writer {
    local item;
    again:
    item = 1 - item;
    b.nastore(item);
    ptr.store(1, rel);
    gp.store(1, rel);
    wait(c1, 1, acq); wait(c2, 1, acq); wait(c3, 1, acq);  // nobody reads a any more
    a.nastore(item);
    ptr.store(0, rel);
    gp.store(0, rel);
    wait(c1, 0, acq); wait(c2, 0, acq); wait(c3, 0, acq);  // nobody reads b any more
    goto again;
}

fn reader1 {
    local which, seen, phase;
    again:
    oneof {                                                 // a read-side critical section
        which = ptr.load(acq);
        if (which == 0) { seen = a.naload(); } else { seen = b.naload(); }
    } {                                                     // a quiescent state: announce the phase
        phase = gp.load(acq);
        c1.store(phase, rel);
    };
    goto again;
}

fn reader2 {
    local which, seen, phase;
    again:
    oneof {                                                 // a read-side critical section
        which = ptr.load(acq);
        if (which == 0) { seen = a.naload(); } else { seen = b.naload(); }
    } {                                                     // a quiescent state: announce the phase
        phase = gp.load(acq);
        c2.store(phase, rel);
    };
    goto again;
}

fn reader3 {
    local which, seen, phase;
    again:
    oneof {                                                 // a read-side critical section
        which = ptr.load(acq);
        if (which == 0) { seen = a.naload(); } else { seen = b.naload(); }
    } {                                                     // a quiescent state: announce the phase
        phase = gp.load(acq);
        c3.store(phase, rel);
    };
    goto again;
}
