// One counter for all threads.
#include "common.hpp"

static std::atomic<long> counter{0};

int main(int count, char** values) {
    arguments(count, values, 1000000);
    in_threads([](unsigned) {
        for (long k = 0; k < size_wanted; ++k) counter.fetch_add(1, std::memory_order_acq_rel);
    });
    return counter.load() == size_wanted * threads_wanted ? 0 : 1;
}
