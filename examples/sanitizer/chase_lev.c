/* A work-stealing deque after Chase and Lev, without growth: the owner pushes and takes at the bottom, two thieves
   steal at the top. As published for C11 by Le, Pop, Cohen and Zappa Nardelli (PPoPP 2013), which is correct and
   not robust: a thief may work with an old `top`. -DSTRONG=1: all is seq_cst. -DALTERNATE=1: the owner takes after each push, which
   shows it much sooner with strong CAS. */
#include "litmus.h"

#ifndef TOP_CAS
#define TOP_CAS STRONG_CAS /* -DTOP_CAS=WEAK_CAS: one that may fail spuriously, as the paper takes those without annotation */
#endif

#define CAPACITY 8
#define ITEMS 3

#ifdef STRONG
#define TOP_LOAD seq_cst
#define BOTTOM_LOAD seq_cst
#define OWN_LOAD seq_cst
#define BOTTOM_STORE seq_cst
#define ITEM_STORE seq_cst
#define ITEM_LOAD seq_cst
#define DEQUE_FENCE(order) ((void)0)
#else
#define TOP_LOAD acquire
#define BOTTOM_LOAD acquire
#define OWN_LOAD relaxed
#define BOTTOM_STORE relaxed
#define ITEM_STORE relaxed
#define ITEM_LOAD relaxed
#define DEQUE_FENCE(order) atomic_thread_fence(memory_order_##order)
#endif

ATOMIC(int) top, bottom, items[CAPACITY];
static int sums[3];

static void push(int item) {
  int b = LOAD(bottom, OWN_LOAD);
  STORE(items[b % CAPACITY], item, ITEM_STORE);
  DEQUE_FENCE(release);
  STORE(bottom, b + 1, BOTTOM_STORE);
}

static int take(void) {
  int b = LOAD(bottom, OWN_LOAD) - 1;
  STORE(bottom, b, BOTTOM_STORE);
  DEQUE_FENCE(seq_cst);
  int t = LOAD(top, OWN_LOAD);
  if (t > b) {
    STORE(bottom, b + 1, BOTTOM_STORE);
    return 0;
  }
  int item = LOAD(items[b % CAPACITY], ITEM_LOAD);
  if (t == b) {
    if (!TOP_CAS(top, &t, t + 1, seq_cst)) item = 0;
    STORE(bottom, b + 1, BOTTOM_STORE);
  }
  return item;
}

static int steal(void) {
  int t = LOAD(top, TOP_LOAD);
  DEQUE_FENCE(seq_cst);
  int b = LOAD(bottom, BOTTOM_LOAD);
  if (t >= b) return 0;
  int item = LOAD(items[t % CAPACITY], ITEM_LOAD);
  return TOP_CAS(top, &t, t + 1, seq_cst) ? item : 0;
}

static void owner(int me) {
#ifdef ALTERNATE
  for (int item = 1; item <= ITEMS; ++item) {
    push(item);
    sums[me] += take();
  }
#else
  for (int item = 1; item <= ITEMS; ++item) push(item);
  for (int round = 0; round < ITEMS; ++round) sums[me] += take();
#endif
}

static void thief(int me) {
  for (int round = 0; round < 2; ++round) sums[me] += steal();
}

int main(void) {
  RUN(owner, thief, thief);
  int left = 0;
  for (int item = take(); item; item = take()) left += item;
  return sums[0] + sums[1] + sums[2] + left != ITEMS * (ITEMS + 1) / 2;
}
