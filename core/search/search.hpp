// Search of a system by several workers, with budgets. No model is known here by name, no printing.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/attacks.hpp"
#include "machine/interleaving.hpp"
#include "machine/program.hpp"

namespace fencepost {

enum class MonitorKind : std::uint8_t { none, rc20, attacks };

struct SearchSpec {
    MonitorKind monitor = MonitorKind::none;
    AttackGoal goal = AttackGoal::cycle;
    bool observational = false;
    bool forget = true;
    bool subsume = true;   // of states that differ in the monitor only, keep those that see most
    bool compress = true;  // store what the monitor remembers once for all states that share it
    bool heaviest_first = false;  // states that see most first, rather than level by level
    Reductions reductions;
    int workers = 1;
    std::uint64_t max_states = 0;  // 0: no limit
    std::uint64_t max_bytes = 0;
    double max_seconds = 0;
};

enum class Ending : std::uint8_t { exhausted, violation, states, memory, time, stopped, not_rising, told_apart };

// A schedule, and what is wrong after it. For a violation `thread` is the one whose next instruction is at fault.
struct Discovery {
    ViolationKind kind = ViolationKind::none;
    int thread = -1;
    int pc = -1;  // of a run that left the range of values; it has no schedule
    std::vector<Move> moves;
};

struct SearchResult {
    Ending ending = Ending::exhausted;
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint64_t levels = 0;
    std::uint64_t bytes = 0;
    std::uint64_t undecided = 0;  // checks that the classes of values were too coarse for
    int not_rising = -1;  // a cell that a staleness rule relies on, and that decreased
    int told_apart_thread = -1;  // where values that a lag takes for alike had different outcomes: the thread,
    Mask told_apart = 0;         // its registers,
    Mask told_apart_counters = 0;  // and the counters that all concerned lag behind
    Discovery violation;  // stale access, stale use or race: ends the search
    Discovery assertion;  // the first of each, found on the way
    Discovery deadlock;
    Discovery range;
};

class Search {
public:
    virtual ~Search() = default;
    virtual SearchResult run() = 0;

    void stop() { stop_.store(true, std::memory_order_relaxed); }
    std::uint64_t states() const { return states_.load(std::memory_order_relaxed); }
    std::uint64_t transitions() const { return transitions_.load(std::memory_order_relaxed); }
    std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

    // Throws std::invalid_argument for what the engine cannot hold.
    static std::unique_ptr<Search> create(Program program, const SearchSpec& spec);

protected:
    std::atomic<bool> stop_{false};
    std::atomic<std::uint64_t> states_{0};
    std::atomic<std::uint64_t> transitions_{0};
    std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace fencepost
