// A ticket lock for any number of threads. Tickets are numbers modulo 4, so at most three may be out at a time: who
// finds none left waits. With that, whoever is inside is alone there, however many threads there are.
//
// See ticket-wraps.tpl for what happens without.
max_value 3;
global next, serving, free = 3, inside;

fn worker * {
    local left, got, mine, count;
    while (true) {
        left = free.load(rlx);
        got = 0;
        if (left != 0) {
            got = CAS(free, left, left - 1, acq, rlx);
            if (got == left) {
                mine = FADD(next, 1, acq, rel);
                wait(serving, mine, acq);
                count = inside.load(rlx);
                assert(count == 0);
                inside.store(1, rlx);
                inside.store(0, rlx);
                serving.store(mine + 1, rel);
                FADD(free, 1, acq, rel);
            }
        }
    }
}
