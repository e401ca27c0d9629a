// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// A lock around plain data: acquire on taking it, release on giving it back. What it protects needs no atomics.
max_value 2;
na total;
global mutex;

fn one {
    local value;
    lock(mutex);
    value = total.naload();
    total.nastore(value + 1);
    unlock(mutex);
}

fn two {
    local value;
    lock(mutex);
    value = total.naload();
    total.nastore(value + 1);
    unlock(mutex);
}
