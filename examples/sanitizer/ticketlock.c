/* A ticket lock, three threads, which take it twice. Robust with acquire and release, if waiting counts as waiting: -DWAITS=0 spins
   without saying so, and may read an old value of `serving` a few times more. */
#include "litmus.h"

#ifndef STORE_ORDER
#define STORE_ORDER release
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER acquire
#endif
#ifndef TICKET_ORDER
#define TICKET_ORDER relaxed
#endif

ATOMIC(int) tickets, serving;
static int counter;

static void worker(int me) {
  (void)me;
  for (int round = 0; round < 2; ++round) {
    int mine = FADD(tickets, 1, TICKET_ORDER);
    WAIT_EQ(serving, mine, LOAD_ORDER);
    ++counter;
    STORE(serving, mine + 1, STORE_ORDER);
  }
}

int main(void) {
  RUN(worker, worker, worker);
  return counter != 6;
}
