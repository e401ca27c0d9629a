// ROBUSTNESS egr: robust: ra, rlx.
// ROBUSTNESS wegr: robust: ra, rlx.
//
// The work-stealing deque of Chase and Lev (2005), its orders after Le et al. (2013) and Kang (2018), strengthened
// where robustness needs it, as Margalit and Lahav (POPL 2021) found. The owner pushes and pops at the bottom, two
// stealers take from the top; only for the last item they compete, with a CAS. There are two slots. The owner stops
// at index 200 of 255: a stealer may hold any old index, and which of those that are taken makes no difference.
global top, bot;           // items are at top, .., bot - 1

fn owner {
    local b, t, got;
    again:
    oneof {                                                 // push
        b = bot.load(rlx);
        fence(seq_cst);
        t = top.load(acq);
        if (b - t > 1 || b == 200) goto again;              // full
        fence(rel);                                         // the item before its index
        bot.store(b + 1, rlx);
    } {                                                     // pop
        b = bot.load(rlx);
        if (b == 0) goto again;
        b = b - 1;
        bot.store(b, rel);
        fence(seq_cst);                                     // bot before top
        t = top.load(rlx);
        if (t > b) {
            bot.store(b + 1, rel);                           // it was empty
        } else if (t == b) {                                // one item is left: stealers may want it too
            got = CAS(top, t, t + 1, rlx, rel);
            bot.store(b + 1, rel);
        }
    };
    goto again;
}

fn stealer1 {
    local t, b, got;
    again:
    fence(seq_cst);                                         // not an older top than the last time
    t = top.load(acq);
    fence(seq_cst);                                         // top before bot
    b = bot.load(acq);
    if (t < b) {
        fence(seq_cst);
        got = CAS(top, t, t + 1, rlx, rel);                   // the item at t is mine if got is t
    }
    goto again;
}

fn stealer2 {
    local t, b, got;
    again:
    fence(seq_cst);                                         // not an older top than the last time
    t = top.load(acq);
    fence(seq_cst);                                         // top before bot
    b = bot.load(acq);
    if (t < b) {
        fence(seq_cst);
        got = CAS(top, t, t + 1, rlx, rel);                   // the item at t is mine if got is t
    }
    goto again;
}
