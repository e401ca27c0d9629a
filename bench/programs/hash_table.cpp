// Open addressing; keys are put in with compare-and-swap, values beside them.
#include "common.hpp"

struct Entry {
    std::atomic<unsigned> key{0};
    std::atomic<unsigned> value{0};
};
static constexpr unsigned room = 1U << 16;
static Entry table[room];

int main(int count, char** values) {
    arguments(count, values, 200000);
    in_threads([](unsigned i) {
        Random random(i + 1);
        for (long k = 0; k < size_wanted; ++k) {
            const unsigned key = random.next() % (room / 2) + 1;
            for (unsigned at = key * 2654435761U % room;; at = (at + 1) % room) {
                unsigned known = table[at].key.load(std::memory_order_acquire);
                if (known == 0 && table[at].key.compare_exchange_strong(known, key, std::memory_order_acq_rel)) known = key;
                if (known != key) continue;
                table[at].value.fetch_add(1, std::memory_order_relaxed);
                break;
            }
        }
    });
    long sum = 0;
    for (Entry& entry : table) sum += entry.value.load(std::memory_order_relaxed);
    return sum == size_wanted * threads_wanted ? 0 : 1;
}
