// What can still become of an attack: whether the helpers can extend a path of happens-before to its goal.
#pragma once

#include "machine/attacks/configuration.hpp"

namespace fencepost {

class AttackPaths : public AttackConfiguration {
public:
    using AttackConfiguration::AttackConfiguration;

    // For coverability/crowd.hpp, where there are more threads than a configuration has. These may do at any time
    // whatever the given threads may do.
    void set_crowd(const std::vector<int>& threads) {
        for (int t : threads) {
            crowd_reads_ |= code_of(t).future_reads[0];
            crowd_writes_ |= code_of(t).future_writes[0];
        }
    }

protected:
    // Whether what threads may still do can make a path from the attack's load to the first delayed store.
    bool possible(const Word* c) const {
        if (c[goal_at] != 0) return true;  // it is there, and only has to leave its locked block
        const int t = attacker(c);
        Mask loads = 0;
        Mask stores = 0;
        Mask touched = 0;
        std::uint32_t joined = 1u << t;
        if (c[roles_at + t] == delaying) {
            loads = open_loads(c, t);
            for (int x = 0; x < cells_; ++x)
                if (c[marks_at_ + x] == loaded) loads &= ~(Mask{1} << x);
        } else {
            for (int x = 0; x < cells_; ++x) {
                if (c[marks_at_ + x] == loaded) loads |= Mask{1} << x;
                if (c[marks_at_ + x] == stored) stores |= Mask{1} << x;
            }
        }
        const auto join = [&](int h) {
            joined |= 1u << h;
            Mask read = reads_of(c, h);
            Mask written = writes_of(c, h);
            if (holds_lock(c, h)) {
                read |= static_cast<Mask>(c[block_loads_at]);
                written |= static_cast<Mask>(c[block_stores_at]);
            }
            loads |= read;
            stores |= written;
            touched |= read | written;
        };
        if (goal_ == AttackGoal::triangle && (crowd_writes_ & loads)) return true;
        for (int h = 0; h < threads_; ++h) {
            if (h == t) continue;
            if (goal_ == AttackGoal::triangle && (writes_of(c, h) & loads)) return true;
            if (c[roles_at + h] == on_path) join(h);
        }
        bool crowd_joined = false;
        for (bool changed = goal_ == AttackGoal::cycle; changed;) {
            changed = false;
            if (!crowd_joined && ((crowd_writes_ & (loads | stores)) || (crowd_reads_ & stores))) {
                loads |= crowd_reads_;
                stores |= crowd_writes_;
                touched |= crowd_reads_ | crowd_writes_;
                crowd_joined = changed = true;
            }
            for (int h = 0; h < threads_; ++h) {
                if (joined >> h & 1) continue;
                if (!(writes_of(c, h) & (loads | stores)) && !(reads_of(c, h) & stores)) continue;
                join(h);
                changed = true;
            }
        }
        return touched >> c[first_at] & 1;
    }

    Mask crowd_reads_ = 0;
    Mask crowd_writes_ = 0;
};

}  // namespace fencepost
