// Treiber's stack; nodes come from an array and go back to their thread.
#include "common.hpp"

struct Node {
    unsigned next;
    long value;
};
static Node nodes[1U << 16];
static std::atomic<unsigned long> top{0};  // index + 1, and a number against reuse in the upper half

static void push(unsigned index) {
    unsigned long old = top.load(std::memory_order_relaxed);
    do nodes[index].next = static_cast<unsigned>(old);
    while (!top.compare_exchange_weak(old, ((old >> 32) + 1) << 32 | (index + 1), std::memory_order_acq_rel));
}

int main(int count, char** values) {
    arguments(count, values, 300000);
    in_threads([](unsigned i) {
        for (long k = 0; k < size_wanted; ++k) {
            const unsigned index = i * 512 + static_cast<unsigned>(k % 512);
            nodes[index].value = k;
            if (k % 2 == 0) push(index);
            else top.fetch_add(1UL << 32, std::memory_order_acq_rel);
            if (k % 512 == 511) top.exchange(0, std::memory_order_acq_rel);
        }
    });
    return 0;
}
