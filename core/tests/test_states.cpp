#include "search/states.hpp"

#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "testing.hpp"

using namespace fencepost;

TEST("a store numbers each key once, while it grows") {
    Store store(8, 4, 16);
    Records::Cursor cursor;
    std::vector<std::uint32_t> numbers;
    for (std::uint64_t i = 0; i < 60'000; ++i) {
        const std::uint64_t key = i * 0x9e3779b97f4a7c15ULL;
        const std::uint32_t extra = static_cast<std::uint32_t>(i);
        if (store.wants_growth()) store.grow();
        const auto result =
            store.insert(reinterpret_cast<const std::uint8_t*>(&key), reinterpret_cast<const std::uint8_t*>(&extra), cursor);
        CHECK(result.inserted);
        numbers.push_back(result.number);
    }
    CHECK(store.count() == 60'000);
    for (std::uint64_t i = 0; i < 60'000; ++i) {
        const std::uint64_t key = i * 0x9e3779b97f4a7c15ULL;
        const auto again = store.insert(reinterpret_cast<const std::uint8_t*>(&key), nullptr, cursor);
        CHECK(!again.inserted && again.number == numbers[i]);
        std::uint32_t extra;
        std::memcpy(&extra, store.extra(again.number), 4);
        CHECK(extra == i);
    }
}

TEST("of workers that insert the same keys at once, one inserts each") {
    constexpr std::uint32_t keys = 5'000;
    constexpr int workers = 4;
    Store store(4, 0, std::size_t{workers} * keys);
    std::atomic<std::uint32_t> inserted{0};
    std::vector<std::thread> threads;
    for (int w = 0; w < workers; ++w)
        threads.emplace_back([&, w] {
            Records::Cursor cursor;
            for (std::uint32_t i = 0; i < keys; ++i) {
                const std::uint32_t key = (i * 7919 + static_cast<std::uint32_t>(w) * 1009) % keys;
                if (store.insert(reinterpret_cast<const std::uint8_t*>(&key), nullptr, cursor).inserted) ++inserted;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(inserted == keys);
    CHECK(store.count() == keys);
}

namespace {

// A head of one byte and a tail of three.
struct Key {
    std::uint8_t bytes[16] = {};
    Key(unsigned head, unsigned tail) {
        bytes[0] = static_cast<std::uint8_t>(head);
        std::memcpy(bytes + 1, &tail, 3);
    }
};

bool included(unsigned a, unsigned b) { return (a & ~b) == 0; }

}  // namespace

TEST("antichains keep exactly the largest tails of each head") {
    std::mt19937 random(3);
    for (const bool share : {false, true}) {
        Antichains states(1, 3, share, 64);
        States::Cursors cursors;
        std::map<unsigned, std::set<unsigned>> inserted;
        std::map<std::uint32_t, std::pair<unsigned, unsigned>> stored;
        for (int i = 0; i < 3'000; ++i) {
            const unsigned head = random() % 4;
            const unsigned tail = random() & random() & 0xffffff;
            if (states.wants_growth()) states.grow();
            const Key key(head, tail);
            const std::uint32_t number = states.insert(key.bytes, Store::none, 1, cursors);
            bool known = false;
            for (const unsigned old : inserted[head]) known |= included(tail, old);
            CHECK((number == Store::none) == known);
            if (number != Store::none) stored[number] = {head, tail};
            inserted[head].insert(tail);
        }
        for (const auto& [number, state] : stored) {
            const auto& [head, tail] = state;
            CHECK(*states.head(number) == head);
            CHECK(std::memcmp(states.tail(number), Key(head, tail).bytes + 1, 3) == 0);
            bool covered = false;
            for (const unsigned other : inserted[head]) covered |= other != tail && included(tail, other);
            CHECK(states.covered(number) == covered);  // all are of one level
        }
    }
}

TEST("a state of an earlier level is never called covered") {
    Antichains states(1, 3, false, 64);
    States::Cursors cursors;
    const std::uint32_t first = states.insert(Key(0, 1).bytes, Store::none, 1, cursors);
    const std::uint32_t second = states.insert(Key(0, 3).bytes, first, 2, cursors);
    CHECK(second != Store::none && !states.covered(first));
    CHECK(states.parent(second) == first);
}

TEST("exact states differ in heads and tails") {
    for (const bool share : {false, true}) {
        ExactStates states(1, 3, share, 64);
        States::Cursors cursors;
        CHECK(states.insert(Key(1, 2).bytes, Store::none, 0, cursors) != Store::none);
        CHECK(states.insert(Key(1, 3).bytes, Store::none, 0, cursors) != Store::none);
        CHECK(states.insert(Key(2, 2).bytes, Store::none, 0, cursors) != Store::none);
        CHECK(states.insert(Key(1, 2).bytes, Store::none, 0, cursors) == Store::none);
        CHECK(states.count() == 3);
    }
}
