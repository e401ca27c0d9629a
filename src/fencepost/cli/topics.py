"""What the words in reports mean, for `fencepost explain`."""

from __future__ import annotations

from .exits import MEANING

TOPICS = {
    "robust": """\
A program is robust against a memory model if every execution that the model allows is one of SC
(sequential consistency: all steps one after the other, each read seeing the newest write). Then whatever
has been shown under SC (by testing all interleavings, by a proof, by thinking) holds under the model.
Only a robust program in which no assertion fails under SC is called safe. (Definition 4.1 of Margalit and
Lahav, "Verifying observational robustness against a C11-style memory model", POPL 2021.)
""",
    "observational": """\
A program is observationally robust if it cannot tell the model from SC: reads may give values that SC does
not have, as long as nothing is done with them. A seqlock's reader, which reads first and throws away what it
has read if a writer was there, is the classic case. `assert`, `if`, `verify`, written values, addresses and
expected values count as uses. Ask with --observational. The answer "robust" always holds; "not robust" may
rarely be a false alarm, which the report then says (Example 4.19 of the paper).
""",
    "trf": """\
A triangular race (Owens, ECOOP 2010) is a load that may overtake an earlier store of its thread in the store
buffer, while another thread writes what it reads. Without one, every execution of TSO is one of SC. It is a
stronger property than robustness: nobody need be able to tell. Ask with --property trf.
""",
    "state": """\
A program is state-robust against TSO if each of its threads comes, when all store buffers are empty, only
to places to which it comes under SC: states of an automaton; in other languages instructions, the end of
the thread, and assertions that fail. Ask with --property state. Every robust program is state-robust, so that
is asked first. Else, where threads have loops, buffers hold at most --buffer stores (4 if nothing is said);
if one would have to hold more and nothing was found, the answer is unknown.
""",
    "race": """\
A data race is two accesses to the same non-atomic location, by different threads, one of them a write, that
no chain of program order and synchronisation orders. C and C++ give a program with a data race no meaning,
so it is reported before anything else. An acquire that reads from a release synchronises; so do fences.
""",
    "assertion": """\
Assertions are checked under SC, in the same search. If the program is robust, they hold under the model
exactly if they hold under SC; if it is not, that they hold under SC says nothing about the model. A division
by zero and an index outside its array are failing assertions too.
""",
    "deadlock": """\
A deadlock is a state under SC in which no thread can move, and one of them is not over but waits (`wait`,
`lock`, a busy wait treated as blocking). It is reported, but does not change the exit code: a test may well
be meant to end so.
""",
    "unknown": """\
There is no answer: a limit was reached (--timeout, --memory, --max-states), the search was interrupted, or
the program has something that the model gives no meaning to. Unknown is never to be read as robust, and has
an exit code of its own.
""",
    "witness": """\
A witness is an execution that shows what goes wrong: the steps in the order in which they happen, with the
access that may go stale as the last one. Before it is shown it is run again, step by step, by another program
than the one that found it: the definition of the model in plain Python. With one worker (--jobs 1) the same
witness is found each time, and no other has fewer steps of the search (unless a limit ends the search for
a shorter one).
""",
    "cycle": """\
Under SC all steps happen one after the other. In an execution that SC does not have, some steps would each
have to come before the next, in a circle: each by program order (po), because a read takes its value from a
write (rf), because a write is overwritten (mo), or because a read does not see a write that then must come
later (fr). `--format svg` draws it, `--format html` steps through it.
""",
    "relations": """\
po    program order: the steps of one thread
rf    reads-from: a read takes its value from this write
mo    modification order: the order of the writes to one location
fr    from-read: from a read to a write, later in mo than the one that it reads
sc    the order in which SC fences run
race  two accesses of a data race
""",
    "orders": """\
na         non-atomic: must not race
rlx        relaxed: atomic, and nothing else
acq        acquire, of reads: what came before the release that it reads from has happened
rel        release, of writes: who acquires it knows all that came before it
acq_rel    both, of read-modify-writes and fences
seq_cst    of fences: they also run in one order that all threads agree on
""",
    "busy-waits": """\
A loop that only reads until a condition holds waits. That it may read an old value a few times more does no
harm, but counts against robustness. So such loops are treated as blocking waits, and a CAS that is retried
until it succeeds as a blocking CAS; the report says where. `--busy-waits keep` leaves them as they are, as is
done without being asked for files that announce verdicts, which are about the program as it stands.
""",
    "parameterised": """\
`fn worker * { .. }` in TPL, `thread worker *` in automata text, `p.thread("worker", any_number=True)` in
Python are threads of which any number of copies run. The question is then about all instances: no copy, one,
two, and so on without end. `--model tso` and `--model sc` decide it, exactly, by coverability (thesis of
Derevenetc, 6.3 and Lemma 2.8): "robust for any number of threads", or an instance that is not, with its
execution. Other models answer unknown. Deadlocks are not looked for. `--instances N` checks N copies of each
with any model, and says nothing about more. See docs/parameterised.md.
""",
    "expectations": """\
A TPL file may say what it expects, in comments on lines of their own:
    // ROBUSTNESS egr: robust: ra. not: rlx.      (egr: robust; wegr: observationally robust)
`check` warns if its answer is another one. The models ra and rlx are RA and RC20. Older files have
`// ROBUST` or `// NOTROBUST` as their first line: robust under RA, or not. Loops that only wait stay loops in
files that say what they expect (--busy-waits keep).
""",
    "reductions": """\
What makes the search smaller. No verdict depends on one; `--no-reduction NAME` switches it off.
liveness       registers that no later step reads count as 0
forget         what the monitor remembers is dropped when no later access can consult it
values         values that nothing waits for are one value to the monitor
staleness      registers that only matter if a lost race had been won count as 0
lag            values of a counter that lag far behind it are one value, as long as nothing tells them apart
budgets        limits that only keep a counter in the range of values are ignored, if nothing goes wrong then
fuse           local steps run together with the next shared access
partial-order  of independent steps, one order is enough
symmetry       states that differ only by swapping equal threads are one state
subsume        of states that differ in the monitor only, those that see most are enough
order          states that see most are searched first, so that they cover the others (needs subsume)
pairs          any number of threads: states with two threads that are never there at once are left out
compress       what the monitor remembers is stored once for all states that share it
""",
    "sanitizer": """\
`fencepost cc` and `fencepost c++` compile C and C++ programs so that every access is watched; `fencepost run`
runs them, many times, under schedules of its choice. A violation: under SC an access comes after a write, but
the model of C11 lets it take no notice of that write. All that is reported can happen (by the model; a given
compiler and processor may be stronger); what no run shows is not reported. docs/sanitizer.md tells more.
""",
    "schedules": """\
native   the operating system chooses: for long programs; a run cannot be repeated
random   whoever can go on, with equal chances, at each access and each synchronisation
pct      random priorities, which change at depth - 1 random points: a bug of depth d shows in a run of k
         steps and n threads with probability 1/(n k^(d-1)) or more (Burckhardt et al., ASPLOS 2010)
pos      random priorities, drawn anew after each conflict (Yuan, Yang and Gu, CAV 2018)
default  random, pct of depths 2 to 5, and pos in turn
The same seed is the same schedule, in any process: each finding tells the command that repeats it.
""",
    "benign-waits": """\
A loop that only reads until something is there may read an old value and go on waiting: by the letter a
violation, in fact harmless. fencepost.h says so in the program (fencepost_wait_eq and the like);
--benign-waits tries it out: the load gets an old value that the model allows, and if the thread does nothing
but load again, it was a wait. Such findings are told as "benign wait" and do not count.
""",
    "sanitizer-options": """\
FENCEPOST_OPTIONS="key=value:key=value" goes to the runtime in the program; help=1 lists all.
races=0|1          races of plain accesses too (1)
sc=rc11|fence|acqrel   what seq_cst accesses mean (rc11)
halt_on_error=1    end the program at the first finding
exitcode=N         of a program with findings that would have ended with 0 (66)
log_path=FILE      findings as JSON lines, for fencepost explain FILE
history=N          writes remembered per atomic location, 2 to 64 (8)
suppressions=FILE  findings that are not told: lines kind:pattern
schedule=, seed=, depth=, steps=, max_steps=, record=FILE, replay=FILE   of the schedule
""",
    "exit-codes": "".join(f"{code}  {meaning}\n" for code, meaning in MEANING.items())
    + "Of several files, the code of the one that needs attention most.\n",
}
