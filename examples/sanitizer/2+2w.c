/* 2+2W: each thread writes both locations, in opposite order. Under SC one of the second writes comes last. */
#include "litmus.h"

#ifndef STORE_ORDER
#define STORE_ORDER relaxed
#endif

ATOMIC(int) x, y;

static void left(int me) {
  (void)me;
  STORE(x, 1, STORE_ORDER);
  FENCE();
  STORE(y, 2, STORE_ORDER);
}

static void right(int me) {
  (void)me;
  STORE(y, 1, STORE_ORDER);
  FENCE();
  STORE(x, 2, STORE_ORDER);
}

int main(void) {
  RUN(left, right);
  return LOAD(x, relaxed) == 1 && LOAD(y, relaxed) == 1;
}
