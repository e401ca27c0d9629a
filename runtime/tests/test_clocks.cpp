// The engine's clocks and checks are those of appendix A of the paper, on random executions.
#include "execution.hpp"
#include "testing.hpp"

using namespace fencepost;
using namespace fencepost::testing;

namespace {

struct Meaning {  // of appendix A, by the set comprehensions
    int c, sc;    // T_c(t)(x), T_SC(t)(x)
};

// Relations of one graph, computed once.
struct Orders {
    Relation c;   // rf?; hb?
    Relation sc;  // hb_SC?
    explicit Orders(const Graph& graph)
        : c(graph.rf().reflexive() * graph.hb().reflexive()), sc(graph.hb_sc().reflexive()) {}

    Meaning of(const Graph& graph, int thread, int location) const {
        Meaning result{0, 0};
        const auto& writes = graph.order[static_cast<std::size_t>(location)];
        for (std::size_t ts = 0; ts < writes.size(); ++ts)
            for (std::size_t e = 0; e < graph.events.size(); ++e) {
                if (graph.events[e].thread != thread) continue;
                const unsigned w = static_cast<unsigned>(writes[ts]);
                if (c.has(w, static_cast<unsigned>(e))) result.c = static_cast<int>(ts);
                if (sc.has(w, static_cast<unsigned>(e))) result.sc = static_cast<int>(ts);
            }
        return result;
    }
};

const Node& write_at(const Graph& graph, int location, int ts) {
    return graph.events[static_cast<std::size_t>(graph.order[static_cast<std::size_t>(location)][static_cast<std::size_t>(ts)])];
}

// G.ts^RMW
int block(const Graph& graph, int location, int ts) {
    int result = 0;
    for (int i = 1; i <= ts; ++i) result += write_at(graph, location, i).type == Type::Write;
    return result;
}

// T_val(t)(x, v), and its twin, which counts only writes that a plain write follows.
bool value_is_stale(const Graph& graph, int location, Meaning m, std::uint64_t value, bool equal, bool twin) {
    for (int ts = 0; ts < m.sc; ++ts) {
        if ((write_at(graph, location, ts).value == value) != equal) continue;
        if (!twin && m.c <= ts) return true;
        const bool followed = write_at(graph, location, ts + 1).type == Type::Write;
        if (twin && followed && block(graph, location, m.c) <= block(graph, location, ts)) return true;
    }
    return false;
}

Mode random_mode(std::mt19937& random, bool sc) { return static_cast<Mode>(random() % (sc ? 5 : 4)); }

void random_step(Execution& run, std::mt19937& random, int threads, int locations, bool sc_accesses, bool sc_fences) {
    const int thread = static_cast<int>(random() % static_cast<unsigned>(threads));
    const int location = static_cast<int>(random() % static_cast<unsigned>(locations));
    switch (random() % 9) {
        case 0: {
            const Mode mode = random_mode(random, sc_fences);
            if (mode != Rlx) run.fence(thread, mode);
            break;
        }
        case 1:
        case 2:
        case 3:
        case 4: run.read(thread, location, random_mode(random, sc_accesses)); break;
        case 5:
        case 6: run.write(thread, location, random_mode(random, sc_accesses), random() % 3); break;
        default: run.rmw(thread, location, random_mode(random, sc_accesses), random() % 3);
    }
}

}  // namespace

TEST("what the checks find is what appendix A says, on random executions") {
    rt::options_for_change().sc = rt::ScAccesses::AcqRel;
    std::mt19937 random(1);
    unsigned found = 0;
    unsigned checked = 0;
    unsigned wrong = 0;
    for (int round = 0; round < 700; ++round) {
        const int threads = 2 + static_cast<int>(random() % 3);
        const int locations = 2 + static_cast<int>(random() % 2);
        Execution run(threads, locations);
        const int length = 4 + static_cast<int>(random() % 16);
        for (int i = 0; i < length; ++i) {
            random_step(run, random, threads, locations, false, true);
            const Orders orders(run.graph);
            for (int t = 0; t < threads; ++t)
                for (int x = 0; x < locations; ++x) {
                    const Meaning m = orders.of(run.graph, t, x);
                    const std::uint64_t v = random() % 3;
                    const bool writes = block(run.graph, x, m.c) < block(run.graph, x, m.sc);
                    const bool strong = value_is_stale(run.graph, x, m, v, false, false) ||
                                        value_is_stale(run.graph, x, m, v, true, true);
                    wrong += run.finds(t, x, rt::Kind::Load, Rlx) != (m.c < m.sc);
                    wrong += run.finds(t, x, rt::Kind::CasWeak, Rlx, v) != (m.c < m.sc);
                    wrong += run.finds(t, x, rt::Kind::Store, Rlx) != writes;
                    wrong += run.finds(t, x, rt::Kind::Rmw, Rlx) != writes;
                    wrong += run.finds(t, x, rt::Kind::Wait, Rlx, v) != value_is_stale(run.graph, x, m, v, true, false);
                    wrong += run.finds(t, x, rt::Kind::BlockingCas, Rlx, v) != value_is_stale(run.graph, x, m, v, true, true);
                    wrong += run.finds(t, x, rt::Kind::CasStrong, Rlx, v) != strong;
                    found += m.c < m.sc;
                    checked += 7;
                }
        }
    }
    CHECK(wrong == 0);
    CHECK(checked > 100000);
    CHECK(found > 1000);
    rt::options_for_change().sc = rt::ScAccesses::Rc11;
}

TEST("a bounded history misses findings, and never invents one") {
    rt::options_for_change().sc = rt::ScAccesses::AcqRel;
    std::mt19937 random(2);
    unsigned invented = 0;
    unsigned missed = 0;
    unsigned found = 0;
    for (int round = 0; round < 300; ++round) {
        Execution run(3, 2);
        rt::history_kept = 3;
        for (int i = 0; i < 24; ++i) {
            random_step(run, random, 3, 2, false, false);
            const Orders orders(run.graph);
            for (int t = 0; t < 3; ++t)
                for (int x = 0; x < 2; ++x) {
                    const Meaning m = orders.of(run.graph, t, x);
                    const bool finds = run.finds(t, x, rt::Kind::Load, Rlx);
                    invented += finds && m.c >= m.sc;
                    missed += !finds && m.c < m.sc;
                    found += finds;
                }
        }
    }
    CHECK(invented == 0);
    CHECK(found > 500);
    CHECK(missed < found / 4);
    rt::options_for_change().sc = rt::ScAccesses::Rc11;
}

namespace {

// Whether the thread's next access may go wrong: is there a graph, consistent by RC11, with the access reading an old
// write (or coming before newer ones in modification order), that is not sequentially consistent?
bool can_go_wrong(const Graph& graph, int thread, int location, Type type, Mode mode) {
    const auto& writes = graph.order[static_cast<std::size_t>(location)];
    for (std::size_t ts = 0; ts + 1 < writes.size(); ++ts) {
        Graph next = graph;
        auto& order = next.order[static_cast<std::size_t>(location)];
        const int id = next.add({thread, type, mode, location, 7, type == Type::Write ? -1 : writes[ts]});
        if (type != Type::Read) {
            order.pop_back();
            order.insert(order.begin() + static_cast<std::ptrdiff_t>(ts) + 1, id);
        }
        if (next.is_consistent() && !next.is_sc()) return true;
    }
    return false;
}

struct Comparison {
    unsigned both = 0, invented = 0, missed = 0, checked = 0;
};

Comparison compare_with_rc11(unsigned seed, int rounds, bool sc_fences) {
    rt::options_for_change().sc = rt::ScAccesses::Rc11;
    std::mt19937 random(seed);
    Comparison result;
    for (int round = 0; round < rounds; ++round) {
        const int threads = 2 + static_cast<int>(random() % 3);
        const int locations = 2 + static_cast<int>(random() % 2);
        Execution run(threads, locations);
        const int length = 3 + static_cast<int>(random() % 10);
        for (int i = 0; i < length; ++i) random_step(run, random, threads, locations, true, sc_fences);
        for (int t = 0; t < threads; ++t)
            for (int x = 0; x < locations; ++x)
                for (const Mode mode : {Rlx, AcqRel, Sc})
                    for (const Type type : {Type::Read, Type::Write, Type::Rmw}) {
                        const rt::Kind kind = type == Type::Read ? rt::Kind::Load
                                              : type == Type::Write ? rt::Kind::Store
                                                                    : rt::Kind::Rmw;
                        const bool finds = run.finds(t, x, kind, mode);
                        const bool wrong = can_go_wrong(run.graph, t, x, type, mode);
                        result.both += finds && wrong;
                        result.invented += finds && !wrong;
                        result.missed += !finds && wrong;
                        ++result.checked;
                    }
    }
    return result;
}

}  // namespace

TEST("seq_cst accesses: what is found is a violation by RC11, on random executions") {
    const Comparison plain = compare_with_rc11(3, 160, false);
    CHECK(plain.invented == 0);
    CHECK(plain.missed == 0);
    CHECK(plain.both > 100);
    const Comparison fenced = compare_with_rc11(4, 160, true);
    CHECK(fenced.invented == 0);
    CHECK(fenced.both > 100);
    CHECK(fenced.missed * 20 < fenced.both);  // psc.hpp says why some are
}
