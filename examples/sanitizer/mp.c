/* Message passing: who sees the flag must see the message. It takes a release store and an acquire load of the
   flag, or such fences (-DFENCES=1). -DPLAIN=1: the message is not atomic, so that missing orders make a data race. */
#include "litmus.h"

#ifndef STORE_ORDER
#define STORE_ORDER relaxed
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER relaxed
#endif

#ifdef PLAIN
static int message;
#define WRITE_DATA(value) (message = (value))
#define READ_DATA() (message)
#else
ATOMIC(int) message;
#define WRITE_DATA(value) STORE(message, (value), relaxed)
#define READ_DATA() LOAD(message, relaxed)
#endif

ATOMIC(int) flag;
static int seen = 42;

static void writer(int me) {
  (void)me;
  WRITE_DATA(42);
  if (FENCES) atomic_thread_fence(memory_order_release);
  STORE(flag, 1, STORE_ORDER);
}

static void reader(int me) {
  (void)me;
  int ready = LOAD(flag, LOAD_ORDER);
  if (FENCES) atomic_thread_fence(memory_order_acquire);
  if (ready) seen = READ_DATA();
}

int main(void) {
  RUN(writer, reader);
  return seen == 42 ? 0 : 1;
}
