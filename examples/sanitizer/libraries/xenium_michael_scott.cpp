// xenium::michael_scott_queue (libxenium-dev), nodes reclaimed by hazard pointers.
#include <xenium/michael_scott_queue.hpp>
#include <xenium/reclamation/hazard_pointer.hpp>

#include "stress.hpp"

using Reclaimer = xenium::reclamation::hazard_pointer<>::with<
    xenium::policy::allocation_strategy<xenium::reclamation::hp_allocation::static_strategy<3>>>;

int main(int count, char **words) {
  xenium::michael_scott_queue<int, xenium::policy::reclaimer<Reclaimer>> queue;
  return stress(
      load_from(count, words), [&](int item, int) { return queue.push(item), true; },
      [&](int &item, int) { return queue.try_pop(item); });
}
