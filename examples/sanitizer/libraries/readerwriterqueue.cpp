// moodycamel::ReaderWriterQueue (libreaderwriterqueue-dev): one producer, one consumer, grows by blocks.
#include <readerwriterqueue/readerwriterqueue.h>

#include "stress.hpp"

int main(int count, char **words) {
  moodycamel::ReaderWriterQueue<int, 4> queue(3);
  Load load = load_from(count, words);
  load.producers = load.consumers = 1;
  if (count <= 3) load.items = 6;
  return stress(
      load, [&](int item, int) { return queue.enqueue(item); }, [&](int &item, int) { return queue.try_dequeue(item); });
}
