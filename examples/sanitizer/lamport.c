/* Lamport's fast mutual exclusion, three threads: seven accesses if nobody else is there. -DFENCES=1: SC fences
   after the stores that others must see before we look at theirs. */
#include "litmus.h"

#define THREADS 3

#ifndef STORE_ORDER
#define STORE_ORDER release
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER acquire
#endif

ATOMIC(int) x, y, busy[THREADS];
static int counter;

static void lock(int me) {
  int id = me + 1;
  for (;;) {
    STORE(busy[me], 1, STORE_ORDER);
    FENCE();
    STORE(x, id, STORE_ORDER);
    FENCE();
    if (LOAD(y, LOAD_ORDER) != 0) {
      STORE(busy[me], 0, STORE_ORDER);
      FENCE();
      WAIT_EQ(y, 0, LOAD_ORDER);
      continue;
    }
    STORE(y, id, STORE_ORDER);
    FENCE();
    if (LOAD(x, LOAD_ORDER) == id) return;
    STORE(busy[me], 0, STORE_ORDER);
    FENCE();
    for (int other = 0; other < THREADS; ++other) WAIT_EQ(busy[other], 0, LOAD_ORDER);
    if (LOAD(y, LOAD_ORDER) == id) return;
    WAIT_EQ(y, 0, LOAD_ORDER);
  }
}

static void worker(int me) {
  lock(me);
  ++counter;
  STORE(y, 0, STORE_ORDER);
  FENCE();
  STORE(busy[me], 0, STORE_ORDER);
}

int main(void) {
  RUN(worker, worker, worker);
  return counter != THREADS;
}
