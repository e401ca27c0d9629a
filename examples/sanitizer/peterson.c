/* Peterson's mutual exclusion. -DFENCES=1: SC fences after both stores. -DEXCHANGE_TURN=1: the turn is given by an
   exchange, which makes release and acquire enough. */
#include "litmus.h"

#ifndef STORE_ORDER
#define STORE_ORDER release
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER acquire
#endif
#ifndef EXCHANGE_TURN
#define EXCHANGE_TURN 0
#endif

ATOMIC(int) wants[2], turn;
static int counter;

static void worker(int me) {
  int other = 1 - me;
  STORE(wants[me], 1, STORE_ORDER);
  FENCE();
  if (EXCHANGE_TURN)
    EXCHANGE(turn, other, acq_rel);
  else
    STORE(turn, other, STORE_ORDER);
  FENCE();
  while (LOAD(wants[other], LOAD_ORDER) && LOAD(turn, LOAD_ORDER) == other) {
  }
  ++counter;
  STORE(wants[me], 0, STORE_ORDER);
}

int main(void) {
  RUN(worker, worker);
  return counter != 2;
}
