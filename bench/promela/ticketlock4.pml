/* examples/rc20/ticketlock4.tpl under sequential consistency: each access is one step, what is local goes with it. */
byte next, serving, data;

proctype locker(byte me) {
    byte mine, seen;
again:
    atomic { mine = next; next = (next + 1) % 11 };
    serving == mine;
    data = me;
    d_step { seen = data; assert(seen == me); seen = 0 };
    atomic { serving = (mine + 1) % 11; mine = 0 };
    goto again
}

init { atomic { run locker(1); run locker(2); run locker(3); run locker(4) } }
