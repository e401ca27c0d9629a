// A lock of one exchange, which protects a few plain words.
#include "common.hpp"

static std::atomic<bool> held{false};
static long words[16];

int main(int count, char** values) {
    arguments(count, values, 400000);
    in_threads([](unsigned) {
        for (long k = 0; k < size_wanted; ++k) {
            while (held.exchange(true, std::memory_order_acquire))
                while (held.load(std::memory_order_relaxed)) std::this_thread::yield();
            for (long& word : words) ++word;
            held.store(false, std::memory_order_release);
        }
    });
    return words[3] == size_wanted * threads_wanted ? 0 : 1;
}
