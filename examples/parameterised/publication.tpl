// One thread publishes a value, any number of threads read it: no fence is needed on x86.
max_value 1;
global data, ready;

fn publisher {
    data.store(1, rlx);
    ready.store(1, rel);
}

fn reader * {
    local value;
    wait(ready, 1, acq);
    value = data.load(rlx);
    assert(value == 1);
}
