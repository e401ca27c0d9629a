// Relaxed stores with seq_cst fences, each thread on its own.
#include "common.hpp"

struct alignas(64) Cell {
    std::atomic<long> value{0};
};
static Cell cells[64];

int main(int count, char** values) {
    arguments(count, values, 400000);
    in_threads([](unsigned i) {
        for (long k = 0; k < size_wanted; ++k) {
            cells[i].value.store(k, std::memory_order_relaxed);
            std::atomic_thread_fence(std::memory_order_seq_cst);
        }
    });
    return 0;
}
