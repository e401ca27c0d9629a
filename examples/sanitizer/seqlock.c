/* A sequence lock: two writers, one reader, which reads again if a writer was there. With relaxed data stores
   (-DDATA_STORE=relaxed) a reader may see data of a writer whose sequence number it has not seen. */
#include "litmus.h"

#ifndef DATA_STORE
#define DATA_STORE release
#endif
#ifndef DATA_LOAD
#define DATA_LOAD acquire
#endif

ATOMIC(int) sequence, x, y;
static int seen[3][2];

static void writer(int me) {
  for (;;) {
    int before = LOAD(sequence, acquire);
    if (before % 2 == 0 && WEAK_CAS(sequence, &before, before + 1, acq_rel)) {
      if (FENCES) atomic_thread_fence(memory_order_release);
      STORE(x, me + 1, DATA_STORE);
      STORE(y, me + 1, DATA_STORE);
      STORE(sequence, before + 2, release);
      return;
    }
  }
}

static void reader(int me) {
  for (;;) {
    int before = LOAD(sequence, acquire);
    seen[me][0] = LOAD(x, DATA_LOAD);
    seen[me][1] = LOAD(y, DATA_LOAD);
    if (FENCES) atomic_thread_fence(memory_order_acquire);
    int after = LOAD(sequence, acquire);
    if (before == after && before % 2 == 0) return;
  }
}

int main(void) {
  RUN(writer, writer, reader);
  return seen[2][0] != seen[2][1];
}
