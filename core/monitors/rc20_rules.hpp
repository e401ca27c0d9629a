// The rules of SC_M: checks, updates, and what may be forgotten.
#pragma once

#include "monitors/rc20.hpp"

namespace fencepost {

template <int W>
void Rc20Monitor<W>::initial(std::uint64_t* m) const {
    for (int i = 0; i < words(); ++i) m[i] = 0;
    const std::uint64_t all = rows_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rows_) - 1;
    for (int t = 0; t < threads_; ++t) t_sc(m, t) = all;
    for (int y = 0; y < rows_; ++y) w_sc(m, y) = m_sc(m, y) = std::uint64_t{1} << y;
}

// Is the class of `value` among the stale ones of `cell`? A class of several values can only say "maybe".
template <int W>
void Rc20Monitor<W>::check_matching(Finding& finding, const View& stale, int cell, bool twin, Value value) const {
    const int number = program_.cells[idx(cell)].classes[value];
    if (number == no_class) return;
    const int first = twin ? first_twin_[idx(cell)] : first_normal_[idx(cell)];
    if (!stale.test(first + number)) return;
    finding = std::max(finding, class_size_[idx(cell)][idx(number)] == 1 ? Finding::stale : Finding::maybe);
}

template <int W>
Finding Rc20Monitor<W>::check_classes(const View& stale, int cell, const Instruction& i, const Value* registers) const {
    const Expr& expr = program_.expressions[idx(i.first)];
    const Cell& c = program_.cells[idx(cell)];
    Finding finding = Finding::none;
    if (i.op == Op::wait) {
        // Each stale class: does it hold only values that end the wait, some, or none?
        for (int number = 0; number < c.class_count; ++number) {
            if (!stale.test(first_normal_[idx(cell)] + number)) continue;
            Value ending = 0;
            for (Value v = 0; v <= program_.max_value; ++v)
                if (c.classes[v] == number && evaluate(expr, registers, v) != 0) ++ending;
            if (ending == class_size_[idx(cell)][idx(number)]) return Finding::stale;
            if (ending > 0) finding = Finding::maybe;
        }
        return finding;
    }
    const Value expected = program_.wrap(evaluate(expr, registers));
    if (twin_[idx(cell)].any()) check_matching(finding, stale, cell, true, expected);
    if (i.op == Op::cas && finding != Finding::stale) {  // it may also fail on a stale value
        const int matching = c.classes[expected];
        for (int number = 0; number < c.class_count; ++number) {
            if (!stale.test(first_normal_[idx(cell)] + number)) continue;
            if (number != matching) return Finding::stale;
            if (class_size_[idx(cell)][idx(number)] > 1) finding = Finding::maybe;
        }
    }
    return finding;
}

template <int W>
Finding Rc20Monitor<W>::check(const std::uint64_t* m, int thread, const Instruction& i, int cell, const Value* registers) const {
    const View current = row(m, c_row(thread));
    if (!program_.cells[idx(cell)].atomic) {
        if (i.op == Op::store) return (current & normal_[idx(cell)]).any() ? Finding::race : Finding::none;
        const bool unaware = normal_[idx(cell)].any() && current.test(first_normal_[idx(cell)] + thread);
        return unaware ? Finding::race : Finding::none;
    }
    if (!knows(m, thread, cell)) return Finding::none;
    if (i.op == Op::load) {
        const bool stale = !options_.observational && (current & normal_[idx(cell)]).any();
        return stale ? Finding::stale : Finding::none;
    }
    if (i.op == Op::store || i.op == Op::rmw) return (current & twin_[idx(cell)]).any() ? Finding::stale : Finding::none;
    return (current & own_[idx(cell)]).any() ? check_classes(current, cell, i, registers) : Finding::none;
}

template <int W>
void Rc20Monitor<W>::access(std::uint64_t* m, int thread, const Access& access, bool tainted) const {
    const std::size_t x = idx(access.cell);
    if (!program_.cells[x].atomic) {
        non_atomic(m, thread, access);
        return;
    }
    const int here = location_[x];
    const bool reads = access.kind != AccessKind::write;
    const bool writes = access.kind == AccessKind::write || access.kind == AccessKind::rmw;

    // V_SC (rsan, Fig 2).
    const std::uint64_t bit = std::uint64_t{1} << here;
    if (writes) {
        const std::uint64_t seen = t_sc(m, thread) | m_sc(m, here) | bit;
        for (int p = 0; p < threads_; ++p) t_sc(m, p) &= ~bit;
        for (int y = 0; y < rows_; ++y) {
            w_sc(m, y) &= ~bit;
            m_sc(m, y) &= ~bit;
        }
        t_sc(m, thread) = seen;
        w_sc(m, here) = seen;
        m_sc(m, here) |= seen;
    } else {
        t_sc(m, thread) |= w_sc(m, here);
        m_sc(m, here) |= t_sc(m, thread);
    }
    if (tainted) return;

    const View others = ~own_[x];
    View a = row(m, a_row(thread)) & others;  // Alg 1 and 2, line 1
    View c = row(m, c_row(thread)) & others;
    View r = row(m, r_row(thread));
    if (reads) {  // lines 4-7
        const View told = row(m, w_row(here)) | own_[x];
        a &= told;
        if (access.acquire) c &= told;
    }
    if (writes) {
        View overwritten;  // M(x), as a stale value from now on; its twin only if no RMW reads it
        if (normal_[x].any()) overwritten.set(first_normal_[x] + program_.cells[x].classes[access.old_value]);
        if (access.kind == AccessKind::write && twin_[x].any())
            overwritten.set(first_twin_[x] + program_.cells[x].classes[access.old_value]);
        r |= overwritten;  // line 3
        for (int p = 0; p < threads_; ++p) {  // line 9
            if (p == thread) continue;
            for (int number : {a_row(p), c_row(p), r_row(p)}) store(m, number, row(m, number) | overwritten);
        }
        const View published = (access.release ? c : r) & others;
        for (int y = 0; y < rows_; ++y)  // Alg 4 and 5
            if (y != here) store(m, w_row(y), row(m, w_row(y)) | overwritten);
        const View before = access.kind == AccessKind::rmw ? row(m, w_row(here)) : ~View{};
        store(m, w_row(here), before & published);
    }
    store(m, a_row(thread), a);
    store(m, c_row(thread), c);
    store(m, r_row(thread), r);
}

// trans(Pr) of section 6: a write goes to every thread's cell, a read by t is a read and a write of t's cell. Only
// awareness of the cells matters; that they order nothing else follows from their being checked for races before:
// without a race every edge they add is in hb already.
template <int W>
void Rc20Monitor<W>::non_atomic(std::uint64_t* m, int thread, const Access& access) const {
    const std::size_t x = idx(access.cell);
    if (!normal_[x].any()) return;
    View touched;
    if (access.kind == AccessKind::write) touched = normal_[x];
    else touched.set(first_normal_[x] + thread);
    for (int number : {a_row(thread), c_row(thread)}) store(m, number, row(m, number) & ~touched);
    store(m, r_row(thread), row(m, r_row(thread)) | touched);
    for (int p = 0; p < threads_; ++p) {
        if (p == thread) continue;
        for (int number : {a_row(p), c_row(p), r_row(p)}) store(m, number, row(m, number) | touched);
    }
    for (int y = 0; y < rows_; ++y) store(m, w_row(y), row(m, w_row(y)) | touched);
}

template <int W>
void Rc20Monitor<W>::fence(std::uint64_t* m, int thread, const Instruction& fence) const {
    if (fence.acquire) store(m, c_row(thread), row(m, a_row(thread)));
    if (fence.release) store(m, r_row(thread), row(m, c_row(thread)));
}

// What may be forgotten. An entry e, a class of values of x, gets into views only by an overwrite of x, which adds it to
// everybody's views and to every V^w and V^r alike; else views only lose entries. So what is said here of those who have
// e stays true until e is added anew everywhere.
//   1. V^a(t), V^c(t): what t will neither consult nor hand on.
//   2. e harms t if t has it and may consult it. If nobody whom e harms can ever be told that it is out of date, then it
//      does not matter who knows that: e is dropped wherever it is not itself consulted.
//   3. V^w(y), V^r(t): matter only where some V^a or V^c has the entry and may lose it by being told. (For V^r(t), that of
//      t as well: it may read what it has published itself, and would then wrongly count as aware.)
template <int W>
void Rc20Monitor<W>::normalize(std::uint64_t* m, std::span<const std::uint32_t> pcs, Mask reads, Mask writes) const {
    if (!options_.forget) return;
    View harmed[max_threads];
    View matters;
    for (int t = 0; t < threads_; ++t) {
        const Needs& harm = harms_[idx(t)][pcs[idx(t)]];
        harmed[t] = (row(m, a_row(t)) & harm.a) | (row(m, c_row(t)) & harm.c);
        matters |= harmed[t] & learns_[idx(t)][pcs[idx(t)]];
    }
    View unaware[max_threads];
    for (int t = 0; t < threads_; ++t) {
        const Needs& need = needs_[idx(t)][pcs[idx(t)]];
        const Needs& harm = harms_[idx(t)][pcs[idx(t)]];
        const View a = row(m, a_row(t)) & need.a & (harm.a | matters);
        const View c = row(m, c_row(t)) & need.c & (harm.c | matters);
        store(m, a_row(t), a);
        store(m, c_row(t), c);
        store(m, r_row(t), row(m, r_row(t)) & need.r & matters);
        unaware[t] = a | c;
    }
    for (int y = 0; y < rows_; ++y) {
        View wanted;
        for (int t = 0; t < threads_; ++t) wanted |= wanted_[idx(t)][pcs[idx(t)]][idx(y)] & unaware[t];
        store(m, w_row(y), row(m, w_row(y)) & wanted & matters);
    }
    forget_order(m, pcs, harmed, reads, writes);
}

// V_SC matters only for locations of which somebody is harmed by an entry: a later write to x resets it for x. And where
// all those have x already, who else has it does not matter any more; all bits are set there, so that the state includes
// those in which it may still matter.
template <int W>
void Rc20Monitor<W>::forget_order(std::uint64_t* m, std::span<const std::uint32_t> pcs, const View* harmed, Mask reads,
                                  Mask writes) const {
    std::uint64_t open = 0;
    std::uint64_t spread = 0;
    for (std::size_t cell = 0; cell < location_.size(); ++cell) {
        if (location_[cell] < 0) continue;
        bool anybody = false;
        bool everybody = true;
        for (int t = 0; t < threads_; ++t) {
            if (!(harmed[t] & own_[cell]).any()) continue;
            anybody = true;
            everybody &= knows(m, t, static_cast<int>(cell));
        }
        const std::uint64_t bit = std::uint64_t{1} << location_[cell];
        if (anybody) open |= bit;
        if (anybody && everybody) spread |= bit;
    }
    for (std::size_t cell = 0; cell < location_.size(); ++cell) {
        const int y = location_[cell];
        if (y < 0) continue;
        w_sc(m, y) = reads >> cell & 1 ? (w_sc(m, y) & open) | spread : 0;
        m_sc(m, y) = writes >> cell & 1 ? (m_sc(m, y) & open) | spread : 0;
    }
    for (int t = 0; t < threads_; ++t) {
        const Thread& thread = program_.threads[idx(t)];
        const std::uint32_t pc = pcs[idx(t)];
        const bool active = (thread.future_reads[pc] | thread.future_writes[pc]) != 0;
        t_sc(m, t) = active ? (t_sc(m, t) & open) | spread : 0;
    }
}

template <int W>
int Rc20Monitor<W>::compare(const std::uint64_t* m, int one, int other) const {
    for (int kind = 0; kind < 3; ++kind)
        for (int i = 0; i < W; ++i) {
            const std::uint64_t a = m[(kind * threads_ + one) * W + i];
            const std::uint64_t b = m[(kind * threads_ + other) * W + i];
            if (a != b) return a < b ? -1 : 1;
        }
    const std::uint64_t a = m[sc_ + one];
    const std::uint64_t b = m[sc_ + other];
    return a == b ? 0 : a < b ? -1 : 1;
}

// Thread i of `to` is thread order[i] of `from`; the cells of a non-atomic location move with their threads.
template <int W>
void Rc20Monitor<W>::permute(std::uint64_t* to, const std::uint64_t* from, const int* order) const {
    for (int i = 0; i < words(); ++i) to[i] = from[i];
    for (int t = 0; t < threads_; ++t) {
        store(to, a_row(t), row(from, a_row(order[t])));
        store(to, c_row(t), row(from, c_row(order[t])));
        store(to, r_row(t), row(from, r_row(order[t])));
        t_sc(to, t) = from[sc_ + order[t]];
    }
    for (std::size_t cell = 0; cell < location_.size(); ++cell) {
        if (location_[cell] >= 0 || !normal_[cell].any()) continue;
        for (int number = 0; number < 3 * threads_ + rows_; ++number) {
            const View old = row(to, number);
            View moved = old & ~normal_[cell];
            for (int t = 0; t < threads_; ++t)
                if (old.test(first_normal_[cell] + order[t])) moved.set(first_normal_[cell] + t);
            store(to, number, moved);
        }
    }
}

template <int W>
void Rc20Monitor<W>::pack(BitWriter& out, const std::uint64_t* m) const {
    for (int number = 0; number < 3 * threads_ + rows_; ++number)
        for (int left = bits_, i = 0; left > 0; left -= 64, ++i) out.write(m[number * W + i], std::min(left, 64));
    for (int i = 0; i < threads_ + 2 * rows_; ++i) out.write(m[sc_ + i], rows_);
}

template <int W>
void Rc20Monitor<W>::unpack(BitReader& in, std::uint64_t* m) const {
    for (int number = 0; number < 3 * threads_ + rows_; ++number)
        for (int i = 0; i < W; ++i) m[number * W + i] = in.read(std::clamp(bits_ - 64 * i, 0, 64));
    for (int i = 0; i < threads_ + 2 * rows_; ++i) m[sc_ + i] = in.read(rows_);
}

}  // namespace fencepost
