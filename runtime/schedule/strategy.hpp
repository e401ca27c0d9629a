// Who goes next: random walk, PCT, POS. A strategy only sees the tasks that are ready.
//
// Random walk chooses evenly. PCT (Burckhardt et al., ASPLOS 2010) runs the thread of the highest random priority, and
// at depth-1 random steps drops the priority of the one that would run: a bug of depth d is met with probability at
// least 1/(n k^(d-1)) for n threads and k steps. POS (Yuan, Yang and Gu, CAV 2018) gives priorities to operations and
// draws new ones for those that conflict with the one just done.
#pragma once

#include <cstdint>

#include "random.hpp"
#include "task.hpp"

namespace fencepost::sched {

enum class Kind : std::uint8_t { Native, Random, Pct, Pos, Replay, Exhaustive };

class Strategy {
  public:
    static constexpr unsigned max_depth = 64;

    void start(Kind kind, std::uint64_t seed, unsigned depth, std::uint64_t expected_steps);

    void created(Task& task);

    // One of `ready`, of which there is at least one. `current`: who ran last. `step`: the number of this decision,
    // from 1.
    Task* pick(Task* const* ready, int count, const Task* current, std::uint64_t step);

    // `done` is about to do what it announced; the others are ready too.
    void executed(const Task& done, Task* const* ready, int count);

    // The task lets others go first.
    void yielded(Task& task);

    int choose(int count) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(count))); }

  private:
    Task* highest(Task* const* ready, int count) const;
    void draw(Task& task);

    Kind kind_ = Kind::Random;
    Random random_;
    unsigned changes_ = 0;      // PCT: how many change points there are
    unsigned next_change_ = 0;  // and how many of them have passed
    struct Change {
        std::uint64_t step;
        std::int64_t priority;
    };
    Change change_[max_depth] = {};  // in the order of steps
    std::int64_t floor_ = 0;         // PCT: below all priorities
};

// PCT's lower bound for the probability that a run meets a bug of depth `depth`.
double pct_bound(std::uint64_t threads, std::uint64_t steps, unsigned depth);

}  // namespace fencepost::sched
