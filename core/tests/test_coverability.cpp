#include "coverability/coverability.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "coverability/antichain.hpp"
#include "coverability/forward.hpp"
#include "programs.hpp"
#include "testing.hpp"

using namespace fencepost;
using fencepost::testing::Builder;

namespace {

using Multiset = std::vector<std::uint32_t>;  // sorted

bool includes(const Multiset& large, const Multiset& small) {
    return std::includes(large.begin(), large.end(), small.begin(), small.end());
}

// A program whose threads are given twice: to put members in, and attackers.
Program with_slots(Program program) {
    std::vector<Thread> threads;
    for (Thread& thread : program.threads) {
        const std::size_t points = thread.code.size() + 1;
        thread.locked.assign(points, 0);
        thread.open_loads = thread.future_reads;
        threads.insert(threads.end(), {thread, thread});
    }
    program.threads = std::move(threads);
    return program;
}

CoverabilityResult run(const Program& program, AttackGoal goal, bool prune = true) {
    const Program slots = with_slots(program);
    std::vector<TemplateSlots> templates;
    for (int t = 0; t < static_cast<int>(slots.threads.size()); t += 2) templates.push_back({t, t + 1});
    CoverabilitySpec spec;
    spec.goal = goal;
    spec.prune = prune;
    return Coverability(slots, templates, spec).run();
}

// old := rmw(x, +1); assert old != fails_at
Program counting(std::int64_t fails_at) {
    Builder b(1);
    const int differs = b.add({{ExprOp::reg, 0}, {ExprOp::constant, fails_at}, {ExprOp::not_equal, 0}});
    b.thread({b.rmw(0, 0, 1), b.conditional(Op::assert_, differs)});
    return b.program;
}

}  // namespace

TEST("a trie of multisets is the antichain of its least members") {
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
        AntichainTrie trie;
        std::uint32_t root = AntichainTrie::none;
        std::map<std::uint32_t, Multiset> members;
        for (std::uint32_t value = 0; value < 60; ++value) {
            Multiset fresh(random() % 5);
            for (std::uint32_t& label : fresh) label = static_cast<std::uint32_t>(random() % 6);
            std::sort(fresh.begin(), fresh.end());
            const bool covered =
                std::any_of(members.begin(), members.end(), [&](const auto& member) { return includes(fresh, member.second); });
            CHECK(trie.has_subset(root, fresh) == covered);
            if (covered) continue;
            std::set<std::uint32_t> expected;
            for (const auto& [number, member] : members)
                if (includes(member, fresh)) expected.insert(number);
            std::set<std::uint32_t> removed;
            trie.insert(root, fresh, value, [&](std::uint32_t number) { removed.insert(number); });
            CHECK(removed == expected);
            for (const std::uint32_t number : expected) members.erase(number);
            members[value] = fresh;
        }
    }
}

TEST("a set of numbers knows its members, and what two sets share") {
    std::mt19937 random(2);
    NumberSet one;
    NumberSet other;
    std::set<std::uint32_t> expected_one;
    std::set<std::uint32_t> expected_other;
    for (int i = 0; i < 400; ++i) {
        const auto n = static_cast<std::uint32_t>(random() % 500);
        CHECK(one.add(n) == expected_one.insert(n).second);
        const auto m = static_cast<std::uint32_t>(random() % 300);
        CHECK(other.add(m) == expected_other.insert(m).second);
    }
    for (std::uint32_t n = 0; n < 600; ++n) CHECK(one.has(n) == (expected_one.count(n) == 1));
    NumberSet common;
    CHECK(common.add_common(one, other));
    CHECK(!common.add_common(one, other));
    std::set<std::uint32_t> found;
    common.each([&](std::uint32_t n) { found.insert(n); });
    std::set<std::uint32_t> expected;
    std::set_intersection(expected_one.begin(), expected_one.end(), expected_other.begin(), expected_other.end(),
                          std::inserter(expected, expected.begin()));
    CHECK(found == expected);
}

TEST("an assertion fails with so many copies as it takes") {
    for (const bool prune : {true, false}) {
        const CoverabilityResult result = run(counting(2), AttackGoal::none, prune);
        CHECK(result.ending == Ending::exhausted);
        const CoverabilityAnswer& answer = result.answers[1];
        CHECK(answer.kind == ViolationKind::assertion && answer.coverable == Coverable::yes);
        CHECK(answer.copies == std::vector<std::uint32_t>{3});
    }
    CHECK(run(counting(7), AttackGoal::none).answers[1].coverable == Coverable::no);  // values are 0 to 3
}

TEST("store buffering needs one copy of each of two templates") {
    const CoverabilityResult result = run(fencepost::testing::store_buffering(), AttackGoal::cycle);
    CHECK(result.answers[0].kind == ViolationKind::cycle && result.answers[0].coverable == Coverable::yes);
    CHECK((result.answers[0].copies == std::vector<std::uint32_t>{1, 1}));
    CHECK(run(fencepost::testing::store_buffering(), AttackGoal::none).answers[0].coverable == Coverable::no);
}

TEST("any number of writers before any number of readers is robust") {
    const CoverabilityResult result = run(fencepost::testing::message_passing(false), AttackGoal::cycle);
    CHECK(result.answers[0].coverable == Coverable::no);
}

TEST("budgets and interrupts leave the answers open") {
    const Program slots = with_slots(fencepost::testing::store_buffering());
    CoverabilitySpec spec;
    spec.max_states = 1;
    const CoverabilityResult few = Coverability(slots, {{0, 1}, {2, 3}}, spec).run();
    CHECK(few.ending == Ending::states);
    spec.max_states = 0;
    spec.max_bytes = 1;
    CHECK(Coverability(slots, {{0, 1}, {2, 3}}, spec).run().ending == Ending::memory);
    spec.max_bytes = 0;
    Coverability stopped(slots, {{0, 1}, {2, 3}}, spec);
    stopped.stop();
    CHECK(stopped.run().ending == Ending::stopped);
}

TEST("templates that are not there are refused") {
    CHECK_THROWS(std::invalid_argument, Coverability(with_slots(counting(2)), {{0, 7}}, CoverabilitySpec{}));
    Program plain = counting(2);
    CHECK_THROWS(std::invalid_argument, Coverability(plain, {{0, 0}}, CoverabilitySpec{}));
}
