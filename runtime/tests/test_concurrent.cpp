// The engine used by several threads at once. Under ThreadSanitizer this says that its locks are enough.
#include <thread>
#include <vector>

#include "abi/atomic.hpp"
#include "engine/segments.hpp"
#include "testing.hpp"

using namespace fencepost;

namespace {

struct Shared {
    std::uint64_t counter;
    std::uint64_t lock;
    std::uint64_t plain;
    std::uint64_t flags[64];
};

template <class Body>
void in_threads(unsigned count, Body body) {
    rt::ThreadState* const parent = rt::current();
    std::vector<rt::ThreadToken*> tokens;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i) {
        tokens.push_back(rt::thread_created(parent));
        threads.emplace_back([&body, token = tokens.back(), i] {
            rt::thread_started(token);
            body(i);
            rt::thread_finished();
        });
    }
    for (unsigned i = 0; i < count; ++i) {
        threads[i].join();
        rt::thread_joined(parent, tokens[i]);
    }
}

void plain(const void* address, std::size_t size, bool is_write) {
    rt::plain_bytes(*rt::current(), reinterpret_cast<std::uintptr_t>(address), size, is_write, 1);
}

}  // namespace

TEST("threads that share locations, locks and memory: nothing is lost, nothing is found that is not there") {
    static Shared shared;
    rt::is_usual = true;
    rt::allow_owned_locks();
    const rt::Findings before = rt::findings();
    in_threads(4, [](unsigned i) {
        for (unsigned k = 0; k < 3000; ++k) {
            rt::atomic_update<rt::FetchAdd>(&shared.counter, std::uint64_t{1}, __ATOMIC_ACQ_REL, 1);
            while (rt::atomic_update<rt::Exchange>(&shared.lock, std::uint64_t{1}, __ATOMIC_ACQUIRE, 2) != 0)
                std::this_thread::yield();
            plain(&shared.plain, 8, true);
            rt::sync_release(rt::current(), &shared.flags[i]);
            rt::sync_acquire(rt::current(), &shared.flags[(i + 1) % 4]);
            rt::atomic_store(&shared.lock, std::uint64_t{0}, __ATOMIC_RELEASE, 3);
            std::vector<std::uint64_t> own(8);
            plain(own.data(), 64, true);
            rt::memory_reset(own.data(), 64);
        }
    });
    CHECK(shared.counter == 12000);
    CHECK(rt::findings().races == before.races);
    CHECK(rt::findings().violations == before.violations);
    rt::memory_reset(&shared, sizeof shared);
}

TEST("who is alone with a location owns its lock until somebody comes; nothing is lost meanwhile") {
    static std::uint64_t word;
    static std::atomic<bool> goes_on{false};
    constexpr unsigned many = 5000;
    rt::is_usual = true;
    rt::psc_in_use = false;  // other tests' seq_cst accesses
    rt::allow_owned_locks();
    const rt::Findings before = rt::findings();
    for (unsigned round = 0; round < 4; ++round) {
        goes_on = false;
        in_threads(2, [](unsigned i) {
            const auto add = [](std::uintptr_t place) {
                for (unsigned k = 0; k < many; ++k)
                    rt::atomic_update<rt::FetchAdd>(&word, std::uint64_t{1}, __ATOMIC_ACQ_REL, place);
            };
            if (i == 0) add(1);  // alone
            if (i == 0) goes_on = true;
            while (!goes_on) std::this_thread::yield();
            add(2);
        });
        rt::Location* const location = rt::locked_location_if_known(reinterpret_cast<std::uintptr_t>(&word), 8, false);
        CHECK(location != nullptr);
        if (location) {
            CHECK(location->ownerships > 0 || !rt::locks_can_be_owned);
            CHECK(location->write(0).value == std::uint64_t{3} * many * (round + 1));
            location->lock.unlock();
        }
    }
    CHECK(word == std::uint64_t{12} * many);
    CHECK(rt::findings().races == before.races);
    CHECK(rt::findings().violations == before.violations);
    rt::memory_reset(&word, sizeof word);
}

TEST("numbers of segments are used again, and old accesses are still told apart from races") {
    static std::uint64_t words[64];
    const rt::Findings before = rt::findings();
    const std::uint64_t sweeps = rt::segment_sweeps();
    in_threads(2, [](unsigned i) {
        std::uint64_t mutex = 0;
        for (unsigned k = 0; k < rt::most_segments; ++k) {
            rt::sync_release(rt::current(), &mutex);
            plain(&words[i * 32 + k % 32], 8, true);
        }
        rt::memory_reset(&mutex, 8);
    });
    CHECK(rt::segment_sweeps() > sweeps);
    in_threads(2, [](unsigned i) { plain(&words[i * 32], 8, true); });
    CHECK(rt::findings().races == before.races);
    rt::memory_reset(words, sizeof words);
}

TEST("more threads, one after another, than there is room for at once") {
    const rt::Findings before = rt::findings();
    static std::uint64_t word;
    rt::ThreadState* const parent = rt::current();
    for (unsigned i = 0; i < rt::most_slots + 100; ++i) {  // nobody waits for them, and yet they are gone
        rt::ThreadToken* const token = rt::thread_created(parent);
        std::thread([token] {
            rt::thread_started(token);
            rt::atomic_update<rt::FetchAdd>(&word, std::uint64_t{1}, __ATOMIC_RELAXED, 1);
            rt::thread_finished();
        }).join();
        rt::thread_detached(token);
    }
    CHECK(rt::findings().violations == before.violations);
    CHECK(rt::findings().races == before.races);
    rt::memory_reset(&word, 8);
}
