// A ticket lock whose tickets are numbers modulo 4, without a bound on the threads that wait: the fifth thread gets the
// ticket of the first, and both come in. (With 8 bits it takes 257 threads, with 32 bits many more.)
max_value 3;
global next, serving, inside;

fn worker * {
    local mine, count;
    mine = FADD(next, 1, acq, rel);
    wait(serving, mine, acq);
    count = inside.load(rlx);
    assert(count == 0);
    inside.store(1, rlx);
    inside.store(0, rlx);
    serving.store(mine + 1, rel);
}
