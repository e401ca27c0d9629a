#include "search/search.hpp"

#include <stdexcept>
#include <thread>

#include "programs.hpp"
#include "testing.hpp"

using namespace fencepost;
using fencepost::testing::Builder;
using fencepost::testing::message_passing;
using fencepost::testing::store_buffering;

namespace {

SearchSpec rc20() {
    SearchSpec spec;
    spec.monitor = MonitorKind::rc20;
    return spec;
}

// Counts up for ever: as many states as there are values.
Program counter(Value max_value) {
    Builder b(1, max_value);
    Instruction store = b.store(0, 0);
    store.first = b.plus(0, 1);
    store.used = 1;
    b.thread({b.load(0, 0), store, b.jump(0)});
    b.thread({b.load(0, 0), b.jump(0)});
    return b.program;
}

// The specs that differ from the default in one reduction.
std::vector<SearchSpec> variants(SearchSpec spec) {
    std::vector<SearchSpec> all(8, spec);
    all[1].forget = false;
    all[2].subsume = false;
    all[3].compress = false;
    all[4].reductions.dead_registers = false;
    all[5].reductions.fuse_local = false;
    all[6].reductions.partial_order = false;
    all[7].reductions.symmetry = false;
    return all;
}

}  // namespace

TEST("store buffering is not robust, and the witness is a shortest one") {
    for (int workers : {1, 2})
        for (SearchSpec spec : variants(rc20())) {
            spec.workers = workers;
            const SearchResult result = Search::create(store_buffering(), spec)->run();
            CHECK(result.ending == Ending::violation);
            CHECK(result.violation.kind == ViolationKind::stale_access);
            std::size_t instructions = 0;
            for (const Move& move : result.violation.moves) instructions += move.instructions;
            CHECK(instructions == 3);  // both stores and one load; the other load is the stale one
        }
}

TEST("release and acquire make message passing robust") {
    for (const SearchSpec& spec : variants(rc20())) {
        const SearchResult weak = Search::create(message_passing(false), spec)->run();
        CHECK(weak.ending == Ending::violation && weak.violation.thread == 1);
        const SearchResult strong = Search::create(message_passing(true), spec)->run();
        CHECK(strong.ending == Ending::exhausted && strong.violation.kind == ViolationKind::none);
    }
}

TEST("an assertion that fails and threads that wait for ever are found under SC") {
    Builder b(1);
    Instruction wait;
    wait.op = Op::wait;
    wait.reg = 0;
    wait.cell = 0;
    wait.first = b.add({{ExprOp::read_value, 0}, {ExprOp::constant, 2}, {ExprOp::equal, 0}});
    b.thread({b.load(0, 0), b.conditional(Op::assert_, b.equals(0, 0))});
    b.thread({b.store(0, 1), wait});
    const SearchResult result = Search::create(b.program, SearchSpec{})->run();
    CHECK(result.ending == Ending::exhausted);
    CHECK(result.assertion.kind == ViolationKind::assertion && result.assertion.thread == 0);
    CHECK(result.deadlock.kind == ViolationKind::deadlock);
}

TEST("each budget ends a search with its own reason") {
    SearchSpec spec;
    spec.max_states = 1000;
    CHECK(Search::create(counter(1 << 19), spec)->run().ending == Ending::states);
    spec.max_states = 0;
    spec.max_bytes = 100'000;
    CHECK(Search::create(counter(1 << 19), spec)->run().ending == Ending::memory);
    spec.max_bytes = 0;
    spec.max_seconds = 1e-6;
    CHECK(Search::create(counter(1 << 19), spec)->run().ending == Ending::time);
    spec.max_seconds = 0;
    const auto stopped = Search::create(counter(1 << 19), spec);
    stopped->stop();
    CHECK(stopped->run().ending == Ending::stopped);
}

TEST("a search can be stopped from another thread while two workers run") {
    SearchSpec spec;
    spec.workers = 2;
    const auto search = Search::create(counter((1 << 20) - 1), spec);
    std::thread watcher([&] {
        while (search->states() < 500) std::this_thread::yield();
        search->stop();
    });
    CHECK(search->run().ending == Ending::stopped);
    watcher.join();
}

TEST("several workers find as many states as one") {
    Builder b(3, 5);
    for (int t = 0; t < 3; ++t) b.thread({b.rmw(0, t, 1), b.rmw(1, (t + 1) % 3, 1), b.load(0, (t + 2) % 3), b.rmw(1, t, 2)});
    SearchSpec spec;
    spec.reductions.partial_order = false;  // its proviso depends on which worker comes first
    const SearchResult one = Search::create(b.program, spec)->run();
    spec.workers = 3;
    const SearchResult more = Search::create(b.program, spec)->run();
    CHECK(one.states == more.states && one.transitions == more.transitions && one.levels == more.levels);
}

TEST("what cannot be held is refused") {
    Program wide = store_buffering();
    wide.max_value = max_max_value + 1;
    CHECK_THROWS(std::invalid_argument, Search::create(wide, rc20()));
    SearchSpec attacks;
    attacks.monitor = MonitorKind::attacks;
    CHECK_THROWS(std::invalid_argument, Search::create(store_buffering(), attacks));  // no analysis of delays
}
