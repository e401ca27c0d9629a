// xenium::chase_work_stealing_deque (libxenium-dev): one owner, who pushes and pops, and thieves.
#include <xenium/chase_work_stealing_deque.hpp>

#include "stress.hpp"

int main(int count, char **words) {
  Load load = load_from(count, words);
  const int total = load.producers * load.items;
  std::vector<int> items(static_cast<std::size_t>(total));
  for (int number = 0; number < total; ++number) items[static_cast<std::size_t>(number)] = number + 1;
  xenium::chase_work_stealing_deque<int> deque;
  std::vector<long> sums(static_cast<std::size_t>(load.consumers) + 1);
  std::vector<std::thread> thieves;
  for (int me = 1; me <= load.consumers; ++me)
    thieves.emplace_back([&, me] {
      int *item = nullptr;
      for (int attempt = 0; attempt < total; ++attempt)
        if (deque.try_steal(item)) sums[static_cast<std::size_t>(me)] += *item;
    });
  int *item = nullptr;
  for (int number = 0; number < total; ++number) {
    while (!deque.try_push(&items[static_cast<std::size_t>(number)])) std::this_thread::yield();
    if (number % 2 == 1 && deque.try_pop(item)) sums[0] += *item;
  }
  while (deque.try_pop(item)) sums[0] += *item;
  for (std::thread &thief : thieves) thief.join();
  long sum = 0;
  for (const long part : sums) sum += part;
  return sum == static_cast<long>(total) * (total + 1) / 2 ? 0 : 1;
}
