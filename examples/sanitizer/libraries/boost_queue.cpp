// boost::lockfree::queue (libboost-dev): any number of producers and consumers, nodes from a free list.
#include <boost/lockfree/queue.hpp>

#include "stress.hpp"

int main(int count, char **words) {
  boost::lockfree::queue<int, boost::lockfree::capacity<64>> queue;
  return stress(
      load_from(count, words), [&](int item, int) { return queue.push(item); },
      [&](int &item, int) { return queue.pop(item); });
}
