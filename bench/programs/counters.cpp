// Relaxed counters, one for each thread.
#include "common.hpp"

struct alignas(64) Counter {
    std::atomic<long> value{0};
};
static Counter counters[64];

int main(int count, char** values) {
    arguments(count, values, 3000000);
    in_threads([](unsigned i) {
        for (long k = 0; k < size_wanted; ++k) counters[i].value.fetch_add(1, std::memory_order_relaxed);
    });
    long sum = 0;
    for (Counter& counter : counters) sum += counter.value.load(std::memory_order_relaxed);
    return sum == size_wanted * threads_wanted ? 0 : 1;
}
