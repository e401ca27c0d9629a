#include "graphs/relation.hpp"

#include <random>

#include "testing.hpp"

using namespace fencepost;
using namespace fencepost::graphs;

namespace {

constexpr int n = 70;  // more than a word
using Row = Bits<2>;

struct Random {
    std::mt19937 source;
    void fill(Row* rows, unsigned one_in) {
        for (int i = 0; i < n; ++i) {
            rows[i] = Row{};
            for (int j = 0; j < n; ++j)
                if (source() % one_in == 0) rows[i].set(j);
        }
    }
};

}  // namespace

TEST("operations on relations are what they say") {
    Random random{std::mt19937(1)};
    for (int round = 0; round < 20; ++round) {
        Row a[n], b[n], out[n];
        random.fill(a, 40);
        random.fill(b, 40);
        sequence<2>(out, a, b, n);
        bool same = true;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                bool related = false;
                for (int k = 0; k < n; ++k) related |= a[i].test(k) && b[k].test(j);
                same &= related == out[i].test(j);
            }
        CHECK(same);
        inverse<2>(out, a, n);
        same = true;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) same &= out[i].test(j) == a[j].test(i);
        CHECK(same);
    }
}

TEST("a relation is acyclic if and only if its closure is irreflexive") {
    Random random{std::mt19937(2)};
    int cyclic = 0;
    for (int round = 0; round < 200; ++round) {
        Row a[n];
        random.fill(a, 90);
        const bool acyclic = is_acyclic<2>(a, n);
        close<2>(a, n);
        CHECK(acyclic == is_irreflexive<2>(a, n));
        cyclic += !acyclic;
    }
    CHECK(cyclic > 20 && cyclic < 180);  // both cases were met
}

TEST("the first events") {
    CHECK(!first<2>(0).any());
    CHECK(first<2>(64).word[0] == ~std::uint64_t{0} && first<2>(64).word[1] == 0);
    CHECK(first<2>(65).word[1] == 1);
}
