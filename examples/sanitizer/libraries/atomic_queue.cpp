// atomic_queue::AtomicQueue (libatomic-queue-dev): a ring whose cells are atomic.
#include <atomic_queue/atomic_queue.h>

#include "stress.hpp"

int main(int count, char **words) {
  atomic_queue::AtomicQueue<int, 8> queue;
  return stress(
      load_from(count, words), [&](int item, int) { return queue.try_push(item); },
      [&](int &item, int) { return queue.try_pop(item); });
}
