// The explorer: level by level, so that the first violation found is a nearest one. It knows the system only through
// initial, expand, pack, unpack. A state is stored as the machine's bytes, the number of the monitor's bytes (which are
// stored once each: few differ), and the number of the state it was reached from.
#pragma once

#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "search/search.hpp"
#include "search/store.hpp"

namespace fencepost {

template <class System>
class Explorer final : public Search {
public:
    Explorer(Program program, const SearchSpec& spec, auto make_system)
        : program_(std::move(program)), spec_(spec), system_(make_system(program_)),
          key_bytes_(spec.compress ? system_.head_bytes() + 4 : system_.state_bytes()), tails_(system_.tail_bytes(), 0),
          states_store_(key_bytes_, 4) {}

    SearchResult run() override {
        started_ = std::chrono::steady_clock::now();
        std::vector<Worker> workers;
        for (int i = 0; i < spec_.workers; ++i) workers.emplace_back(*this);
        Word* first = workers[0].scratch.config(max_choices + 2);
        system_.initial(first);
        workers[0].parent = Store::none;
        workers[0].insert(first);
        std::vector<Range> level;
        while (gather(workers, level), !level.empty() && ending_ == Ending::exhausted) {
            ++result_.levels;
            explore_level(workers, level);
        }
        for (Worker& worker : workers) {
            result_.transitions += worker.transitions;
            result_.undecided += worker.undecided;
        }
        result_.ending = ending_;
        result_.states = states_store_.count();
        result_.bytes = memory();
        result_.state_bytes = key_bytes_ + 4;
        result_.tails = static_cast<int>(tails_.count());
        for (int kind = 0; kind < 3 && ending_ != Ending::not_rising; ++kind)
            if (found_[kind]) discovery(kind) = trace(*found_[kind], workers[0]);
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
              packed(static_cast<std::size_t>(owner.system_.state_bytes()) + 16),
              key(static_cast<std::size_t>(owner.key_bytes_)) {}

        bool successor(const Move&, Word* config) {
            ++transitions;
            return insert(config);
        }
        void violation(const Violation& violation) { explorer->report(violation, parent); }
        void undecided_check() { ++undecided; }
        void not_rising(int cell) { explorer->refute(cell); }

        bool insert(const Word* config) {
            explorer->system_.pack(config, scratch.config(max_choices + 3), packed.data());
            const std::uint8_t* whole = packed.data();
            if (explorer->spec_.compress) {
                const int head = explorer->system_.head_bytes();
                const std::uint32_t tail = explorer->tails_.insert(packed.data() + head, nullptr, tail_cursor).number;
                std::memcpy(key.data(), packed.data(), static_cast<std::size_t>(head));
                std::memcpy(key.data() + head, &tail, 4);
                whole = key.data();
            }
            const auto result =
                explorer->states_store_.insert(whole, reinterpret_cast<const std::uint8_t*>(&parent), state_cursor);
            if (result.inserted) {
                if (!fresh.empty() && fresh.back().end == result.number) ++fresh.back().end;
                else fresh.push_back({result.number, result.number + 1});
            }
            return result.inserted;
        }

        Explorer* explorer;
        typename System::Scratch scratch;
        std::vector<std::uint8_t> packed;
        std::vector<std::uint8_t> key;
        Store::Cursor tail_cursor;
        Store::Cursor state_cursor;
        std::vector<Range> fresh;
        std::uint32_t parent = Store::none;
        std::uint64_t transitions = 0;
        std::uint64_t undecided = 0;
    };

    static int slot(ViolationKind kind) {
        return kind == ViolationKind::assertion ? 1 : kind == ViolationKind::deadlock ? 2 : 0;
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

    void explore_level(std::vector<Worker>& workers, const std::vector<Range>& level) {
        // Batches of states, handed out by a counter.
        std::vector<Range> batches;
        for (Range range : level)
            for (std::uint32_t at = range.begin; at < range.end; at += batch_states)
                batches.push_back({at, std::min(range.end, at + batch_states)});
        std::atomic<std::size_t> next{0};
        std::exception_ptr failure;
        const auto work = [&](Worker& worker) {
            try {
                for (std::size_t i; ending_ == Ending::exhausted && (i = next.fetch_add(1)) < batches.size();) {
                    make_room();
                    const std::shared_lock running(resizing_);
                    explore_batch(worker, batches[i]);
                }
            } catch (...) {
                const std::lock_guard lock(reporting_);
                failure = std::current_exception();
                end(Ending::memory);
            }
        };
        if (workers.size() == 1 || batches.size() < 4) {
            work(workers[0]);
        } else {
            std::vector<std::thread> threads;
            for (std::size_t i = 1; i < workers.size(); ++i) threads.emplace_back(work, std::ref(workers[i]));
            work(workers[0]);
            for (std::thread& thread : threads) thread.join();
        }
        if (failure) {
            try {
                std::rethrow_exception(failure);
            } catch (const std::bad_alloc&) {
                // The verdict is Unknown for lack of memory; what was found so far stands.
            }
        }
    }

    void explore_batch(Worker& worker, Range batch) {
        Word* config = worker.scratch.config(max_choices + 1);
        const std::uint64_t before = worker.transitions;
        for (std::uint32_t state = batch.begin; state < batch.end; ++state) {
            load(state, config);
            worker.parent = state;
            system_.expand(config, worker.scratch, worker);
            const Ending now = ending_.load(std::memory_order_relaxed);
            if (now == Ending::violation || now == Ending::not_rising) break;
        }
        transitions_.fetch_add(worker.transitions - before, std::memory_order_relaxed);
        states_.store(states_store_.count(), std::memory_order_relaxed);
        const std::uint64_t bytes = memory();
        bytes_.store(bytes, std::memory_order_relaxed);
        if (stop_.load(std::memory_order_relaxed)) end(Ending::stopped);
        if (spec_.max_states != 0 && states_store_.count() > spec_.max_states) end(Ending::states);
        if (spec_.max_bytes != 0 && bytes > spec_.max_bytes) end(Ending::memory);
        if (spec_.max_seconds > 0 &&
            std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count() > spec_.max_seconds)
            end(Ending::time);
    }

    std::uint64_t memory() const { return states_store_.bytes() + tails_.bytes(); }

    // Tables grow between batches, with all workers out of them.
    void make_room() {
        while (growing_.load()) std::this_thread::yield();
        if (!states_store_.wants_growth() && !tails_.wants_growth()) return;
        growing_.store(true);
        {
            const std::unique_lock alone(resizing_);
            if (states_store_.wants_growth()) states_store_.grow();
            if (tails_.wants_growth()) tails_.grow();
        }
        growing_.store(false);
    }

    const std::uint8_t* tail_of(const std::uint8_t* record) const {
        const std::uint8_t* rest = record + system_.head_bytes();
        if (!spec_.compress) return rest;
        std::uint32_t tail;
        std::memcpy(&tail, rest, 4);
        return tails_.record(tail);
    }

    void load(std::uint32_t state, Word* config) const {
        const std::uint8_t* record = states_store_.record(state);
        system_.unpack(record, tail_of(record), config);
    }

    std::uint32_t parent_of(std::uint32_t state) const {
        std::uint32_t parent;
        std::memcpy(&parent, states_store_.record(state) + key_bytes_, 4);
        return parent;
    }

    // Finds the step to a stored state (up to symmetry), or the one violation of a kind.
    struct Retrace {
        bool successor(const Move& move, Word* config) {
            if (done || target == Store::none) return false;
            const int head = explorer.system_.head_bytes();
            explorer.system_.pack(config, worker.scratch.config(max_choices + 3), worker.packed.data());
            const std::uint8_t* record = explorer.states_store_.record(target);
            if (std::memcmp(worker.packed.data(), record, static_cast<std::size_t>(head)) != 0 ||
                std::memcmp(worker.packed.data() + head, explorer.tail_of(record),
                            static_cast<std::size_t>(explorer.system_.tail_bytes())) != 0)
                return false;
            std::memcpy(reached.data(), config, reached.size() * sizeof(Word));
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

        Explorer& explorer;
        Worker& worker;
        std::uint32_t target;  // none: look for a violation of this kind
        ViolationKind kind;
        std::vector<Word> reached;
        Move taken{};
        Violation found{};
        bool done = false;
    };

    Discovery trace(const Found& found, Worker& worker) {
        std::vector<std::uint32_t> path;
        for (std::uint32_t state = found.state; state != Store::none; state = parent_of(state)) path.push_back(state);
        std::vector<Word> config(static_cast<std::size_t>(system_.words()));
        system_.initial(config.data());
        Discovery discovery;
        discovery.kind = found.violation.kind;
        const auto look = [&](std::uint32_t target) {
            Retrace retrace{*this, worker, target, discovery.kind, std::vector<Word>(config.size())};
            for (int t = 0; t < system_.threads() && !retrace.done; ++t)
                system_.expand_thread(config.data(), t, worker.scratch, retrace);
            if (!retrace.done) throw std::logic_error("a stored path cannot be retraced");
            return retrace;
        };
        for (auto state = path.rbegin() + 1; state != path.rend(); ++state) {
            Retrace step = look(*state);
            discovery.moves.push_back(step.taken);
            config = std::move(step.reached);
        }
        if (discovery.kind != ViolationKind::deadlock) {
            const Retrace last = look(Store::none);
            discovery.thread = last.found.thread;
            if (last.found.move.instructions > 0) discovery.moves.push_back(last.found.move);
        }
        return discovery;
    }

    static constexpr std::uint32_t batch_states = 128;

    Program program_;
    SearchSpec spec_;
    System system_;
    int key_bytes_;
    Store tails_;
    Store states_store_;
    std::shared_mutex resizing_;
    std::atomic<bool> growing_{false};
    std::mutex reporting_;
    std::atomic<Ending> ending_{Ending::exhausted};
    std::optional<Found> found_[3];
    SearchResult result_;
    std::chrono::steady_clock::time_point started_;
};

}  // namespace fencepost
