// A test framework in a page: TEST("what holds") { CHECK(condition); }
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace fencepost::testing {

struct Test {
    std::string name;
    std::function<void()> body;
};

inline std::vector<Test>& all_tests() {
    static std::vector<Test> tests;
    return tests;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Registration {
    Registration(const char* name, std::function<void()> body) { all_tests().push_back({name, std::move(body)}); }
};

inline void check(bool holds, const char* condition, const char* file, int line) {
    if (holds) return;
    ++failures();
    std::printf("%s:%d: does not hold: %s\n", file, line, condition);
}

template <class Error, class Body>
void check_throws(Body body, const char* what, const char* file, int line) {
    try {
        body();
    } catch (const Error&) {
        return;
    }
    check(false, what, file, line);
}

}  // namespace fencepost::testing

#define FENCEPOST_JOIN_(a, b) a##b
#define FENCEPOST_JOIN(a, b) FENCEPOST_JOIN_(a, b)
#define TEST(name)                                                                                              \
    static void FENCEPOST_JOIN(test_, __LINE__)();                                                              \
    static const fencepost::testing::Registration FENCEPOST_JOIN(registered_, __LINE__)(                        \
        name, FENCEPOST_JOIN(test_, __LINE__));                                                                 \
    static void FENCEPOST_JOIN(test_, __LINE__)()
#define CHECK(condition) fencepost::testing::check((condition), #condition, __FILE__, __LINE__)
#define CHECK_THROWS(error, expression)                                                                         \
    fencepost::testing::check_throws<error>([&] { expression; }, #expression " throws " #error, __FILE__, __LINE__)
