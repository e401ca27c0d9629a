// Message passing with non-atomic data and a flag that synchronises nothing: a data race. C and C++ give such a program
// no meaning at all, so it is found before anything else is asked.
max_value 1;
na data;
global flag;

fn writer {
    data.nastore(1);
    flag.store(1, rlx);
}

fn reader {
    local seen;
    wait(flag, 1, acq);
    seen = data.naload();
    assert(seen == 1);
}
