// Mostly reads of a shared structure through a pointer that is published now and then.
#include "common.hpp"

struct Table {
    long numbers[64];
};
static std::atomic<Table*> current{nullptr};

int main(int count, char** values) {
    arguments(count, values, 1000000);
    current.store(new Table(), std::memory_order_release);
    in_threads([](unsigned i) {
        Random random(i + 1);
        long sum = 0;
        for (long k = 0; k < size_wanted; ++k) {
            const Table* table = current.load(std::memory_order_acquire);
            sum += table->numbers[random.next() % 64];
            if (i == 0 && k % 1000 == 0) {
                Table* const fresh = new Table(*table);
                fresh->numbers[k / 1000 % 64] = k;
                current.store(fresh, std::memory_order_release);
            }
        }
        if (sum < 0) std::abort();
    });
    return 0;
}
