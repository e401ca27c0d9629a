// One writer and readers who try again, with atomic data and fences as they should be.
#include "common.hpp"

static std::atomic<unsigned> number{0};
static std::atomic<long> words[4];

int main(int count, char** values) {
    arguments(count, values, 300000);
    in_threads([](unsigned i) {
        for (long k = 0; k < size_wanted; ++k) {
            if (i == 0) {
                const unsigned now = number.load(std::memory_order_relaxed);
                number.store(now + 1, std::memory_order_relaxed);
                std::atomic_thread_fence(std::memory_order_seq_cst);
                for (std::atomic<long>& word : words) word.store(k, std::memory_order_relaxed);
                number.store(now + 2, std::memory_order_release);
            } else {
                for (int tries = 0; tries < 3; ++tries) {
                    const unsigned before = number.load(std::memory_order_acquire);
                    long sum = 0;
                    for (std::atomic<long>& word : words) sum += word.load(std::memory_order_relaxed);
                    std::atomic_thread_fence(std::memory_order_acquire);
                    if (before % 2 == 0 && number.load(std::memory_order_relaxed) == before) break;
                }
            }
        }
    });
    return 0;
}
