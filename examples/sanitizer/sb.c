/* Store buffering: under SC at least one thread reads 1. Both may read 0 unless all four accesses are
   seq_cst, or an SC fence stands between the store and the load of each thread.
   -DOVERWRITE=1: the left thread stores x once more, so that only a look back finds the violation in a run
   in which it goes first. */
#include "litmus.h"

#ifndef STORE_ORDER
#define STORE_ORDER relaxed
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER relaxed
#endif
#ifndef OVERWRITE
#define OVERWRITE 0
#endif

ATOMIC(int) x, y;
static int seen[2];

static void left(int me) {
  STORE(x, 1, STORE_ORDER);
  FENCE();
  seen[me] = LOAD(y, LOAD_ORDER);
  if (OVERWRITE) STORE(x, 2, STORE_ORDER);
}

static void right(int me) {
  STORE(y, 1, STORE_ORDER);
  FENCE();
  seen[me] = LOAD(x, LOAD_ORDER);
}

int main(void) {
  RUN(left, right);
  return seen[0] + seen[1] > 0 ? 0 : 1;
}
