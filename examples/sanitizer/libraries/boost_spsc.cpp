// boost::lockfree::spsc_queue (libboost-dev): one producer, one consumer.
#include <boost/lockfree/spsc_queue.hpp>

#include "stress.hpp"

int main(int count, char **words) {
  boost::lockfree::spsc_queue<int, boost::lockfree::capacity<4>> queue;
  Load load = load_from(count, words);
  load.producers = load.consumers = 1;
  if (count <= 3) load.items = 6;
  return stress(
      load, [&](int item, int) { return queue.push(item); }, [&](int &item, int) { return queue.pop(item); });
}
