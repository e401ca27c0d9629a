#include <cstdio>

#include "testing.hpp"

int main() {
    using namespace fencepost::testing;
    int failed = 0;
    for (const Test& test : all_tests()) {
        const int before = failures();
        test.body();
        if (failures() == before) continue;
        ++failed;
        std::printf("FAILED: %s\n", test.name.c_str());
    }
    std::printf("%zu passed, %d failed\n", all_tests().size() - static_cast<std::size_t>(failed), failed);
    return failed == 0 ? 0 : 1;
}
