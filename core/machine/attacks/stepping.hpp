// One thread's steps: which kind of step it is to take. The kinds are in attacker.hpp, helpers.hpp and local_steps.hpp.
#pragma once

#include <cstring>

#include "machine/attacks/system.hpp"

namespace fencepost {

template <class Visitor>
struct Attacks::Stepping {
    const Attacks& system;
    Scratch& scratch;
    Visitor& visitor;
    bool fresh = false;    // a successor was new
    bool moved = false;    // there was a step
    bool blocked = false;  // the thread waits
    int t = 0;

    void run(const Word* config, int thread);

private:
    // attacker.hpp
    void first_delay(const Word* config, const Instruction& i, Move move);
    void attack(const Word* config, Move move);
    void through_load(Word* c, const Instruction& i, Move move, int depth, std::size_t ways);
    bool is_visible(const Word* c, const Instruction& i) const;
    bool hidden_access(Word* c, const Instruction& i, Move& move);
    void hide(Word* c, int cell, Word written);

    // helpers.hpp
    Effect access(Word* c, const Instruction& i, Move& move);
    Mask block_joins(Word* c);

    // local_steps.hpp
    bool advance(Word* c, Move move, int depth, std::size_t ways, bool through);
    bool choose(Word* c, const Instruction& i, const Move& move, int depth, std::size_t ways, bool through);

    // How steps end, and what all of them do

    void decreases(int cell) {
        if (system.program_.cells[idx(cell)].rising) visitor.not_rising(cell);
    }

    // An index outside its array, or an address without memory.
    Effect outside(Word* c, Move& move) {
        if (!system.program_.wraps) return left(c, move);
        if (c[roles_at + t] == delaying) return Effect::left;
        fail(c, move);
        return Effect::over;
    }

    void fail(Word* c, Move& move) {
        if (system.phase(c) == Phase::plain) visitor.violation(Violation{ViolationKind::assertion, t, move});
        system.pc(c, t) = system.code_of(t).size();
        ++move.instructions;
    }

    // The run leaves the program's range of values: it is not followed further.
    Effect left(const Word* c, const Move& move) {
        Violation violation{ViolationKind::range, t, move};
        violation.pc = static_cast<int>(system.pc(c, t));
        visitor.violation(violation);
        return Effect::left;
    }

    void step_over(Word* c, Move& move) {
        ++system.pc(c, t);
        ++move.instructions;
    }

    std::size_t idx_pc(const Word* c) const { return static_cast<std::size_t>(system.pc(c, t)); }

    Word* copy(const Word* c, int depth) {
        Word* next = scratch.config(depth);
        std::memcpy(next, c, idx(system.words_) * sizeof(Word));
        return next;
    }

    bool emit(Word* c, const Move& move) {
        system.normalize(c);
        if (system.attacker(c) < 0 || system.possible(c)) fresh |= visitor.successor(move, c);
        return true;
    }
};

template <class Visitor>
void Attacks::Stepping<Visitor>::run(const Word* config, int thread) {
    t = thread;
    const Word role = config[roles_at + t];
    const Thread& code = system.code_of(t);
    if (role == stopped || system.pc(config, t) >= code.size()) return;
    Move move;
    move.thread = static_cast<std::uint16_t>(t);
    const Move begin = move;
    if (role == delaying) return attack(config, move);
    const Instruction& i = code.code[idx_pc(config)];
    const Phase phase = system.phase(config);
    Word* next = copy(config, 0);
    if (system.holds_lock(config, t) || !(is_access(i.op) || i.op == Op::lock)) {
        moved = true;
        advance(next, move, 0, 1, false);
    } else if (i.op == Op::lock) {
        moved = true;
        step_over(next, move);
        advance(next, move, 0, 1, false);
    } else {
        switch (access(next, i, move)) {
            case Effect::done:
                moved = true;
                if (system.reductions_.fuse_local) advance(next, move, 0, 1, false);
                else emit(next, move);
                break;
            case Effect::over:
                moved = true;
                emit(next, move);
                break;
            case Effect::waits: blocked = true; break;
            default: moved = true;
        }
    }
    if (phase == Phase::plain && i.op == Op::store && system.goal_ != AttackGoal::none && !system.holds_lock(config, t))
        first_delay(config, i, begin);
}

}  // namespace fencepost
