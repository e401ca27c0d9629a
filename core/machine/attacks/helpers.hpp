// Shared accesses of threads that do not delay: plain SC and, once the attack is there, the path that helpers extend
// (rules 6.6 to 6.11).
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "machine/attacks/stepping.hpp"

namespace fencepost {

// A shared access of a thread that does not delay. Whether its effects count is said by the result.
template <class Visitor>
auto Attacks::Stepping<Visitor>::access(Word* c, const Instruction& i, Move& move) -> Effect {
    Word* regs = system.registers(c, t);
    const int cell = system.cell_of(i, regs);
    if (cell < 0) return outside(c, move);
    Word& memory = system.memory(c)[cell];
    const Word old = memory;
    Word written = 0;
    bool writes = true;
    switch (i.op) {
        case Op::load: writes = false; break;
        case Op::store: written = evaluate_signed(system.expr(i.first), regs); break;
        case Op::rmw: written = apply(i.rmw_op, old, evaluate_signed(system.expr(i.first), regs, old)); break;
        case Op::wait:
            if (evaluate_signed(system.expr(i.first), regs, old) == 0) return Effect::waits;
            writes = false;
            break;
        default: {  // a CAS
            Word wanted = evaluate_signed(system.expr(i.first), regs);
            if (!system.fits(wanted)) return left(c, move);
            writes = wanted == old;
            if (!writes && i.op == Op::blocking_cas) return Effect::waits;
            if (writes) written = evaluate_signed(system.expr(i.second), regs);
        }
    }
    if (writes && !system.fits(written)) return left(c, move);
    if (writes && written < old) decreases(cell);
    bool reached = false;
    if (system.phase(c) == Phase::path) {
        Word& mark = c[system.marks_at_ + cell];
        const bool joins = mark == stored || (writes && mark == loaded);  // rules 6.7, 6.8
        if (c[roles_at + t] == on_path || joins) {
            mark = std::max<Word>(mark, writes ? stored : loaded);  // rules 6.9, 6.10
            const Mask before = c[roles_at + t] == on_path ? 0 : block_joins(c);
            c[roles_at + t] = on_path;
            reached = system.goal_ == AttackGoal::triangle || ((before | Mask{1} << cell) >> c[first_at] & 1);  // rule 6.6
        } else if (system.holds_lock(c, t)) {
            c[writes ? block_stores_at : block_loads_at] |= static_cast<Word>(Mask{1} << cell);
        } else {
            return Effect::useless;
        }
    }
    if (writes) memory = written;
    if (i.reg >= 0) regs[i.reg] = old;
    const bool inside = system.holds_lock(c, t);
    step_over(c, move);
    if (!reached) return Effect::done;
    if (inside) {
        c[goal_at] = 1;  // if the block ends, and others can go on
        return Effect::done;
    }
    visitor.violation(Violation{ViolationKind::cycle, t, move});
    return Effect::goal;
}

// A block is one step: what it has done joins the path with it. Which cells that is.
template <class Visitor>
Mask Attacks::Stepping<Visitor>::block_joins(Word* c) {
    const Mask loads = static_cast<Mask>(std::exchange(c[block_loads_at], 0));
    const Mask stores = static_cast<Mask>(std::exchange(c[block_stores_at], 0));
    for (Mask rest = loads | stores; rest != 0; rest &= rest - 1) {
        const int x = std::countr_zero(rest);
        Word& mark = c[system.marks_at_ + x];
        mark = std::max<Word>(mark, stores >> x & 1 ? stored : loaded);
    }
    return loads | stores;
}

}  // namespace fencepost
