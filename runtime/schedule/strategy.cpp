#include "strategy.hpp"

namespace fencepost::sched {

namespace {

constexpr std::int64_t initial_priority = std::int64_t{1} << 32;  // above every change point's

}  // namespace

void Strategy::start(Kind kind, std::uint64_t seed, unsigned depth, std::uint64_t expected_steps) {
    kind_ = kind;
    random_ = Random(seed * 0x2545f4914f6cdd1dU + static_cast<std::uint64_t>(kind));
    changes_ = next_change_ = 0;
    floor_ = 0;
    if (kind != Kind::Pct || depth < 2) return;
    changes_ = depth - 1 < max_depth ? depth - 1 : max_depth;
    const std::uint64_t steps = expected_steps > 0 ? expected_steps : 1;
    for (unsigned i = 0; i < changes_; ++i) {
        // The i-th point that is drawn gives priority i, wherever it falls; insertion keeps them in the order of steps.
        const Change drawn{1 + random_.below(steps), static_cast<std::int64_t>(i) + 1};
        unsigned place = i;
        for (; place > 0 && change_[place - 1].step > drawn.step; --place) change_[place] = change_[place - 1];
        change_[place] = drawn;
    }
}

void Strategy::draw(Task& task) { task.priority = initial_priority + static_cast<std::int64_t>(random_.next() >> 2); }

void Strategy::created(Task& task) { draw(task); }

Task* Strategy::highest(Task* const* ready, int count) const {
    Task* best = ready[0];
    for (int i = 1; i < count; ++i) {
        if (ready[i]->priority > best->priority) best = ready[i];
    }
    return best;
}

Task* Strategy::pick(Task* const* ready, int count, const Task* current, std::uint64_t step) {
    switch (kind_) {
        case Kind::Random: return ready[count == 1 ? 0 : random_.below(static_cast<std::uint64_t>(count))];
        case Kind::Pct: {
            Task* chosen = highest(ready, count);
            if (count == 1) return chosen;
            for (; next_change_ < changes_ && change_[next_change_].step <= step; ++next_change_) {
                chosen->priority = change_[next_change_].priority;
                chosen = highest(ready, count);
            }
            return chosen;
        }
        case Kind::Pos: return highest(ready, count);
        default:
            for (int i = 0; i < count; ++i) {
                if (ready[i] == current) return ready[i];
            }
            return ready[0];
    }
}

void Strategy::executed(const Task& done, Task* const* ready, int count) {
    if (kind_ != Kind::Pos) return;
    for (int i = 0; i < count; ++i) {
        if (ready[i] == &done || conflict(done.pending, ready[i]->pending)) draw(*ready[i]);
    }
}

void Strategy::yielded(Task& task) {
    if (kind_ == Kind::Pct) task.priority = --floor_;
}

double pct_bound(std::uint64_t threads, std::uint64_t steps, unsigned depth) {
    double bound = 1.0 / static_cast<double>(threads > 0 ? threads : 1);
    for (unsigned i = 1; i < depth; ++i) bound /= static_cast<double>(steps > 0 ? steps : 1);
    return bound;
}

}  // namespace fencepost::sched
