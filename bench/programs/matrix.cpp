// Plain work on arrays, which threads share without writing to the same places.
#include "common.hpp"

int main(int count, char** values) {
    arguments(count, values, 192);
    const long n = size_wanted;
    std::vector<double> a(static_cast<std::size_t>(n * n), 1.5), b(static_cast<std::size_t>(n * n), 2.0),
        c(static_cast<std::size_t>(n * n));
    in_threads([&](unsigned t) {
        for (long i = t; i < n; i += threads_wanted)
            for (long k = 0; k < n; ++k)
                for (long j = 0; j < n; ++j)
                    c[static_cast<std::size_t>(i * n + j)] +=
                        a[static_cast<std::size_t>(i * n + k)] * b[static_cast<std::size_t>(k * n + j)];
    });
    return c[0] == 3.0 * static_cast<double>(n) ? 0 : 1;
}
