// Pairs of threads with a bounded queue for one producer and one consumer each.
#include "common.hpp"

struct Ring {
    static constexpr unsigned size = 256;
    alignas(64) std::atomic<unsigned> head{0};
    alignas(64) std::atomic<unsigned> tail{0};
    long items[size];
};
static Ring rings[32];

int main(int count, char** values) {
    arguments(count, values, 500000);
    in_threads([](unsigned i) {
        Ring& ring = rings[i / 2];
        for (long k = 0; k < size_wanted; ++k) {
            if (i % 2 == 0) {
                const unsigned tail = ring.tail.load(std::memory_order_relaxed);
                while (tail - ring.head.load(std::memory_order_acquire) == Ring::size) std::this_thread::yield();
                ring.items[tail % Ring::size] = k;
                ring.tail.store(tail + 1, std::memory_order_release);
            } else {
                const unsigned head = ring.head.load(std::memory_order_relaxed);
                while (ring.tail.load(std::memory_order_acquire) == head) std::this_thread::yield();
                if (ring.items[head % Ring::size] != k) std::abort();
                ring.head.store(head + 1, std::memory_order_release);
            }
        }
    });
    return 0;
}
