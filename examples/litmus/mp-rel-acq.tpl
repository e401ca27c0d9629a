// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// Message passing as it should be: the flag is set by a release and awaited by an acquire. The data may even be
// non-atomic, as here: the two accesses to it never race.
max_value 1;
na data;
global flag;

fn writer {
    data.nastore(1);
    flag.store(1, rel);
}

fn reader {
    local seen;
    wait(flag, 1, acq);
    seen = data.naload();
    assert(seen == 1);
}
