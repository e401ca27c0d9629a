// Like an allocator's free lists: 60,000 atomic locations, blocks that change hands.
#include "common.hpp"

struct Page {
    std::atomic<unsigned long> free_list{0};
    std::atomic<unsigned> used{0};
    std::atomic<unsigned> flags{0};
};
static constexpr unsigned pages = 20000;
static Page heap[pages];

int main(int count, char** values) {
    arguments(count, values, 40000);
    in_threads([](unsigned i) {
        Random random(i + 1);
        for (long k = 0; k < size_wanted; ++k) {
            Page& page = heap[random.next() % pages];
            unsigned long old = page.free_list.load(std::memory_order_relaxed);
            while (!page.free_list.compare_exchange_weak(old, old + 1, std::memory_order_acq_rel)) continue;
            page.used.fetch_add(1, std::memory_order_relaxed);
            if (page.flags.load(std::memory_order_acquire) % 16 == 0) page.flags.store(static_cast<unsigned>(k), std::memory_order_release);
            if (k % 8 == 0) page.used.fetch_sub(1, std::memory_order_acq_rel);
        }
    });
    return 0;
}
