// What the stress programs of this folder share: producers that put numbers in, consumers that take them out, and a sum
// that must come out right.
#pragma once

#include <fencepost.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

struct Load {
  int producers = 2;
  int consumers = 2;
  int items = 3;  // of each producer
};

// Few threads and few items by default: for many runs under a controlled schedule. Others as arguments.
inline Load load_from(int count, char **words) {
  Load load;
  if (count > 1) load.producers = std::atoi(words[1]);
  if (count > 2) load.consumers = std::atoi(words[2]);
  if (count > 3) load.items = std::atoi(words[3]);
  return load;
}

// `put(item, me)` and `take(item, me)` return whether they did it. Returns the exit code: 1 if an item was lost, or came twice.
template <class Put, class Take> int stress(const Load &load, Put put, Take take) {
  const long total = static_cast<long>(load.producers) * load.items;
  std::atomic<long> taken(0);  // only says when to stop: an old value does no harm
  fencepost::not_synchronisation(taken);
  std::vector<long> sums(static_cast<std::size_t>(load.consumers));
  std::vector<std::thread> threads;
  for (int me = 0; me < load.producers; ++me)
    threads.emplace_back([&, me] {
      for (int number = 0; number < load.items; ++number)
        while (!put(me * load.items + number + 1, me)) std::this_thread::yield();
    });
  for (int me = 0; me < load.consumers; ++me)
    threads.emplace_back([&, me] {
      // The count is a relaxed one: the program must not order what the library does not.
      while (taken.load(std::memory_order_relaxed) < total) {
        int item = 0;
        if (take(item, me)) {
          sums[static_cast<std::size_t>(me)] += item;
          taken.fetch_add(1, std::memory_order_relaxed);
        } else {
          std::this_thread::yield();
        }
      }
    });
  for (std::thread &thread : threads) thread.join();
  long sum = 0;
  for (const long part : sums) sum += part;
  if (sum == total * (total + 1) / 2) return 0;
  std::printf("the sum is %ld, and should be %ld\n", sum, total * (total + 1) / 2);
  return 1;
}
