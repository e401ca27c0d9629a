/* Read-copy-update with a flag per reader: two readers, and an updater that waits for them before it writes over
   the old version. -DFENCES=1: SC fences between "I am reading" and the pointer, and between the pointer and the wait. */
#include "litmus.h"

#define READERS 2

#ifndef STORE_ORDER
#define STORE_ORDER release
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER acquire
#endif

ATOMIC(int) current, reading[READERS];
static int versions[2] = {1, 1};
static int seen[READERS];

static void reader(int me) {
  STORE(reading[me], 1, STORE_ORDER);
  FENCE();
  seen[me] = versions[LOAD(current, LOAD_ORDER)];
  STORE(reading[me], 0, STORE_ORDER);
}

static void updater(int me) {
  (void)me;
  versions[1] = 2;
  STORE(current, 1, STORE_ORDER);
  FENCE();
  for (int other = 0; other < READERS; ++other) WAIT_EQ(reading[other], 0, LOAD_ORDER);
  versions[0] = 0;
}

int main(void) {
  RUN(reader, reader, updater);
  return seen[0] == 0 || seen[1] == 0;
}
