/* A barrier for two, by two flags. -DLEFT and -DRIGHT: what each waits for. Waiting for 1 is robust, though either
   may read an old 0 for a while; waiting for 0 is not: both can pass only if each misses the other's store.
   -DWAITS=0: loops that do not say that they wait. */
#include "litmus.h"

#ifndef LEFT
#define LEFT 1
#endif
#ifndef RIGHT
#define RIGHT 1
#endif

ATOMIC(int) x, y;

static void left(int me) {
  (void)me;
  STORE(x, 1, release);
  WAIT_EQ(y, LEFT, acquire);
}

static void right(int me) {
  (void)me;
  STORE(y, 1, release);
  WAIT_EQ(x, RIGHT, acquire);
}

int main(void) {
  RUN(left, right);
  return 0;
}
