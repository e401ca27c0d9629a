// A lock that looks and then takes, in two steps. Two threads can come in at once; and under TSO even the store that
// takes the lock may come after the loads inside.
max_value 1;
global held, inside;

fn worker * {
    local seen, count;
    wait(held, 0, acq);
    held.store(1, rlx);
    count = inside.load(rlx);
    assert(count == 0);
    inside.store(1, rlx);
    inside.store(0, rlx);
    held.store(0, rel);
}
