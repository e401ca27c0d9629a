// Accesses to SIZE atomic locations in turn; their number is the same for any SIZE. For the time per access.
#include "common.hpp"

int main(int count, char** values) {
    arguments(count, values, 1000);
    std::vector<std::atomic<unsigned>> cells(static_cast<std::size_t>(size_wanted));
    in_threads([&](unsigned i) {
        Random random(i + 1);
        for (long k = 0; k < 1000000; ++k)
            cells[random.next() % static_cast<unsigned>(size_wanted)].fetch_add(1, std::memory_order_acq_rel);
    });
    return 0;
}
