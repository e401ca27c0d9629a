// What nobody else sees, run up to the next shared access.
#pragma once

#include "machine/attacks/stepping.hpp"

namespace fencepost {

// Runs what nobody else sees, up to the next shared access; every alternative of a choice goes its own way.
// `depth` and `ways` are as in Interleaving. `through`: the attacker has not loaded anything yet, so it goes through its
// next load at once.
// False if all alternatives end in a false assumption.
template <class Visitor>
bool Attacks::Stepping<Visitor>::advance(Word* c, Move move, int depth, std::size_t ways, bool through) {
    const Thread& thread = system.code_of(t);
    const bool one = !system.reductions_.fuse_local;
    const bool delays = c[roles_at + t] == delaying;
    for (int count = 0;; ++count) {
        if (system.pc(c, t) >= thread.size()) return delays || emit(c, move);
        if (count == max_local_instructions || (one && count == 1)) return emit(c, move);
        const Instruction& i = thread.code[idx_pc(c)];
        const bool inside = system.holds_lock(c, t);
        Word* regs = system.registers(c, t);
        if (is_access(i.op) && delays) {
            if (is_locked(i.op)) return true;  // would flush
            if (is_visible(c, i)) {
                if (!through) return emit(c, move);
                through_load(c, i, move, depth, ways);
                return true;
            }
            if (!hidden_access(c, i, move)) return true;
            continue;
        }
        if (is_access(i.op)) {
            if (!inside) return emit(c, move);
            if (access(c, i, move) != Effect::done) return true;  // stuck inside a lock: the block never happens
            continue;
        }
        if (i.op == Op::lock) return delays || emit(c, move);
        if (i.op == Op::choose) {
            if (move.choice_count == max_choices || ways * i.targets.size() > max_ways) return emit(c, move);
            return choose(c, i, move, depth, ways * i.targets.size(), through);
        }
        if (i.op == Op::assert_ && evaluate_signed(system.expr(i.first), regs) == 0) {
            if (delays) return true;
            fail(c, move);
            return inside || emit(c, move);
        }
        if (i.op == Op::assume && evaluate_signed(system.expr(i.first), regs) == 0) {
            if (delays || inside) return true;
            if (depth > 0 && !system.can_block_) return false;
            system.pc(c, t) = thread.size();
            ++move.instructions;
            return emit(c, move);
        }
        if (i.op == Op::fence && i.flushes && delays) return true;
        ++move.instructions;
        switch (i.op) {
            case Op::assign: {
                Word result = evaluate_signed(system.expr(i.first), regs);
                if (!system.fits(result)) {
                    --move.instructions;
                    left(c, move);
                    return true;
                }
                regs[i.reg] = result;
                ++system.pc(c, t);
                break;
            }
            case Op::branch: system.pc(c, t) = evaluate_signed(system.expr(i.first), regs) ? i.target : system.pc(c, t) + 1; break;
            case Op::jump: system.pc(c, t) = i.target; break;
            case Op::unlock:
                ++system.pc(c, t);
                if (c[goal_at] != 0) {
                    visitor.violation(Violation{ViolationKind::cycle, t, move});
                    return true;
                }
                if (system.phase(c) == Phase::path && c[roles_at + t] != on_path) return true;  // useless
                break;
            default: ++system.pc(c, t);  // an assumption or assertion that holds, a fence, a use
        }
    }
}

template <class Visitor>
bool Attacks::Stepping<Visitor>::choose(Word* c, const Instruction& i, const Move& move, int depth, std::size_t ways, bool through) {
    bool any = false;
    for (std::size_t k = 0; k < i.targets.size(); ++k) {
        Word* branch = copy(c, depth + 1);
        system.pc(branch, t) = i.targets[k];
        Move chosen = move;
        ++chosen.instructions;
        chosen.choices[chosen.choice_count++] = static_cast<std::uint8_t>(k);
        any |= system.reductions_.fuse_local ? advance(branch, chosen, depth + 1, ways, through) : emit(branch, chosen);
    }
    if (any || depth > 0) return any;
    system.pc(c, t) = system.code_of(t).size();  // wherever it goes, it gets stuck
    return emit(c, move);
}

}  // namespace fencepost
