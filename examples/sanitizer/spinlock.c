/* A spin lock, three threads. -DKIND=exchange, test_first (spin on loads), cas. Acquire to lock and release to
   unlock are enough; -DLOCK_ORDER=relaxed or -DUNLOCK_ORDER=relaxed lose what the lock protects (a data race). */
#include "litmus.h"

#define exchange 1
#define test_first 2
#define cas 3
#ifndef KIND
#define KIND exchange
#endif
#ifndef LOCK_ORDER
#define LOCK_ORDER acquire
#endif
#ifndef UNLOCK_ORDER
#define UNLOCK_ORDER release
#endif

ATOMIC(int) locked;
static int counter;

static void lock(void) {
  if (KIND == cas) {
    fencepost_blocking_cas(&locked, 0, 1, ORDER(LOCK_ORDER));
    return;
  }
  while (EXCHANGE(locked, 1, LOCK_ORDER))
    if (KIND == test_first) WAIT_EQ(locked, 0, relaxed);
}

static void worker(int me) {
  (void)me;
  lock();
  ++counter;
  STORE(locked, 0, UNLOCK_ORDER);
}

int main(void) {
  RUN(worker, worker, worker);
  return counter != 3;
}
