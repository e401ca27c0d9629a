// Which bit of a view is what, and which bits can still matter at which control point.
#pragma once

#include "monitors/rc20.hpp"

namespace fencepost {

namespace rc20_detail {

inline bool writes(Op op) { return op == Op::store || op == Op::rmw || op == Op::cas || op == Op::blocking_cas; }

template <class Visit>
void for_each_access(const Program& program, Visit visit) {
    for (const Thread& thread : program.threads)
        for (const Instruction& i : thread.code)
            if (i.op >= Op::load && i.op <= Op::wait)
                for (int cell = i.cell; cell < i.cell + i.cells; ++cell) visit(i, static_cast<std::size_t>(cell));
}

// Columns per cell: classes of values of an atomic cell, threads of a non-atomic one. A cell that is never written has
// no stale writes; one that is never plainly written has no twin entries (Algorithm 2 only adds on W).
struct Columns {
    std::vector<int> normal, twin;
    int total = 0;

    explicit Columns(const Program& program) : normal(program.cells.size()), twin(program.cells.size()) {
        for_each_access(program, [&](const Instruction& i, std::size_t cell) {
            const Cell& c = program.cells[cell];
            if (writes(i.op)) normal[cell] = c.atomic ? c.class_count : static_cast<int>(program.threads.size());
            if (i.op == Op::store && c.atomic) twin[cell] = c.class_count;
        });
        for (std::size_t cell = 0; cell < normal.size(); ++cell) total += normal[cell] + twin[cell];
    }
};

}  // namespace rc20_detail

template <int W>
int Rc20Monitor<W>::view_bits(const Program& program) {
    return rc20_detail::Columns(program).total;
}

template <int W>
Rc20Monitor<W>::Rc20Monitor(const Program& program, const Rc20Options& options)
    : program_(program), options_(options), threads_(static_cast<int>(program.threads.size())) {
    lay_out();
    compute_needs();
}

template <int W>
void Rc20Monitor<W>::lay_out() {
    const rc20_detail::Columns columns(program_);
    const std::size_t cells = program_.cells.size();
    location_.assign(cells, -1);
    normal_.resize(cells);
    twin_.resize(cells);
    own_.resize(cells);
    class_size_.resize(cells);
    for (std::size_t cell = 0; cell < cells; ++cell) {
        if (program_.cells[cell].atomic) location_[cell] = rows_++;
        first_normal_.push_back(bits_);
        for (int i = 0; i < columns.normal[cell]; ++i) normal_[cell].set(bits_++);
        first_twin_.push_back(bits_);
        for (int i = 0; i < columns.twin[cell]; ++i) twin_[cell].set(bits_++);
        own_[cell] = normal_[cell] | twin_[cell];
        class_size_[cell].assign(static_cast<std::size_t>(program_.cells[cell].class_count), 0);
        for (std::uint16_t number : program_.cells[cell].classes)
            if (number != no_class) ++class_size_[cell][number];
    }
    sc_ = (3 * threads_ + rows_) * W;
}

// What the check at `instruction` may look at in V^c.
template <int W>
typename Rc20Monitor<W>::View Rc20Monitor<W>::consulted(int thread, const Instruction& instruction) const {
    View all;
    for (int number = instruction.cell; number < instruction.cell + instruction.cells; ++number) {
        const std::size_t cell = idx(number);
        const Cell& c = program_.cells[cell];
        if (!c.atomic) {
            if (instruction.op == Op::store) all |= normal_[cell];
            else if (normal_[cell].any()) all.set(first_normal_[cell] + thread);
            continue;
        }
        View wanted = normal_[cell];  // classes that the expression may name; narrowed where it is constant
        View twins = twin_[cell];
        const bool by_value = instruction.op == Op::cas || instruction.op == Op::blocking_cas || instruction.op == Op::wait;
        if (by_value && registers_in(program_.expressions[idx(instruction.first)]) == 0) {
            const Expr& expr = program_.expressions[idx(instruction.first)];
            wanted = View{};
            twins = View{};
            for (Value v = 0; v <= program_.max_value; ++v) {
                const bool chosen = instruction.op == Op::wait ? evaluate(expr, nullptr, v) != 0
                                                               : program_.wrap(evaluate(expr, nullptr)) == v;
                const int number_of_class = c.classes[v];
                if (number_of_class == no_class) continue;
                if (instruction.op == Op::cas ? !chosen : chosen)
                    if (normal_[cell].any()) wanted.set(first_normal_[cell] + number_of_class);
                if (chosen && twin_[cell].any()) twins.set(first_twin_[cell] + number_of_class);
            }
        }
        switch (instruction.op) {
            case Op::load: all |= normal_[cell]; break;
            case Op::wait: all |= wanted; break;
            case Op::cas: all |= wanted | twins; break;
            default: all |= twins; break;  // store, rmw, blocking CAS
        }
    }
    return all;
}

// The columns that an access surely clears in the thread's own views.
template <int W>
typename Rc20Monitor<W>::View Rc20Monitor<W>::own_columns(const Instruction& instruction) const {
    if (instruction.cells != 1) return View{};
    const std::size_t cell = idx(instruction.cell);
    if (program_.cells[cell].atomic || instruction.op == Op::store) return own_[cell];
    return View{};
}

// `instruction` hands what is in V^w of its location on to views of which `bits` matter.
template <int W>
void Rc20Monitor<W>::learn(const Instruction& instruction, const View& bits) {
    for (int cell = instruction.cell; cell < instruction.cell + instruction.cells; ++cell) {
        if (location_[idx(cell)] < 0) continue;
        View& known = ever_wanted_[idx(location_[idx(cell)])];
        const View grown = known | (bits & ~own_[idx(cell)]);
        changed_ |= !(grown == known);
        known = grown;
    }
}

// Liveness of view entries, backwards over one instruction. A conditional update keeps both possibilities.
template <int W>
typename Rc20Monitor<W>::Needs Rc20Monitor<W>::before(int thread, const Instruction& i, const Needs& after, bool record,
                                                      bool publishes) {
    if (i.op == Op::fence) {
        Needs need = after;
        if (i.release) {
            need.c |= need.r;
            need.r = View{};
        }
        if (i.acquire) {
            need.a |= need.c;
            need.c = View{};
        }
        return need;
    }
    if (i.op < Op::load || i.op > Op::wait) return after;
    // A TAINT-READ clears nothing, so in the observational notion no plain read surely does.
    const bool clears = !(options_.observational && i.op == Op::load);
    const View kept = clears ? ~own_columns(i) : ~View{};
    Needs need{after.a & kept, (after.c & kept) | consulted(thread, i), after.r};
    const bool reads = i.op != Op::store;
    if (reads && record) learn(i, i.acquire || i.failure_acquire ? after.a | after.c : after.a);
    if (rc20_detail::writes(i.op) && publishes) {
        View published;
        for (int cell = i.cell; cell < i.cell + i.cells; ++cell)
            if (location_[idx(cell)] >= 0) published |= ever_wanted_[idx(location_[idx(cell)])] & ~own_columns(i);
        (i.release ? need.c : need.r) |= published;
    }
    return need;
}

template <int W>
void Rc20Monitor<W>::compute_needs() {
    ever_wanted_.assign(idx(rows_), View{});
    needs_.resize(idx(threads_));
    harms_.resize(idx(threads_));
    for (int t = 0; t < threads_; ++t)
        for (auto* table : {&needs_, &harms_}) (*table)[idx(t)].assign(program_.threads[idx(t)].code.size() + 1, Needs{});
    const auto after = [&](int t, int pc, const auto& table, auto join) {
        const Thread& thread = program_.threads[idx(t)];
        const Instruction& i = thread.code[idx(pc)];
        if (i.op == Op::choose) {
            for (std::int32_t target : i.targets) join(table[idx(target)]);
        } else {
            if (i.op != Op::jump) join(table[idx(pc + 1)]);
            if (i.op == Op::jump || i.op == Op::branch) join(table[idx(i.target)]);
        }
    };
    const auto solve = [&](std::vector<std::vector<Needs>>& tables, bool publishes) {
        do {
            changed_ = false;
            for (int t = 0; t < threads_; ++t) {
                auto& table = tables[idx(t)];
                for (int pc = program_.threads[idx(t)].size() - 1; pc >= 0; --pc) {
                    Needs out;
                    after(t, pc, table, [&](const Needs& next) {
                        out.a |= next.a;
                        out.c |= next.c;
                        out.r |= next.r;
                    });
                    const Needs in = before(t, program_.threads[idx(t)].code[idx(pc)], out, publishes, publishes);
                    changed_ |= !(in == table[idx(pc)]);
                    table[idx(pc)] = in;
                }
            }
        } while (changed_);
    };
    solve(needs_, true);
    solve(harms_, false);
    wanted_ = learned(needs_, after);
    for (const auto& table : learned(harms_, after)) {
        learns_.emplace_back();
        for (const std::vector<View>& told : table) {
            View all;
            for (const View& view : told) all |= view;
            learns_.back().push_back(all);
        }
    }
}

// What V^w of each location may still tell a thread that stands at each point, of what `needs` says.
template <int W>
std::vector<std::vector<std::vector<Bits<W>>>> Rc20Monitor<W>::learned(const std::vector<std::vector<Needs>>& needs,
                                                                       const auto& after) const {
    std::vector<std::vector<std::vector<View>>> tables(idx(threads_));
    for (int t = 0; t < threads_; ++t) {
        const Thread& thread = program_.threads[idx(t)];
        auto& table = tables[idx(t)];
        table.assign(thread.code.size() + 1, std::vector<View>(idx(rows_)));
        for (bool again = true; again;) {
            again = false;
            for (int pc = thread.size() - 1; pc >= 0; --pc) {
                const Instruction& i = thread.code[idx(pc)];
                std::vector<View> in = table[idx(pc)];
                after(t, pc, table, [&](const std::vector<View>& next) {
                    for (std::size_t y = 0; y < in.size(); ++y) in[y] |= next[y];
                });
                if (i.op >= Op::load && i.op <= Op::wait && i.op != Op::store) {
                    Needs out;
                    after(t, pc, needs[idx(t)], [&](const Needs& next) {
                        out.a |= next.a;
                        out.c |= next.c;
                    });
                    const View told = i.acquire || i.failure_acquire ? out.a | out.c : out.a;
                    for (int cell = i.cell; cell < i.cell + i.cells; ++cell)
                        if (location_[idx(cell)] >= 0) in[idx(location_[idx(cell)])] |= told;
                }
                if (in != table[idx(pc)]) {
                    table[idx(pc)] = std::move(in);
                    again = true;
                }
            }
        }
    }
    return tables;
}

}  // namespace fencepost
