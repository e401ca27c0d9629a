// A readers-writer lock: the state counts the readers, 3 means that a writer is inside. Any number of readers and of
// writers use it; at most two readers are inside at a time, and others wait for a place.
max_value 3;
global state, data, writing;

fn reader * {
    local seen, got, one, two;
    while (true) {
        seen = state.load(rlx);
        if (seen < 2) {
            got = CAS(state, seen, seen + 1, acq, rlx);
            if (got == seen) {
                one = data.load(rlx);
                two = data.load(rlx);
                assert(one == two);
                FADD(state, -1, rlx, rel);
            }
        }
    }
}

fn writer * {
    local seen, other;
    while (true) {
        BCAS(state, 0, 3, acq, rlx);
        other = writing.load(rlx);
        assert(other == 0);
        writing.store(1, rlx);
        seen = data.load(rlx);
        data.store(1 - seen, rlx);
        writing.store(0, rlx);
        state.store(0, rel);
    }
}
