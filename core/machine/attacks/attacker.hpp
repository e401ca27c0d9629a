// The attacker: its first delayed store, what it hides from others, and its last load (rules 6.1 to 6.5).
#pragma once

#include <algorithm>

#include "machine/attacks/stepping.hpp"

namespace fencepost {

// Rule 6.1. The attacker goes on to its first load that nothing hides, and through it.
template <class Visitor>
void Attacks::Stepping<Visitor>::first_delay(const Word* config, const Instruction& i, Move move) {
    Word* next = copy(config, 0);
    const int cell = system.cell_of(i, system.registers(next, t));
    Word written = evaluate_signed(system.expr(i.first), system.registers(next, t));
    if (cell < 0 || !system.fits(written)) return;
    if (written < system.memory(next)[cell]) decreases(cell);
    next[roles_at + t] = delaying;
    next[first_at] = cell;
    hide(next, cell, written);
    step_over(next, move);
    move.delays = true;
    if (!system.possible(next)) return;
    advance(next, move, 0, 1, true);
}

// The attacker rests before a load, or in the middle of a long run of local steps.
template <class Visitor>
void Attacks::Stepping<Visitor>::attack(const Word* config, Move move) {
    Word* next = copy(config, 0);
    const Instruction& i = system.code_of(t).code[idx_pc(config)];
    move.delays = true;
    if (is_visible(next, i)) through_load(next, i, move, 0, 1);
    else advance(next, move, 0, 1, false);
}

// Rules 6.5 and 6.3: the load is the attack's, or just one of those on the way to it.
template <class Visitor>
void Attacks::Stepping<Visitor>::through_load(Word* c, const Instruction& i, Move move, int depth, std::size_t ways) {
    const int cell = system.cell_of(i, system.registers(c, t));
    const Word read = system.memory(c)[cell];
    if (i.op == Op::wait && evaluate_signed(system.expr(i.first), system.registers(c, t), read) == 0) {
        blocked = true;
        return;
    }
    moved = true;
    Word* ended = copy(c, max_choices + 4);
    ended[roles_at + t] = stopped;
    system.pc(ended, t) = system.code_of(t).size();
    std::fill_n(ended + system.shadow_at_, system.cells_, Word{0});
    std::fill_n(ended + system.marks_at_, system.cells_, Word{unmarked});
    ended[system.marks_at_ + cell] = loaded;
    Move last = move;
    ++last.instructions;
    emit(ended, last);
    if (i.reg >= 0) system.registers(c, t)[i.reg] = read;
    step_over(c, move);
    if (system.reductions_.fuse_local) advance(c, move, depth, ways, false);
    else emit(c, move);
}

// Whether the attacker's next instruction is a load that others may interfere with.
template <class Visitor>
bool Attacks::Stepping<Visitor>::is_visible(const Word* c, const Instruction& i) const {
    if (i.op != Op::load && i.op != Op::wait) return false;
    const int cell = system.cell_of(i, system.registers(c, t));
    if (cell < 0 || c[system.marks_at_ + cell] == loaded) return false;
    Mask written = system.crowd_writes_;
    for (int p = 0; p < system.threads_; ++p)
        if (p != t) written |= system.writes_of(c, p);
    return written >> cell & 1;
}

// Rules 6.2 and 6.3, where nobody else is concerned. False if the attacker cannot go on.
template <class Visitor>
bool Attacks::Stepping<Visitor>::hidden_access(Word* c, const Instruction& i, Move& move) {
    Word* regs = system.registers(c, t);
    const int cell = system.cell_of(i, regs);
    if (cell < 0) {
        outside(c, move);
        return false;
    }
    if (i.op == Op::store) {
        Word written = evaluate_signed(system.expr(i.first), regs);
        if (!system.fits(written)) {
            left(c, move);
            return false;
        }
        if (written < system.seen(c, t, cell)) decreases(cell);
        hide(c, cell, written);
    } else {
        const Word read = system.seen(c, t, cell);
        if (i.op == Op::wait && evaluate_signed(system.expr(i.first), regs, read) == 0) return false;
        if (i.reg >= 0) regs[i.reg] = read;
    }
    step_over(c, move);
    return true;
}

template <class Visitor>
void Attacks::Stepping<Visitor>::hide(Word* c, int cell, Word written) {
    c[system.shadow_at_ + cell] = written;
    c[system.marks_at_ + cell] = loaded;
}

}  // namespace fencepost
