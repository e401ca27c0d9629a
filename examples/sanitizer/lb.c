/* Load buffering: both loads before the other thread's store. The model (RC20, like RC11) has no cycles of
   program order and reads-from, so this is robust even if all is relaxed. */
#include "litmus.h"

ATOMIC(int) x, y;
static int seen[2];

static void left(int me) {
  seen[me] = LOAD(x, relaxed);
  STORE(y, 1, relaxed);
}

static void right(int me) {
  seen[me] = LOAD(y, relaxed);
  STORE(x, 1, relaxed);
}

int main(void) {
  RUN(left, right);
  return seen[0] && seen[1];
}
