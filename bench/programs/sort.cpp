// Each thread sorts its part of an array; then they are merged.
#include <algorithm>

#include "common.hpp"

int main(int count, char** values) {
    arguments(count, values, 400000);
    std::vector<unsigned> numbers(static_cast<std::size_t>(size_wanted));
    Random random(1);
    for (unsigned& number : numbers) number = random.next();
    const long part = size_wanted / threads_wanted;
    in_threads([&](unsigned i) {
        const auto begin = numbers.begin() + part * i;
        std::sort(begin, i + 1 == threads_wanted ? numbers.end() : begin + part);
    });
    for (unsigned i = 1; i < threads_wanted; ++i)
        std::inplace_merge(numbers.begin(), numbers.begin() + part * i,
                           i + 1 == threads_wanted ? numbers.end() : numbers.begin() + part * (i + 1));
    return std::is_sorted(numbers.begin(), numbers.end()) ? 0 : 1;
}
