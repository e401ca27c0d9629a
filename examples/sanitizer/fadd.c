/* What a read-modify-write forbids and what not (Figure 6 of "Dynamic robustness verification against weak
   memory", PLDI 2025). The left thread adds to x and reads y, the right one writes y, and then
   -DSECOND=read   reads x: it may read 0, before the addition;
   -DSECOND=write  writes x: its write cannot come between the 0 that the addition has read and the addition,
                   so this is robust. With -DFADD_IS_STORE=1, a store in the place of the addition, it is not. */
#include "litmus.h"

#ifndef FADD_IS_STORE
#define FADD_IS_STORE 0
#endif
#define read 1
#define write 2

ATOMIC(int) x, y;
static int seen[2];

static void left(int me) {
  if (FADD_IS_STORE)
    STORE(x, 1, release);
  else
    FADD(x, 1, acq_rel);
  seen[me] = LOAD(y, acquire);
}

static void right(int me) {
  STORE(y, 1, release);
  if (SECOND == read)
    seen[me] = LOAD(x, acquire);
  else
    STORE(x, 2, release);
}

int main(void) {
  RUN(left, right);
  return seen[0] + seen[1] > 4;
}
