// moodycamel::ConcurrentQueue (libconcurrentqueue-dev): a queue for each producer.
#include <concurrentqueue/concurrentqueue.h>

#include "stress.hpp"

int main(int count, char **words) {
  moodycamel::ConcurrentQueue<int> queue;
  return stress(
      load_from(count, words), [&](int item, int) { return queue.enqueue(item); },
      [&](int &item, int) { return queue.try_dequeue(item); });
}
