// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// A ring buffer for one producer and one consumer (Lamport 1983; this form is the ring buffer of Boost.Atomic's
// documentation, Bahmann and Blechmann; audio, network and logging code lives on it). Each index has one writer, which
// reads it back relaxed; the other side reads it acquire. The release store of head publishes the slot's content, that
// of tail gives the slot back: the slots are non-atomic, and no race on them and no item lost, doubled or overtaken
// shows that these two pairs are enough. A full or empty ring is retried at once, so both retry loops are waits.
max_value 10;
global head, tail;         // 0 to 3: the next slot to fill, the next slot to empty. One slot always stays free
na s0, s1, s2, s3;

fn producer {
    local h, item;
    next:
    h = head.load(rlx);
    wait(tail, h, (h + 2) % 4, (h + 3) % 4, acq);       // not (h + 1) % 4: there is room
    if (h == 0) { s0.nastore(item); }
    else if (h == 1) { s1.nastore(item); }
    else if (h == 2) { s2.nastore(item); }
    else { s3.nastore(item); }
    h = head.load(rlx);
    head.store((h + 1) % 4, rel);
    item = item + 1;                                    // the numbers from 0 to 10, again and again
    goto next;
}

fn consumer {
    local t, item, due;
    next:
    t = tail.load(rlx);
    wait(head, (t + 1) % 4, (t + 2) % 4, (t + 3) % 4, acq);      // not t: there is an item
    if (t == 0) { item = s0.naload(); }
    else if (t == 1) { item = s1.naload(); }
    else if (t == 2) { item = s2.naload(); }
    else { item = s3.naload(); }
    assert(item == due);                                // first in, first out
    t = tail.load(rlx);
    tail.store((t + 1) % 4, rel);
    due = due + 1;
    goto next;
}
