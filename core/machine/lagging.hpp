// Values of a counter that lag far behind are alike; and only where values are relative to the counter may matter.
//
// A register or cell with a `Lag` that holds a value of [initial, M(counter) - by] stands for all of them, and is kept as
// the largest. As the counter never decreases (which every write is observed for), it stands for no less from then on.
// Where the counter `moves`, all its values may be larger by one and the same number, so that the counter need not rise
// above initial + by: the values are moved down instead. Values below the initial one are not the counter's, and are exact.
//
// Whatever a thread does with such values has to have the same outcome for all that they stand for. `tells_apart` says
// where that is not so, and then the search ends and is repeated with larger lags, or without. Up to there, mapping every
// state to the one that is kept for it maps steps to steps, and every step of the latter is one of each of the former.
#pragma once

#include <bit>
#include <vector>

#include "machine/program.hpp"

namespace fencepost {

class Lagging {
public:
    explicit Lagging(const Program& program) : program_(program) {
        for (const Thread& thread : program.threads) {
            Mask registers = 0;
            for (std::size_t r = 0; r < thread.lags.size(); ++r)
                if (thread.lags[r].cell >= 0) registers |= Mask{1} << r;
            any_ |= registers != 0;
            registers_.push_back(registers);
        }
        for (std::size_t cell = 0; cell < program.cells.size(); ++cell) {
            if (program.cells[cell].lag.cell >= 0) cells_ |= Mask{1} << cell;
            if (program.cells[cell].moves) moving_ |= Mask{1} << cell;
        }
        any_ |= (cells_ | moving_) != 0;
    }

    bool any() const { return any_; }
    bool moves() const { return moving_ != 0; }

    // The counters that the `wanted` registers of a thread, and cells, lag behind.
    Mask counters(int thread, Mask wanted) const {
        Mask found = moving_;
        for_each(registers_[idx(thread)] & wanted, [&](int r) { found |= Mask{1} << lag_of(thread, r).cell; });
        return found;
    }

    // The registers of a thread that stand for several values, given the memory.
    Mask registers(int thread, const Value* regs, const Value* memory) const {
        Mask found = 0;
        for_each(registers_[idx(thread)], [&](int r) {
            if (lags(lag_of(thread, r), regs[r], memory)) found |= Mask{1} << r;
        });
        return found;
    }
    // Likewise for a cell.
    bool stands_for_many(int cell, const Value* memory) const {
        return cells_ >> cell & 1 && lags(program_.cells[idx(cell)].lag, memory[cell], memory);
    }

    // The state that is kept. `registers_of` and `wanted` are functions of the thread.
    void settle(Value* memory, const auto& registers_of, const auto& wanted) const {
        const int threads = static_cast<int>(program_.threads.size());
        for (int t = 0; t < threads; ++t) {
            Value* regs = registers_of(t);
            for_each(registers(t, regs, memory) & wanted(t),
                     [&](int r) { regs[r] = memory[lag_of(t, r).cell] - lag_of(t, r).by; });
        }
        for_each(cells_, [&](int cell) {
            const Lag& lag = program_.cells[idx(cell)].lag;
            if (lags(lag, memory[cell], memory)) memory[cell] = memory[lag.cell] - lag.by;
        });
        for_each(moving_, [&](int counter) {
            const Value home = first(counter) + by(counter);
            if (memory[counter] <= home) return;
            const Value down = memory[counter] - home;
            const auto move = [&](const Lag& lag, Value& value) {
                if (lag.cell == counter && value >= first(counter)) value -= down;
            };
            for (int t = 0; t < threads; ++t)
                for_each(registers_[idx(t)] & wanted(t), [&](int r) { move(lag_of(t, r), registers_of(t)[r]); });
            for_each(cells_, [&](int cell) { move(program_.cells[idx(cell)].lag, memory[cell]); });
            memory[counter] = home;
        });
    }

    // Whether it is the same for all values that `reg` (of `many`, or moving) stands for that it is less than what `cell`
    // holds, given that it is, and that both are of one class of `cell` to the monitor.
    bool stays_less(int thread, int reg, Value value, int cell, Mask many) const {
        const Lag& lag = registers_[idx(thread)] >> reg & 1 ? lag_of(thread, reg) : none;
        const int counter = counter_of(cell);
        if (moves(lag, value)) return counter == lag.cell && !differ(cell, first(lag.cell), program_.max_value);
        return !(many >> reg & 1) || !differ(cell, first(lag.cell), value);
    }

    struct Apart {
        bool yes = false;
        Mask registers = 0;  // of the thread
        Mask counters = 0;
    };

    // Whether what `i` (at `cell`, -1 for none) does depends on which of the values that registers and cells stand for they
    // have. `many`: the registers that stand for several.
    Apart tells_apart(int thread, const Instruction& i, int cell, const Value* memory, const Value* regs, Mask many) const {
        const Mask involved = registers_[idx(thread)] & (uses(i.index) | uses(i.first) | uses(i.second));
        const bool to = cell >= 0 ? counter_of(cell) >= 0 : i.op == Op::assign && registers_[idx(thread)] >> i.reg & 1;
        if (involved == 0 && !to) return {};
        Range ranges[max_registers];
        for (int r = 0; r < program_.threads[idx(thread)].registers(); ++r) ranges[r] = range(thread, r, regs[r], many);
        if (alike(thread, i, cell, memory, ranges, many)) return {};
        Apart apart{true, involved, 0};
        for_each(involved, [&](int r) { apart.counters |= Mask{1} << lag_of(thread, r).cell; });
        if (cell >= 0 && counter_of(cell) >= 0) apart.counters |= Mask{1} << counter_of(cell);
        if (i.op == Op::assign && to) apart.counters |= Mask{1} << lag_of(thread, i.reg).cell;
        return apart;
    }

    // What hands on what a register stands for.
    bool is_copy(const Instruction& i) const {
        return expr(i.first).items.size() == 1 && expr(i.first).items[0].op == ExprOp::reg;
    }

private:
    static constexpr Lag none{};
    static constexpr std::int64_t far_below = -(std::int64_t{1} << 41);

    static std::size_t idx(int i) { return static_cast<std::size_t>(i); }
    static void for_each(Mask mask, const auto& visit) {
        for (; mask != 0; mask &= mask - 1) visit(std::countr_zero(mask));
    }
    const Expr& expr(std::int32_t id) const { return program_.expressions[idx(id)]; }
    Mask uses(std::int32_t id) const { return id < 0 ? 0 : registers_in(expr(id)); }
    const Lag& lag_of(int thread, int reg) const { return program_.threads[idx(thread)].lags[idx(reg)]; }
    Value first(int counter) const { return program_.cells[idx(counter)].initial; }
    int counter_of(int cell) const { return moving_ >> cell & 1 ? cell : program_.cells[idx(cell)].lag.cell; }
    bool moves(const Lag& lag, Value value) const { return lag.cell >= 0 && moving_ >> lag.cell & 1 && value >= first(lag.cell); }

    // What everything that holds values of a moving counter has in common.
    Value by(int counter) const { return program_.cells[idx(counter)].lag.by; }

    bool lags(const Lag& lag, Value value, const Value* memory) const {
        const Value now = memory[lag.cell];
        return now >= lag.by && value <= now - lag.by && value >= first(lag.cell);
    }

    // Whether the values [low, high] of a cell differ to the monitor.
    bool differ(int cell, std::int64_t low, std::int64_t high) const {
        const std::vector<Value>& start = program_.cells[idx(cell)].run_start;
        return !start.empty() && start[static_cast<std::size_t>(high)] > low;
    }

    Range range(const Lag& lag, Value value, bool several) const {
        if (!moves(lag, value)) return {several ? first(lag.cell) : value, value};
        return {several ? far_below : value, value, several ? first(lag.cell) : value, lag.cell};
    }
    Range range(int thread, int reg, Value value, Mask many) const {
        if (!(registers_[idx(thread)] >> reg & 1)) return Range::exactly(value);
        return range(lag_of(thread, reg), value, many >> reg & 1);
    }
    Range held(int cell, const Value* memory) const {
        const Value value = memory[cell];
        if (moving_ >> cell & 1) return {value, value, value, cell};
        return range(program_.cells[idx(cell)].lag, value, stands_for_many(cell, memory));
    }

    bool alike(int thread, const Instruction& i, int cell, const Value* memory, const Range* ranges, Mask many) const {
        if (i.index >= 0 && !range_of(expr(i.index), ranges).single()) return false;
        const auto value = [&](std::int32_t id) { return range_of(expr(id), ranges); };
        switch (i.op) {
            case Op::assign: {
                const Lag& target = registers_[idx(thread)] >> i.reg & 1 ? lag_of(thread, i.reg) : none;
                return fits(target, value(i.first)) || copies(thread, i, target, many);
            }
            case Op::store: return fits_cell(cell, value(i.first)) || copies(thread, i, program_.cells[idx(cell)].lag, many);
            case Op::rmw:
                if (counter_of(cell) < 0) return value(i.first).single();
                return i.rmw_op == RmwOp::add && fits_cell(cell, add(held(cell, memory), value(i.first)));
            case Op::branch:
            case Op::assume:
            case Op::assert_: return value(i.first).decided();
            case Op::wait: return wait_is_alike(i, cell, held(cell, memory), ranges, many);
            case Op::cas:
            case Op::blocking_cas: {
                const Range expected = value(i.first);
                const Range equals = equal(expected, held(cell, memory));
                if (!equals.decided() || !one_class(cell, expected)) return false;
                return equals.low == 0 || fits_cell(cell, value(i.second));
            }
            default: return true;
        }
    }

    // Whether something with this lag may hold the value, and it is one.
    bool fits(const Lag& target, const Range& value) const {
        const bool own = target.cell >= 0 && moving_ >> target.cell & 1;
        if (value.fixed()) return value.single() && (!own || value.low < first(target.cell));
        return own && value.counter == target.cell && value.low == value.high && value.floor >= first(target.cell) &&
               value.high <= program_.max_value_signed();
    }
    bool fits_cell(int cell, const Range& value) const { return fits(Lag{counter_of(cell), 0}, value); }

    // Whether `i` makes what has this lag stand for no more than it may.
    bool copies(int thread, const Instruction& i, const Lag& target, Mask many) const {
        if (!is_copy(i)) return false;
        const int source = static_cast<int>(expr(i.first).items[0].argument);
        if (!(many >> source & 1)) return false;
        const Lag& lag = lag_of(thread, source);
        return target.cell == lag.cell && target.by <= lag.by;
    }

    // Whether all that may be expected of a cell is one class to the monitor.
    bool one_class(int cell, const Range& expected) const {
        if (!expected.fixed()) return !differ(cell, first(expected.counter), program_.max_value);
        return expected.single() || (expected.low >= 0 && expected.high <= program_.max_value_signed() &&
                                     !differ(cell, expected.low, expected.high));
    }

    bool wait_is_alike(const Instruction& i, int cell, const Range& current, const Range* ranges, Mask many) const {
        const Expr& until = expr(i.first);
        if (!range_of(until, ranges, current).decided()) return false;
        const std::vector<std::uint16_t>& classes = program_.cells[idx(cell)].classes;
        if (classes.empty()) return true;
        // A monitor asks how many values of each class would end the wait: none, some or all.
        const int counter = counter_of(cell);
        if (counter >= 0 && moving_ >> counter & 1) return counts_stay(until, cell, counter, ranges, many);
        for (std::size_t other = 0; other < classes.size(); ++other)
            if (classes[other] != no_class && !range_of(until, ranges, Range::exactly(static_cast<std::int64_t>(other))).decided())
                return false;
        return true;
    }

    // What is read is only compared for equality, with values of the counter and with less than any of them. Each such
    // equation has one solution among the counter's values, or none; which have the same one does not change where all move.
    bool counts_stay(const Expr& until, int cell, int counter, const Range* ranges, Mask many) const {
        if (differ(cell, first(counter), program_.max_value)) return false;
        enum Kind { read, leaf, truth };
        Mask old = 0;
        std::vector<Kind> stack;
        const auto pop = [&] {
            const Kind kind = stack.back();
            stack.pop_back();
            return kind;
        };
        const auto is_leaf = [&](const Range& range) {
            return range.fixed() ? range.high < first(counter) : range.counter == counter;
        };
        for (const ExprItem& item : until.items) {
            switch (item.op) {
                case ExprOp::read_value: stack.push_back(read); break;
                case ExprOp::constant:
                    if (!is_leaf(Range::exactly(item.argument))) return false;
                    stack.push_back(leaf);
                    break;
                case ExprOp::reg:
                    if (!is_leaf(ranges[item.argument])) return false;
                    if (many >> item.argument & 1) old |= Mask{1} << item.argument;
                    if ((old & (old - 1)) != 0) return false;  // which may be equal, or not
                    stack.push_back(leaf);
                    break;
                case ExprOp::equal:
                case ExprOp::not_equal: {
                    const Kind right = pop();
                    const Kind left = pop();
                    if (left == truth || right == truth || (left == read && right == read)) return false;
                    stack.push_back(truth);
                    break;
                }
                case ExprOp::not_:
                    if (stack.back() != truth) return false;
                    break;
                case ExprOp::logical_or:
                case ExprOp::logical_and:
                    if (pop() != truth || stack.back() != truth) return false;
                    break;
                default: return false;
            }
        }
        return stack.back() == truth;
    }

    const Program& program_;
    std::vector<Mask> registers_;  // per thread, those that have a lag
    Mask cells_ = 0;               // those that have a lag
    Mask moving_ = 0;              // counters
    bool any_ = false;
};

}  // namespace fencepost
