/* examples/rc20/peterson.tpl under sequential consistency: each access is one step, what is local goes with it. */
byte flag[2], turn, data;

proctype locker(byte me) {
    byte seen;
again:
    flag[me] = 1;
    turn = 2 - me;                  /* exchange: its result is not used */
    seen = flag[1 - me];
    do
    :: seen == 1 ->
        seen = turn;
        if :: seen == me + 1 -> break :: else fi;
        seen = flag[1 - me]
    :: else -> break
    od;
    data = me + 1;
    d_step { seen = data; assert(seen == me + 1); seen = 0 };
    flag[me] = 0;
    goto again
}

init { atomic { run locker(0); run locker(1) } }
