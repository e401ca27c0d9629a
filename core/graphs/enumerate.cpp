#include "graphs/enumerate.hpp"

#include <chrono>
#include <memory>
#include <stdexcept>

#include "graphs/evaluator.hpp"
#include "graphs/skeleton.hpp"

namespace fencepost::graphs {

namespace {

using Clock = std::chrono::steady_clock;

// Shared by all skeletons of one run.
struct Run {
    const PathProgram& program;
    const Limits& limits;
    Watch& watch;
    Result& result;
    Clock::time_point start = Clock::now();
    bool over = false;
    std::uint64_t asked = 0;

    bool may_go_on() {
        if (over) return false;
        if (watch.stop.load(std::memory_order_relaxed)) return end(Ending::stopped);
        if (limits.max_graphs != 0 && result.executions >= limits.max_graphs) return end(Ending::graphs);
        if (limits.max_states != 0 && result.states.size() >= limits.max_states) return end(Ending::states);
        if (limits.max_seconds > 0 && (++asked & 63) == 0 &&
            std::chrono::duration<double>(Clock::now() - start).count() > limits.max_seconds)
            return end(Ending::time);
        return true;
    }

private:
    bool end(Ending how) {
        result.ending = how;
        over = true;
        return false;
    }
};

// The values of all paths in one skeleton, as far as the chosen sources determine them.
template <int W>
class Values {
public:
    Values(const PathProgram& program, const Skeleton<W>& skeleton) : program_(program), skeleton_(skeleton) {
        for (const Path* path : skeleton.paths) {
            value_.emplace_back(path->values.size());
            known_.emplace_back(path->values.size());
        }
        writer_.assign(static_cast<std::size_t>(skeleton.events), -1);
    }

    // Read `read` sees write `write`. False if a condition then fails.
    bool see(int read, int write) {
        writer_[static_cast<std::size_t>(read)] = write;
        return propagate();
    }

    void forget(int read, std::size_t mark) {
        writer_[static_cast<std::size_t>(read)] = -1;
        for (; trail_.size() > mark; trail_.pop_back()) known_[trail_.back().first][trail_.back().second] = 0;
    }

    std::size_t mark() const { return trail_.size(); }

    bool complete() const {
        for (const auto& known : known_)
            for (char is_known : known)
                if (!is_known) return false;
        return true;
    }

    bool start() { return propagate(); }

    Wide result(std::size_t thread, int expression) const {
        return evaluate(program_.expressions[static_cast<std::size_t>(expression)], value_[thread]);
    }

    bool written(int write, Wide& out) const {
        if (write < skeleton_.initial) {
            out = program_.initial[static_cast<std::size_t>(skeleton_.cell_of[static_cast<std::size_t>(write)])];
            return true;
        }
        const auto thread = static_cast<std::size_t>(skeleton_.thread_of[static_cast<std::size_t>(write)]);
        const int expression = skeleton_.event(write).value;
        if (!determined(thread, expression)) return false;
        out = result(thread, expression);
        return true;
    }

private:
    bool determined(std::size_t thread, int expression) const {
        for (const Term& item : program_.expressions[static_cast<std::size_t>(expression)])
            if (item.op == ExprOp::reg && !known_[thread][static_cast<std::size_t>(item.argument)]) return false;
        return true;
    }

    bool propagate() {
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t t = 0; t < value_.size(); ++t) {
                const Path& path = *skeleton_.paths[t];
                for (std::size_t v = 0; v < path.values.size(); ++v) {
                    if (known_[t][v]) continue;
                    Wide value = 0;
                    const PathValue& what = path.values[v];
                    if (what.read >= 0) {
                        const int write = writer_[static_cast<std::size_t>(skeleton_.offset[t] + what.read)];
                        if (write < 0 || !written(write, value)) continue;
                    } else {
                        if (!determined(t, what.expression)) continue;
                        value = program_.wrap(result(t, what.expression));
                    }
                    value_[t][v] = value;
                    known_[t][v] = 1;
                    trail_.emplace_back(t, v);
                    changed = true;
                }
            }
        }
        for (std::size_t t = 0; t < value_.size(); ++t)
            for (int condition : skeleton_.paths[t]->conditions)
                if (determined(t, condition) && result(t, condition) == 0) return false;
        return true;
    }

    const PathProgram& program_;
    const Skeleton<W>& skeleton_;
    std::vector<std::vector<Wide>> value_;
    std::vector<std::vector<char>> known_;
    std::vector<int> writer_;
    std::vector<std::pair<std::size_t, std::size_t>> trail_;
};

// The choices for one skeleton. Reads choose in the order of threads and program; a write gets its place in the
// coherence order when a read sees it first, and the others at the end. So each execution is reached by one sequence of
// choices only, and what is judged is always closed under "from whom is it read".
template <int W>
class Search {
public:
    Search(Run& run, const Skeleton<W>& skeleton, const std::vector<int>& chosen, Evaluator<W>& model,
           std::vector<Evaluator<W>>& judges)
        : run_(run), skeleton_(skeleton), chosen_(chosen), model_(model), judges_(judges), values_(run.program, skeleton) {
        const auto n = static_cast<std::size_t>(skeleton.events);
        rf_.assign(n, Bits<W>{});
        co_.assign(n, Bits<W>{});
        fr_.assign(n, Bits<W>{});
        source_.assign(n, -1);
        placed_.assign(n, 0);
        writes_.resize(static_cast<std::size_t>(skeleton.initial));
        order_.resize(static_cast<std::size_t>(skeleton.initial));
        readers_.resize(n);
        for (int e = 0; e < skeleton.events; ++e) {
            if (skeleton.reads.test(e)) reads_.push_back(e);
            if (skeleton.writes.test(e)) writes_[place_of(e)].push_back(e);
        }
        for (std::size_t cell = 0; cell < order_.size(); ++cell) {
            // The initial write is first; where there is but one other, it is second.
            put(writes_[cell][0], 0);
            if (writes_[cell].size() == 2) put(writes_[cell][1], 1);
        }
    }

    void run() {
        model_.begin(skeleton_);
        for (Evaluator<W>& judge : judges_) judge.begin(skeleton_);
        if (values_.start() && consistent()) read(0);
    }

private:
    std::size_t place_of(int access) const {  // of its cell among those accessed: the number of the initial write
        const int cell = skeleton_.cell_of[static_cast<std::size_t>(access)];
        return static_cast<std::size_t>(skeleton_.initial_of[static_cast<std::size_t>(cell)]);
    }

    bool consistent() {
        ++run_.result.choices;
        return model_.prune(rf_.data(), co_.data(), fr_.data()) == passed;
    }

    void read(std::size_t number) {
        if (!run_.may_go_on()) return;
        if (number == reads_.size()) {
            if (values_.complete()) write(0, 0);
            return;
        }
        const int read_event = reads_[number];
        for (int write_event : writes_[place_of(read_event)]) {
            const std::size_t mark = values_.mark();
            if (values_.see(read_event, write_event)) {
                link(read_event, write_event);
                if (placed_[static_cast<std::size_t>(write_event)]) {
                    if (consistent()) read(number + 1);
                } else {
                    insert(write_event, [&] { read(number + 1); });
                }
                unlink(read_event, write_event);
            }
            values_.forget(read_event, mark);
            if (run_.over) return;
        }
    }

    // Places what no read sees.
    void write(std::size_t cell, std::size_t number) {
        if (!run_.may_go_on()) return;
        while (cell < writes_.size() && (number == writes_[cell].size() || placed_[static_cast<std::size_t>(writes_[cell][number])])) {
            if (number == writes_[cell].size()) {
                ++cell;
                number = 0;
            } else {
                ++number;
            }
        }
        if (cell == writes_.size()) {
            finish();
            return;
        }
        insert(writes_[cell][number], [&] { write(cell, number + 1); });
    }

    // Tries every place for a write.
    template <typename Then>
    void insert(int write_event, Then then) {
        const std::size_t places = order_[place_of(write_event)].size();
        for (std::size_t place = places; place >= 1 && !run_.over; --place) {
            put(write_event, place);
            if (consistent()) then();
            take(write_event, place);
        }
    }

    void put(int write_event, std::size_t place) {
        std::vector<int>& order = order_[place_of(write_event)];
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto other = static_cast<std::size_t>(order[i]);
            if (i < place) {
                co_[other].set(write_event);
                for (int reader : readers_[other]) fr_[static_cast<std::size_t>(reader)].set(write_event);
            } else {
                co_[static_cast<std::size_t>(write_event)].set(order[i]);
                for (int reader : readers_[static_cast<std::size_t>(write_event)]) fr_[static_cast<std::size_t>(reader)].set(order[i]);
            }
        }
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), write_event);
        placed_[static_cast<std::size_t>(write_event)] = 1;
    }

    void take(int write_event, std::size_t place) {
        std::vector<int>& order = order_[place_of(write_event)];
        order.erase(order.begin() + static_cast<std::ptrdiff_t>(place));
        placed_[static_cast<std::size_t>(write_event)] = 0;
        co_[static_cast<std::size_t>(write_event)] = Bits<W>{};
        for (int reader : readers_[static_cast<std::size_t>(write_event)]) fr_[static_cast<std::size_t>(reader)] = Bits<W>{};
        for (int other : order) {
            clear(co_[static_cast<std::size_t>(other)], write_event);
            for (int reader : readers_[static_cast<std::size_t>(other)]) clear(fr_[static_cast<std::size_t>(reader)], write_event);
        }
    }

    static void clear(Bits<W>& set, int bit) {
        set.word[static_cast<std::size_t>(bit >> 6)] &= ~(std::uint64_t{1} << (bit & 63));
    }

    void link(int read_event, int write_event) {
        source_[static_cast<std::size_t>(read_event)] = write_event;
        rf_[static_cast<std::size_t>(write_event)].set(read_event);
        readers_[static_cast<std::size_t>(write_event)].push_back(read_event);
        fr_[static_cast<std::size_t>(read_event)] = co_[static_cast<std::size_t>(write_event)];
    }

    void unlink(int read_event, int write_event) {
        source_[static_cast<std::size_t>(read_event)] = -1;
        clear(rf_[static_cast<std::size_t>(write_event)], read_event);
        readers_[static_cast<std::size_t>(write_event)].pop_back();
        fr_[static_cast<std::size_t>(read_event)] = Bits<W>{};
    }

    Graph graph() const {
        Graph out{chosen_, {}, order_};
        for (int read_event : reads_) out.sources.emplace_back(read_event, source_[static_cast<std::size_t>(read_event)]);
        return out;
    }

    // A whole execution.
    void finish() {
        if (model_.judge(rf_.data(), co_.data(), fr_.data()) != passed) return;
        Result& result = run_.result;
        PathEnd end = PathEnd::over;
        for (const Path* path : skeleton_.paths) end = std::max(end, path->end);
        if (end == PathEnd::cut) {
            ++result.cut;
            judge_all(true);
            return;
        }
        ++result.executions;
        run_.watch.executions.store(result.executions, std::memory_order_relaxed);
        run_.watch.choices.store(result.choices, std::memory_order_relaxed);
        if (result.all.size() < run_.limits.collect) result.all.push_back(graph());
        if (end == PathEnd::failed) {
            ++result.failed;
            if (!result.has_failure) {
                result.has_failure = true;
                result.failure = graph();
            }
        } else if (end == PathEnd::blocked) {
            ++result.blocked;
        } else {
            ++result.over;
            State& state = result.states[final_state()];
            if (state.executions++ == 0) state.graph = graph();
        }
        judge_all(false);
    }

    void judge_all(bool cut) {
        for (std::size_t m = 0; m < judges_.size(); ++m) {
            Judgement& judgement = run_.result.judgements[m];
            judge(judges_[m], judgement, cut);
            const std::uint64_t enough = run_.limits.max_violations;
            if (enough != 0 && judgement.violations + judgement.cut_violations >= enough) run_.over = true;
        }
    }

    void judge(Evaluator<W>& evaluator, Judgement& judgement, bool cut) {
        const int failed = evaluator.judge(rf_.data(), co_.data(), fr_.data());
        if (failed == passed) return;
        ++(cut ? judgement.cut_violations : judgement.violations);
        if (!cut) ++judgement.checks[failed];
        if (judgement.found && (cut || !judgement.of_cut)) return;
        judgement.found = true;
        judgement.of_cut = cut;
        judgement.graph = graph();
        judgement.check = failed;
    }

    std::vector<std::int64_t> final_state() const {
        std::vector<std::int64_t> out;
        for (const Observed& what : run_.program.observed) {
            Wide value = 0;
            if (what.thread >= 0) {
                const auto thread = static_cast<std::size_t>(what.thread);
                value = values_.result(thread, skeleton_.paths[thread]->observed[static_cast<std::size_t>(what.number)]);
            } else {
                const int place = skeleton_.initial_of[static_cast<std::size_t>(what.number)];
                if (place < 0) value = run_.program.initial[static_cast<std::size_t>(what.number)];
                else values_.written(order_[static_cast<std::size_t>(place)].back(), value);
            }
            out.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(value)));
        }
        return out;
    }

    Run& run_;
    const Skeleton<W>& skeleton_;
    const std::vector<int>& chosen_;
    Evaluator<W>& model_;
    std::vector<Evaluator<W>>& judges_;
    Values<W> values_;
    std::vector<Bits<W>> rf_, co_, fr_;
    std::vector<int> source_;
    std::vector<char> placed_;
    std::vector<int> reads_;
    std::vector<std::vector<int>> writes_;  // per accessed cell, the initial write first
    std::vector<std::vector<int>> order_;   // those that have a place
    std::vector<std::vector<int>> readers_;
};

template <int W>
struct Models {
    Evaluator<W> model;
    std::vector<Evaluator<W>> judges;

    Models(const Rules& rules, const std::vector<Rules>& others) : model(rules) {
        for (const Rules& other : others) judges.emplace_back(other);
    }

    void search(Run& run, const std::vector<const Path*>& paths, const std::vector<int>& chosen) {
        const Skeleton<W> skeleton(run.program, paths);
        Search<W>(run, skeleton, chosen, model, judges).run();
    }
};

}  // namespace

Result enumerate(const PathProgram& program, const Rules& model, const std::vector<Rules>& judges, const Limits& limits, Watch& watch) {
    Result result;
    result.judgements.resize(judges.size());
    Run run{program, limits, watch, result};
    Models<1> small(model, judges);
    Models<2> medium(model, judges);
    Models<max_events / 64> large(model, judges);
    std::vector<int> chosen(program.threads.size(), 0);
    std::vector<const Path*> paths(program.threads.size());
    for (const auto& thread : program.threads)
        if (thread.empty()) return result;
    while (run.may_go_on()) {
        for (std::size_t t = 0; t < chosen.size(); ++t) paths[t] = &program.threads[t][static_cast<std::size_t>(chosen[t])];
        ++result.skeletons;
        const int size = Skeleton<1>::size_of(program, paths);
        if (size <= 64) small.search(run, paths, chosen);
        else if (size <= 128) medium.search(run, paths, chosen);
        else if (size <= max_events) large.search(run, paths, chosen);
        else throw std::invalid_argument("executions of at most " + std::to_string(max_events) + " events are supported, not " + std::to_string(size));
        std::size_t t = chosen.size();
        while (t > 0 && ++chosen[t - 1] == static_cast<int>(program.threads[t - 1].size())) chosen[--t] = 0;
        if (t == 0) break;
    }
    return result;
}

}  // namespace fencepost::graphs
