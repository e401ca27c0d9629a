// The configurations of the search for attacks, and the steps from each.
#pragma once

#include <vector>

#include "machine/attacks/reductions.hpp"

namespace fencepost {

class Attacks : public AttackReductions {
public:
    using AttackReductions::AttackReductions;

    void initial(Word* config) const {
        initial_values(config);
        normalize(config);
    }

    // The canonical bytes of a normalized configuration, in which thread i is thread order[i] of `config`; `spare` is
    // scratch space.
    void pack(const Word* config, Word* spare, std::uint8_t* out, int* order) const {
        for (int t = 0; t < threads_; ++t) order[t] = t;
        pack_words(reductions_.symmetry ? sorted(config, spare, order) : config, out);
    }
    void unpack(const std::uint8_t* head, const std::uint8_t* tail, Word* c) const { unpack_words(head, tail, c); }

    // Scratch space of one worker: configurations for the steps under way.
    class Scratch {
    public:
        explicit Scratch(const Attacks& system)
            : words_(system.words_), buffer_(static_cast<std::size_t>(system.words_) * (max_choices + 5)) {}
        Word* config(int depth) { return buffer_.data() + static_cast<std::size_t>(words_) * idx(depth); }

    private:
        int words_;
        std::vector<Word> buffer_;
    };

    template <class Visitor>
    void expand(const Word* config, Scratch& scratch, Visitor& visitor) const {
        const int owner = lock_owner(config);
        if (owner >= 0) return expand_thread(config, owner, scratch, visitor);
        int first = -1;
        bool moved = false;
        bool blocked = false;
        if (reductions_.partial_order && (first = sufficient_thread(config)) >= 0) {
            Stepping<Visitor> stepping{*this, scratch, visitor};
            stepping.run(config, first);
            // The proviso: a state of which all successors are known may close a cycle, and then nobody may wait.
            if (stepping.fresh) return;
            moved = true;
        }
        for (int t = 0; t < threads_; ++t) {
            if (t == first) continue;
            Stepping<Visitor> stepping{*this, scratch, visitor};
            stepping.run(config, t);
            moved |= stepping.moved;
            blocked |= stepping.blocked;
        }
        if (!moved && blocked && phase(config) == Phase::plain)
            visitor.violation(Violation{ViolationKind::deadlock, -1, Move{}});
    }

    // The steps of one thread alone: none while another one has locked the memory.
    template <class Visitor>
    void expand_thread(const Word* config, int thread, Scratch& scratch, Visitor& visitor) const {
        const int owner = lock_owner(config);
        if (owner >= 0 && owner != thread) return;
        Stepping<Visitor> stepping{*this, scratch, visitor};
        stepping.run(config, thread);
    }

private:
    // One thread's steps from one configuration.
    template <class Visitor>
    struct Stepping;

    enum class Effect { done, waits, over, left, useless, goal };
};

}  // namespace fencepost
