// Which configurations count as one, and which threads need not move: what no attack can tell apart, or needs.
#pragma once

#include <algorithm>
#include <cstring>

#include "machine/attacks/paths.hpp"

namespace fencepost {

class AttackReductions : public AttackPaths {
public:
    AttackReductions(const Program& program, AttackGoal goal, const Reductions& reductions)
        : AttackPaths(program, goal), reductions_(reductions) {}

    // Resets what can no longer matter.
    void normalize(Word* c) const {
        if (!reductions_.dead_registers) return;
        const int attacking = attacker(c);
        Mask reads = crowd_reads_;
        Mask helped = crowd_reads_ | crowd_writes_;
        for (int t = 0; t < threads_; ++t) {
            const bool delays = t == attacking && c[roles_at + t] == delaying;
            reads |= delays ? open_loads(c, t) : reads_of(c, t);
            if (t != attacking) helped |= reads_of(c, t) | writes_of(c, t);
            const Mask live = code_of(t).live[static_cast<std::size_t>(pc(c, t))];
            for (int r = 0; r < code_of(t).registers(); ++r)
                if (!(live >> r & 1)) registers(c, t)[r] = dead_value();
            for (const StaleRule& rule : code_of(t).stale_rules) forget_outdated(c, t, rule);
            if (c[roles_at + t] == on_path && !(reads_of(c, t) | writes_of(c, t)) && !holds_lock(c, t)) c[roles_at + t] = plain_role;
        }
        for (int x = 0; x < cells_; ++x)
            if (!(reads >> x & 1)) memory(c)[x] = program_.cells[idx(x)].initial;
        if (attacking < 0) return;
        const bool delays = c[roles_at + attacking] == delaying;
        const Mask matter = delays ? open_loads(c, attacking) : helped;
        for (int x = 0; x < cells_; ++x)
            if (!(matter >> x & 1)) {
                c[marks_at_ + x] = unmarked;
                c[shadow_at_ + x] = dead_value();
            }
        for (int x = 0; x < cells_; ++x)
            if (!delays || c[marks_at_ + x] == unmarked) c[shadow_at_ + x] = dead_value();
    }

protected:
    // The register keeps being outdated as 0. What the thread sees there never decreases: delayed stores are watched too.
    void forget_outdated(Word* c, int t, const StaleRule& rule) const {
        const Mask kept = rule.kept[static_cast<std::size_t>(pc(c, t))];
        Word* regs = registers(c, t);
        if (kept == ~Mask{0} || regs[rule.reg] >= seen(c, t, rule.cell)) return;
        for (int r = 0; r < code_of(t).registers(); ++r)
            if (!(kept >> r & 1)) regs[r] = 0;
    }

    // A thread whose next step no other thread can interfere with, and that matters to no attack but as a step; or -1.
    int sufficient_thread(const Word* c) const {
        const int attacking = attacker(c);
        const Phase now = phase(c);
        for (int t = 0; t < threads_; ++t) {
            if (t == attacking || pc(c, t) >= code_of(t).size()) continue;
            const Instruction& i = code_of(t).code[static_cast<std::size_t>(pc(c, t))];
            if (!is_access(i.op) && i.op != Op::lock) return t;
            if (now == Phase::path && c[roles_at + t] != on_path) continue;
            // The store that a triangular race begins with may be to where nobody else looks.
            if (goal_ == AttackGoal::triangle && now == Phase::plain && i.op == Op::store && open_loads(c, t)) continue;
            Mask reads = reads_of(c, t);  // of a locked block: all that is to come
            Mask writes = writes_of(c, t);
            if (is_access(i.op)) {
                const int cell = cell_of(i, registers(c, t));
                if (cell < 0) return t;
                const bool loads = i.op == Op::load || i.op == Op::wait;
                if ((i.op == Op::wait || i.op == Op::blocking_cas)) {
                    const Word old = memory(c)[cell];
                    const Word first = evaluate_signed(expr(i.first), registers(c, t), old);
                    if (i.op == Op::wait ? first == 0 : first != old) continue;
                }
                reads = i.op == Op::store ? 0 : Mask{1} << cell;
                writes = loads ? 0 : Mask{1} << cell;
            }
            if (now == Phase::path && ((reads | writes) >> c[first_at] & 1)) continue;
            bool conflict = false;
            for (int p = 0; p < threads_ && !conflict; ++p) {
                if (p == t) continue;
                const bool delays = p == attacking && now == Phase::delaying;
                const Mask theirs = delays ? open_loads(c, p) : reads_of(c, p);
                conflict = (writes & theirs) || (!delays && ((reads | writes) & writes_of(c, p)));
            }
            if (!conflict) return t;
        }
        return -1;
    }

    // `c` with the threads of every symmetric group in order.
    const Word* sorted(const Word* c, Word* spare, int* order) const {
        if (program_.symmetric.empty()) return c;
        bool changed = false;
        for (const std::vector<int>& group : program_.symmetric)
            for (std::size_t i = 1; i < group.size(); ++i)
                for (std::size_t j = i; j > 0 && compare(c, order[group[j]], order[group[j - 1]]) < 0; --j) {
                    std::swap(order[group[j]], order[group[j - 1]]);
                    changed = true;
                }
        if (!changed) return c;
        std::memcpy(spare, c, idx(words_) * sizeof(Word));
        for (int t = 0; t < threads_; ++t) {
            if (order[t] == t) continue;
            pc(spare, t) = pc(c, order[t]);
            spare[roles_at + t] = c[roles_at + order[t]];
            std::copy_n(registers(c, order[t]), code_of(t).registers(), registers(spare, t));
        }
        return spare;
    }

    int compare(const Word* c, int one, int other) const {
        if (pc(c, one) != pc(c, other)) return pc(c, one) < pc(c, other) ? -1 : 1;
        if (c[roles_at + one] != c[roles_at + other]) return c[roles_at + one] < c[roles_at + other] ? -1 : 1;
        const Word* a = registers(c, one);
        const Word* b = registers(c, other);
        for (int r = 0; r < code_of(one).registers(); ++r)
            if (a[r] != b[r]) return a[r] < b[r] ? -1 : 1;
        return 0;
    }

    Reductions reductions_;
};

}  // namespace fencepost
