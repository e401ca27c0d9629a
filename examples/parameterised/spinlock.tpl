// A test-and-set spinlock, used by any number of threads. Everyone who is inside is alone there.
//
// The lock is taken by a locked instruction and given back by a plain store. A store in the block cannot be overtaken
// by a load after the block: taking the lock again empties the store buffer.
max_value 2;
global held, inside;

fn worker * {
    local taken, count;
    while (true) {
        taken = CAS(held, 0, 1, acq, rlx);
        while (taken != 0) {
            taken = CAS(held, 0, 1, acq, rlx);
        }
        count = inside.load(rlx);
        assert(count == 0);
        inside.store(1, rlx);
        inside.store(0, rlx);
        held.store(0, rel);
    }
}
