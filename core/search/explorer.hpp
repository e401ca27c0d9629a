// The explorer: level by level, so that the first violation found is a nearest one; or heaviest states first, which often
// needs far fewer of them to find out that there is none. It knows the system only through initial, expand, pack, unpack.
#pragma once

#include <bit>
#include <chrono>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <ranges>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "search/frontier.hpp"
#include "search/search.hpp"
#include "search/states.hpp"

namespace fencepost {

template <class System>
class Explorer final : public Search {
public:
    Explorer(Program program, const SearchSpec& spec, auto make_system)
        : program_(std::move(program)), spec_(spec), system_(make_system(program_)),
          visited_(make_states()) {}

    SearchResult run() override {
        started_ = std::chrono::steady_clock::now();
        std::vector<Worker> workers;
        for (int i = 0; i < spec_.workers; ++i) workers.emplace_back(*this);
        Word* first = workers[0].scratch.config(max_choices + 2);
        system_.initial(first);
        workers[0].parent = Store::none;
        workers[0].insert(first);
        if (spec_.heaviest_first) explore_heaviest(workers);
        else explore_levels(workers);
        if (failure_) std::rethrow_exception(failure_);
        for (Worker& worker : workers) {
            result_.transitions += worker.transitions;
            result_.undecided += worker.undecided;
        }
        result_.ending = ending_;
        result_.states = visited_->count();
        result_.bytes = memory();
        for (int kind = 0; kind < 3 && !refuted(ending_); ++kind)
            if (found_[kind]) discovery(kind) = trace(*found_[kind], workers[0]);
        if (found_[3]) {
            result_.range.kind = ViolationKind::range;
            result_.range.thread = found_[3]->violation.thread;
            result_.range.pc = found_[3]->violation.pc;
        }
        return result_;
    }

private:
    using Word = typename System::Word;

    struct Range {
        std::uint32_t begin;
        std::uint32_t end;
    };

    struct Found {
        Violation violation;
        std::uint32_t state;
    };

    // One worker: scratch space, cursors, and the visitor that receives steps.
    struct Worker {
        explicit Worker(Explorer& owner)
            : explorer(&owner), scratch(owner.system_),
              packed(static_cast<std::size_t>(owner.system_.state_bytes()) + 16) {}

        bool successor(const Move&, Word* config) {
            ++transitions;
            return insert(config);
        }
        void violation(const Violation& violation) { explorer->report(violation, parent); }
        void undecided_check() { ++undecided; }
        void not_rising(int cell) { explorer->refute(cell); }
        void told_apart(int thread, Mask registers, Mask counters) { explorer->tell_apart(thread, registers, counters); }

        bool insert(const Word* config) {
            int order[max_threads];
            explorer->system_.pack(config, scratch.config(max_choices + 3), packed.data(), order);
            const std::uint32_t number = explorer->visited_->insert(packed.data(), parent, explorer->result_.levels, cursors);
            if (number == Store::none) return false;
            if (explorer->spec_.heaviest_first) found.push_back({number, explorer->weight(packed.data())});
            else if (!fresh.empty() && fresh.back().end == number) ++fresh.back().end;
            else fresh.push_back({number, number + 1});
            return true;
        }

        Explorer* explorer;
        typename System::Scratch scratch;
        std::vector<std::uint8_t> packed;
        States::Cursors cursors;
        std::vector<Range> fresh;           // level by level
        std::vector<Frontier::Item> found;  // heaviest first
        std::uint32_t parent = Store::none;
        std::uint64_t transitions = 0;
        std::uint64_t undecided = 0;
    };

    static int slot(ViolationKind kind) {
        switch (kind) {
            case ViolationKind::assertion: return 1;
            case ViolationKind::deadlock: return 2;
            case ViolationKind::range: return 3;
            default: return 0;
        }
    }
    Discovery& discovery(int kind) {
        return kind == 0 ? result_.violation : kind == 1 ? result_.assertion : result_.deadlock;
    }

    // With one worker the first of a kind that is found stays; with more, the one at the lowest state number does.
    void report(const Violation& violation, std::uint32_t state) {
        const std::lock_guard lock(reporting_);
        auto& found = found_[slot(violation.kind)];
        if (!found || state < found->state) found = Found{violation, state};
        if (slot(violation.kind) == 0) end(Ending::violation);
    }

    void refute(int cell) {
        const std::lock_guard lock(reporting_);
        result_.not_rising = cell;
        ending_.store(Ending::not_rising);  // whatever else was found rests on a wrong assumption
    }

    void tell_apart(int thread, Mask registers, Mask counters) {
        const std::lock_guard lock(reporting_);
        if (ending_.load() == Ending::not_rising) return;
        result_.told_apart_thread = thread;
        result_.told_apart = registers;
        result_.told_apart_counters = counters;
        ending_.store(Ending::told_apart);
    }

    static bool refuted(Ending ending) { return ending == Ending::not_rising || ending == Ending::told_apart; }

    void end(Ending ending) {
        Ending expected = Ending::exhausted;
        ending_.compare_exchange_strong(expected, ending);
    }

    void gather(std::vector<Worker>& workers, std::vector<Range>& level) {
        level.clear();
        for (Worker& worker : workers) {
            level.insert(level.end(), worker.fresh.begin(), worker.fresh.end());
            worker.fresh.clear();
        }
    }

    // How much the monitor of a packed state sees.
    std::uint32_t weight(const std::uint8_t* packed) const {
        std::uint32_t bits = 0;
        for (int i = system_.head_bytes(); i < system_.state_bytes(); ++i)
            bits += static_cast<std::uint32_t>(std::popcount(packed[i]));
        return bits;
    }

    void explore_levels(std::vector<Worker>& workers) {
        std::vector<Range> level;
        while (gather(workers, level), !level.empty() && ending_ == Ending::exhausted) {
            ++result_.levels;
            explore_level(workers, level);
        }
    }

    void explore_heaviest(std::vector<Worker>& workers) {
        Frontier frontier(spec_.workers, 8 * static_cast<std::size_t>(system_.tail_bytes()));
        in_parallel(workers, [&](Worker& worker) {
            try {
                std::vector<std::uint32_t> next;
                while (frontier.exchange(worker.found, next), !next.empty()) {
                    explore_batch(worker, next);
                    if (ending_ != Ending::exhausted) frontier.close();
                }
            } catch (...) {
                frontier.close();
                throw;
            }
        });
    }

    void explore_level(std::vector<Worker>& workers, const std::vector<Range>& level) {
        // Batches of states, handed out by a counter.
        std::vector<Range> batches;
        for (Range range : level)
            for (std::uint32_t at = range.begin; at < range.end; at += batch_states)
                batches.push_back({at, std::min(range.end, at + batch_states)});
        std::atomic<std::size_t> next{0};
        const auto work = [&](Worker& worker) {
            for (std::size_t i; ending_ == Ending::exhausted && (i = next.fetch_add(1)) < batches.size();)
                explore_batch(worker, std::views::iota(batches[i].begin, batches[i].end));
        };
        if (batches.size() < 4) alone(workers[0], work);
        else in_parallel(workers, work);
    }

    // Does `work` with every worker. What cannot be stored any more ends the search.
    void in_parallel(std::vector<Worker>& workers, const auto& work) {
        std::vector<std::thread> threads;
        for (std::size_t i = 1; i < workers.size(); ++i) threads.emplace_back([&, i] { alone(workers[i], work); });
        alone(workers[0], work);
        for (std::thread& thread : threads) thread.join();
    }

    void alone(Worker& worker, const auto& work) {
        try {
            work(worker);
        } catch (const std::bad_alloc&) {
            end(Ending::memory);  // the verdict is Unknown for lack of memory; what was found so far stands
        } catch (const std::length_error&) {
            end(Ending::memory);  // likewise, for lack of numbers for states
        } catch (...) {
            const std::lock_guard lock(reporting_);
            failure_ = std::current_exception();
            end(Ending::memory);
        }
    }

    // `batch` is a range of numbers of states.
    void explore_batch(Worker& worker, const auto& batch) {
        Word* config = worker.scratch.config(max_choices + 1);
        const std::uint64_t before = worker.transitions;
        std::shared_lock running(resizing_);
        for (const std::uint32_t state : batch) {
            if (visited_->wants_growth()) {
                running.unlock();
                make_room();
                running.lock();
            }
            if (visited_->covered(state)) continue;
            system_.unpack(visited_->head(state), visited_->tail(state), config);
            worker.parent = state;
            system_.expand(config, worker.scratch, worker);
            const Ending now = ending_.load(std::memory_order_relaxed);
            if (now == Ending::violation || refuted(now)) break;
        }
        transitions_.fetch_add(worker.transitions - before, std::memory_order_relaxed);
        keep_to_budgets();
    }

    void keep_to_budgets() {
        states_.store(visited_->count(), std::memory_order_relaxed);
        const std::uint64_t bytes = memory();
        bytes_.store(bytes, std::memory_order_relaxed);
        if (stop_.load(std::memory_order_relaxed)) end(Ending::stopped);
        if (spec_.max_states != 0 && visited_->count() > spec_.max_states) end(Ending::states);
        if (spec_.max_bytes != 0 && bytes > spec_.max_bytes) end(Ending::memory);
        if (spec_.max_seconds > 0 &&
            std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count() > spec_.max_seconds)
            end(Ending::time);
    }

    std::uint64_t memory() const { return visited_->bytes(); }

    std::unique_ptr<States> make_states() const {
        const int head = system_.head_bytes();
        const int tail = system_.tail_bytes();
        const auto burst = static_cast<std::size_t>(system_.most_successors()) * static_cast<std::size_t>(spec_.workers);
        if (tail > 0 && spec_.subsume) return std::make_unique<Antichains>(head, tail, spec_.compress, burst);
        return std::make_unique<ExactStates>(head, tail, tail > 0 && spec_.compress, burst);
    }

    // Tables grow with all workers out of them. Who comes second finds nothing to do.
    void make_room() {
        const std::unique_lock alone(resizing_);
        visited_->grow();
    }

    // Finds the step to a stored state, or the one violation of a kind.
    struct Retrace {
        bool successor(const Move& move, Word* config) {
            if (done || target == Store::none) return false;
            System& system = explorer.system_;
            system.pack(config, worker.scratch.config(max_choices + 3), worker.packed.data(), order);
            const auto differs = [](const std::uint8_t* a, const std::uint8_t* b, int bytes) {
                return std::memcmp(a, b, static_cast<std::size_t>(bytes)) != 0;
            };
            if (differs(worker.packed.data(), explorer.visited_->head(target), system.head_bytes()) ||
                differs(worker.packed.data() + system.head_bytes(), explorer.visited_->tail(target), system.tail_bytes()))
                return false;
            taken = move;
            done = true;
            return true;
        }
        void violation(const Violation& violation) {
            if (target != Store::none || done || violation.kind != kind) return;
            found = violation;
            done = true;
        }
        void undecided_check() {}
        void not_rising(int) {}
        void told_apart(int, Mask, Mask) {}

        Explorer& explorer;
        Worker& worker;
        std::uint32_t target;  // none: look for a violation of this kind
        ViolationKind kind;
        int order[max_threads] = {};
        Move taken{};
        Violation found{};
        bool done = false;
    };

    // Every stored state is entered as it was when it was expanded; `actual` are the threads of the run, which symmetry
    // has given other numbers there.
    Discovery trace(const Found& found, Worker& worker) {
        std::vector<std::uint32_t> path;
        for (std::uint32_t state = found.state; state != Store::none; state = visited_->parent(state)) path.push_back(state);
        std::vector<Word> config(static_cast<std::size_t>(system_.words()));
        std::vector<int> actual(static_cast<std::size_t>(system_.threads()));
        std::iota(actual.begin(), actual.end(), 0);
        Discovery discovery;
        discovery.kind = found.violation.kind;
        const auto look = [&](std::uint32_t from, std::uint32_t target) {
            system_.unpack(visited_->head(from), visited_->tail(from), config.data());
            Retrace retrace{*this, worker, target, discovery.kind};
            for (int t = 0; t < system_.threads() && !retrace.done; ++t)
                system_.expand_thread(config.data(), t, worker.scratch, retrace);
            if (!retrace.done) throw std::logic_error("a stored path cannot be retraced");
            return retrace;
        };
        const auto step = [&](Move move) {
            move.thread = static_cast<std::uint16_t>(actual[move.thread]);
            discovery.moves.push_back(move);
        };
        for (std::size_t i = path.size() - 1; i > 0; --i) {
            const Retrace found_step = look(path[i], path[i - 1]);
            step(found_step.taken);
            std::vector<int> renamed(actual.size());
            for (std::size_t t = 0; t < renamed.size(); ++t) renamed[t] = actual[static_cast<std::size_t>(found_step.order[t])];
            actual = std::move(renamed);
        }
        if (discovery.kind != ViolationKind::deadlock) {
            const Retrace last = look(path.front(), Store::none);
            discovery.thread = actual[static_cast<std::size_t>(last.found.thread)];
            if (last.found.move.instructions > 0) step(last.found.move);
        }
        return discovery;
    }

    static constexpr std::uint32_t batch_states = 128;

    Program program_;
    SearchSpec spec_;
    System system_;
    std::unique_ptr<States> visited_;
    std::shared_mutex resizing_;
    std::mutex reporting_;
    std::exception_ptr failure_;
    std::atomic<Ending> ending_{Ending::exhausted};
    std::optional<Found> found_[4];
    SearchResult result_;
    std::chrono::steady_clock::time_point started_;
};

}  // namespace fencepost
