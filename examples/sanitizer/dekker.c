/* Dekker's mutual exclusion. Needs an SC fence after each announcement (-DFENCES=1), or seq_cst throughout. */
#include "litmus.h"

#ifndef STORE_ORDER
#define STORE_ORDER release
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER acquire
#endif

ATOMIC(int) wants[2], turn;
static int counter;

static void worker(int me) {
  int other = 1 - me;
  STORE(wants[me], 1, STORE_ORDER);
  FENCE();
  while (LOAD(wants[other], LOAD_ORDER)) {
    if (LOAD(turn, LOAD_ORDER) != me) {
      STORE(wants[me], 0, STORE_ORDER);
      WAIT_EQ(turn, me, LOAD_ORDER);
      STORE(wants[me], 1, STORE_ORDER);
      FENCE();
    }
  }
  ++counter;
  STORE(turn, other, STORE_ORDER);
  STORE(wants[me], 0, STORE_ORDER);
}

int main(void) {
  RUN(worker, worker);
  return counter != 2;
}
