/* Event counters: each thread counts its own events, and looks at what the others have counted. Under SC the
   one that counts last sees all the others. -DFENCES=1: SC fences after the store, and between the loads, without which a
   thread may see one event and miss an earlier one. */
#include "litmus.h"

#define THREADS 4

#ifndef STORE_ORDER
#define STORE_ORDER release
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER acquire
#endif

ATOMIC(int) events[THREADS];
static int total[THREADS];

static void worker(int me) {
  STORE(events[me], 1, STORE_ORDER);
  int sum = 0;
  for (int other = 0; other < THREADS; ++other) {
    FENCE();
    sum += LOAD(events[other], LOAD_ORDER);
  }
  total[me] = sum;
}

int main(void) {
  RUN(worker, worker, worker, worker);
  int most = 0;
  for (int me = 0; me < THREADS; ++me) most = total[me] > most ? total[me] : most;
  return most != THREADS;
}
