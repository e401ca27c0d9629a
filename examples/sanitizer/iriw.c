/* Independent reads of independent writes: may two readers see two writes in different orders? Under SC not;
   release and acquire do not forbid it, SC fences between the reads do. */
#include "litmus.h"

#ifndef STORE_ORDER
#define STORE_ORDER release
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER acquire
#endif

ATOMIC(int) x, y;
static int seen[4][2];

static void write_x(int me) {
  (void)me;
  STORE(x, 1, STORE_ORDER);
}

static void write_y(int me) {
  (void)me;
  STORE(y, 1, STORE_ORDER);
}

static void read_x_y(int me) {
  seen[me][0] = LOAD(x, LOAD_ORDER);
  FENCE();
  seen[me][1] = LOAD(y, LOAD_ORDER);
}

static void read_y_x(int me) {
  seen[me][0] = LOAD(y, LOAD_ORDER);
  FENCE();
  seen[me][1] = LOAD(x, LOAD_ORDER);
}

int main(void) {
  RUN(write_x, write_y, read_x_y, read_y_x);
  return seen[2][0] && !seen[2][1] && seen[3][0] && !seen[3][1];
}
