/* An MCS lock, three threads, each spinning on a flag of its own. The exchange that queues must acquire and release. */
#include "litmus.h"

#define THREADS 3

#ifndef QUEUE_ORDER
#define QUEUE_ORDER acq_rel
#endif
#ifndef STORE_ORDER
#define STORE_ORDER release
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER acquire
#endif

/* Nodes are named by index + 1; 0 is none. */
ATOMIC(int) tail, follower[THREADS], blocked[THREADS];
static int counter;

static void lock(int me) {
  STORE(follower[me], 0, relaxed);
  STORE(blocked[me], 1, relaxed);
  int before = EXCHANGE(tail, me + 1, QUEUE_ORDER);
  if (before == 0) return;
  STORE(follower[before - 1], me + 1, STORE_ORDER);
  WAIT_EQ(blocked[me], 0, LOAD_ORDER);
}

static void unlock(int me) {
  int after = LOAD(follower[me], LOAD_ORDER);
  if (after == 0) {
    int mine = me + 1;
    if (STRONG_CAS(tail, &mine, 0, QUEUE_ORDER)) return;
    WAIT_NE(follower[me], 0, LOAD_ORDER);
    after = LOAD(follower[me], LOAD_ORDER);
  }
  STORE(blocked[after - 1], 0, STORE_ORDER);
}

static void worker(int me) {
  lock(me);
  ++counter;
  unlock(me);
}

int main(void) {
  RUN(worker, worker, worker);
  return counter != THREADS;
}
