/* examples/rc20/spinlock4-ra.tpl under sequential consistency: each access is one step, what is local goes with it. */
byte held, data;

proctype locker(byte me) {
    byte got;
again:
    held == 0;
    d_step { got = held; if :: got == 0 -> held = 1 :: else fi };
    if :: got != 0 -> goto again :: else fi;
    data = me;
    d_step { got = data; assert(got == me); got = 0 };
    held = 0;
    goto again
}

init { atomic { run locker(1); run locker(2); run locker(3); run locker(4) } }
