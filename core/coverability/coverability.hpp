// What the instances of a program with templates can come to: for any number of copies, coverability.
//
// Backwards from what is looked for, through sets that are closed upwards and that their least elements stand for
// (Lemma 2.8 of the thesis reduces to Petri nets; the algorithm is that of Abdulla, Cerans, Jonsson, Tsay, LICS 1996). What
// the forward views say cannot be is left out, so that often there is nothing to search at all.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "coverability/crowd.hpp"
#include "search/search.hpp"

namespace fencepost {

struct CoverabilitySpec {
    AttackGoal goal = AttackGoal::cycle;  // none: assertions only
    Reductions reductions;
    bool prune = true;  // leave out what the forward views exclude
    std::uint64_t max_states = 0;  // 0: no limit
    std::uint64_t max_bytes = 0;
    double max_seconds = 0;
};

enum class Coverable : std::uint8_t { no, yes, undecided };

// A step on the way to a violation: of any member that is in the local state `mover` then and in `moved` afterwards, or
// (none) of the thread that `move` says. Those in the state that templates begin with are new ones.
struct CoverabilityStep {
    Move move;
    std::uint32_t mover;
    std::uint32_t moved;
};

// Whether some instance comes to a violation of a kind, how, and how many copies of each template that takes.
struct CoverabilityAnswer {
    ViolationKind kind = ViolationKind::none;
    Coverable coverable = Coverable::undecided;
    std::vector<std::uint32_t> copies;
    std::vector<CoverabilityStep> path;  // the last step ends where the next instruction is at fault
    std::uint64_t elements = 0;  // least elements that the backward search has met
};

struct CoverabilityResult {
    Ending ending = Ending::exhausted;
    std::uint64_t globals = 0;
    std::uint32_t locals = 0;
    std::uint64_t steps = 0;
    std::uint64_t elements = 0;
    std::uint64_t bytes = 0;
    std::vector<CoverabilityAnswer> answers;  // to cycle, assertion, range
};

class Coverability {
public:
    // Throws std::invalid_argument for what the engine cannot hold.
    Coverability(Program program, std::vector<TemplateSlots> templates, const CoverabilitySpec& spec);

    CoverabilityResult run();

    void stop() { stop_.store(true, std::memory_order_relaxed); }
    std::uint64_t states() const { return states_.load(std::memory_order_relaxed); }
    std::uint64_t transitions() const { return transitions_.load(std::memory_order_relaxed); }
    std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

private:
    std::unique_ptr<Crowd> crowd_;
    CoverabilitySpec spec_;
    std::atomic<bool> stop_{false};
    std::atomic<std::uint64_t> states_{0};
    std::atomic<std::uint64_t> transitions_{0};
    std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace fencepost
