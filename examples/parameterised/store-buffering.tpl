// Two kinds of thread, each with a flag of its own, that look for a flag of the other kind: one of each kind is enough
// for store buffering. `fencepost fence --model tso` puts a fence into each template.
max_value 1;
global x, y;

fn left * {
    local seen;
    x.store(1, rlx);
    seen = y.load(rlx);
}

fn right * {
    local seen;
    y.store(1, rlx);
    seen = x.load(rlx);
}
