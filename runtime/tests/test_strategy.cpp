#include <vector>

#include "schedule/strategy.hpp"
#include "testing.hpp"

using namespace fencepost::sched;

namespace {

// Threads that each do `length` steps, run to the end.
std::vector<int> run(Strategy& strategy, int threads, int length) {
    std::vector<Task> tasks(static_cast<std::size_t>(threads));
    std::vector<int> left(tasks.size(), length);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        tasks[i].id = static_cast<int>(i);
        strategy.created(tasks[i]);
    }
    std::vector<int> order;
    Task* current = nullptr;
    for (std::uint64_t step = 1;; ++step) {
        std::vector<Task*> ready;
        for (Task& task : tasks) {
            if (left[static_cast<std::size_t>(task.id)] > 0) ready.push_back(&task);
        }
        if (ready.empty()) return order;
        current = strategy.pick(ready.data(), static_cast<int>(ready.size()), current, step);
        strategy.executed(*current, ready.data(), static_cast<int>(ready.size()));
        --left[static_cast<std::size_t>(current->id)];
        order.push_back(current->id);
    }
}

int switches(const std::vector<int>& order) {
    int count = 0;
    for (std::size_t i = 1; i < order.size(); ++i) count += order[i] != order[i - 1] ? 1 : 0;
    return count;
}

}  // namespace

TEST("a seed means a schedule") {
    for (const Kind kind : {Kind::Random, Kind::Pct, Kind::Pos}) {
        Strategy first;
        Strategy second;
        Strategy other;
        first.start(kind, 7, 3, 30);
        second.start(kind, 7, 3, 30);
        other.start(kind, 8, 3, 30);
        const auto order = run(first, 3, 10);
        CHECK(order == run(second, 3, 10));
        CHECK(order != run(other, 3, 10));
    }
}

TEST("PCT of depth d preempts at most d-1 times") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        for (unsigned depth = 1; depth <= 4; ++depth) {
            Strategy strategy;
            strategy.start(Kind::Pct, seed, depth, 30);
            // Three threads end, so there are at least two switches; every change point adds at most two.
            const int count = switches(run(strategy, 3, 10));
            CHECK(count >= 2);
            CHECK(count <= 2 + 2 * (static_cast<int>(depth) - 1));
        }
    }
}

TEST("PCT of depth 2 finds each preemption point at least as often as it promises") {
    // Thread 0 is to be preempted exactly after step n, by thread 1: a bug of depth 2 in 2 threads of 5 steps.
    constexpr int runs = 20000;
    for (int n = 1; n < 5; ++n) {
        int found = 0;
        for (int seed = 0; seed < runs; ++seed) {
            Strategy strategy;
            strategy.start(Kind::Pct, static_cast<std::uint64_t>(seed), 2, 10);
            const auto order = run(strategy, 2, 5);
            bool hit = true;
            for (int i = 0; i < n; ++i) hit = hit && order[static_cast<std::size_t>(i)] == 0;
            found += hit && order[static_cast<std::size_t>(n)] == 1 ? 1 : 0;
        }
        CHECK(found > runs * pct_bound(2, 10, 2) * 0.9);
    }
    CHECK(pct_bound(2, 10, 2) == 0.05);
    CHECK(pct_bound(4, 10, 1) == 0.25);
}

TEST("the random walk treats all ready threads alike") {
    int first[3] = {};
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        Strategy strategy;
        strategy.start(Kind::Random, seed, 0, 0);
        ++first[run(strategy, 3, 1)[0]];
    }
    for (const int count : first) {
        CHECK(count > 800);
        CHECK(count < 1200);
    }
}

TEST("POS draws again for the operations that conflict with the one that is done, and only for those") {
    Strategy strategy;
    strategy.start(Kind::Pos, 1, 0, 0);
    const int x = 0;
    const int y = 0;
    Task writer{}, reader{}, other{};
    writer.pending = {Point::Store, &x, true};
    reader.pending = {Point::Load, &x, false};
    other.pending = {Point::Load, &y, false};
    Task* all[] = {&writer, &reader, &other};
    for (Task* task : all) strategy.created(*task);
    const auto of_reader = reader.priority;
    const auto of_other = other.priority;
    strategy.executed(writer, all, 3);
    CHECK(reader.priority != of_reader);
    CHECK(other.priority == of_other);
}

TEST("operations conflict if they are to one place and one of them writes") {
    const int x = 0;
    const int y = 0;
    CHECK(conflict({Point::Store, &x, true}, {Point::Load, &x, false}));
    CHECK(!conflict({Point::Load, &x, false}, {Point::Load, &x, false}));
    CHECK(!conflict({Point::Store, &x, true}, {Point::Store, &y, true}));
    CHECK(!conflict({Point::LocalFence, nullptr, false}, {Point::LocalFence, nullptr, false}));
}

TEST("a thread that keeps seeing the same spins; one that sees something new does not") {
    Looks looks{};
    const int x = 0;
    const int y = 0;
    int count = 1;
    while (!looks.note(count % 2 == 0 ? &x : &y, 1)) ++count;
    CHECK(count == 2 + Looks::patience);
    CHECK(looks.includes(&x));
    CHECK(!looks.note(&x, 3));
    for (std::uint64_t i = 10; i < 100; ++i) CHECK(!looks.note(&x, i));  // a walk over a list, a counter that moves
}
