// xenium::vyukov_bounded_queue (libxenium-dev): a ring of cells with sequence numbers.
#include <xenium/vyukov_bounded_queue.hpp>

#include "stress.hpp"

int main(int count, char **words) {
  xenium::vyukov_bounded_queue<int> queue(8);
  return stress(
      load_from(count, words), [&](int item, int) { return queue.try_push(item); },
      [&](int &item, int) { return queue.try_pop(item); });
}
