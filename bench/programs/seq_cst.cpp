// Loads and stores with the default order.
#include "common.hpp"

struct alignas(64) Cell {
    std::atomic<long> value{0};
};
static Cell cells[64];

int main(int count, char** values) {
    arguments(count, values, 700000);
    in_threads([](unsigned i) {
        for (long k = 0; k < size_wanted; ++k) {
            cells[i].value = k;
            if (k % 8 == 0 && cells[(i + 1) % threads_wanted].value < 0) std::abort();
        }
    });
    return 0;
}
