// Values of a counter that lag far behind are alike.
//
// A register with a `Lag` that holds a value of [initial, M(cell) - by] stands for all of them, and is kept as the largest.
// As the counter never decreases (which every write is observed for), it stands for no less from then on. Whatever the
// thread does with it has to have the same outcome for all of them: `tells_apart` says where that is not so, and then the
// search ends and is repeated with a larger lag, or without. Up to there, mapping every state to
// the one that is kept for it maps steps to steps, and every step of the latter is one of each of the former.
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
    }

    bool any() const { return any_; }

    // The counters that the `wanted` registers of a thread lag behind.
    Mask counters(int thread, Mask wanted) const {
        Mask found = 0;
        for (Mask left = registers_[idx(thread)] & wanted; left != 0; left &= left - 1)
            found |= Mask{1} << program_.threads[idx(thread)].lags[idx(std::countr_zero(left))].cell;
        return found;
    }

    // The registers of a thread that stand for several values, given the memory.
    Mask registers(int thread, const Value* regs, const Value* memory) const {
        Mask found = 0;
        for (Mask left = registers_[idx(thread)]; left != 0; left &= left - 1) {
            const int r = std::countr_zero(left);
            const Lag& lag = program_.threads[idx(thread)].lags[idx(r)];
            const Value now = memory[lag.cell];
            if (now >= lag.by && regs[r] <= now - lag.by && regs[r] >= first(lag)) found |= Mask{1} << r;
        }
        return found;
    }

    void raise(int thread, Value* regs, const Value* memory, Mask wanted) const {
        for (Mask left = registers(thread, regs, memory) & wanted; left != 0; left &= left - 1) {
            const int r = std::countr_zero(left);
            const Lag& lag = program_.threads[idx(thread)].lags[idx(r)];
            regs[r] = memory[lag.cell] - lag.by;
        }
    }

    // Whether the values [low, high] of a cell differ to the monitor.
    bool differ(int cell, std::int64_t low, std::int64_t high) const {
        const std::vector<Value>& start = program_.cells[idx(cell)].run_start;
        return !start.empty() && start[static_cast<std::size_t>(high)] > low;
    }
    // The least value that `reg` stands for.
    Value least(int thread, int reg) const { return first(program_.threads[idx(thread)].lags[idx(reg)]); }

    // Whether what `i` (at `cell`, -1 for none, that holds `value`) does depends on which of the values that the registers
    // `many` stand for they have: the registers concerned.
    Mask tells_apart(int thread, const Instruction& i, int cell, Value value, const Value* regs, Mask many) const {
        const Mask first_uses = uses(i.first) & many;
        const Mask second_uses = uses(i.second) & many;
        if (((uses(i.index) & many) | first_uses | second_uses) == 0) return 0;
        Range ranges[max_registers];
        for (int r = 0; r < program_.threads[idx(thread)].registers(); ++r)
            ranges[r] = {many >> r & 1 ? least(thread, r) : regs[r], regs[r]};
        if (uses(i.index) & many && !range_of(expr(i.index), ranges).single()) return uses(i.index) & many;
        if ((first_uses | second_uses) == 0) return 0;
        switch (i.op) {
            case Op::assign:
                if (is_copy(i)) return follows(thread, i.reg, static_cast<int>(expr(i.first).items[0].argument)) ? 0 : first_uses;
                [[fallthrough]];
            case Op::store:
            case Op::rmw: return range_of(expr(i.first), ranges).single() ? 0 : first_uses;
            case Op::branch:
            case Op::assume:
            case Op::assert_: return range_of(expr(i.first), ranges).decided() ? 0 : first_uses;
            case Op::wait: return wait_differs(expr(i.first), cell, value, ranges) ? first_uses : 0;
            case Op::cas:
            case Op::blocking_cas: {
                const Range expected = range_of(expr(i.first), ranges);
                if (expected.single()) {
                    const bool succeeds = program_.wrap(expected.low) == value;
                    return succeeds && second_uses && !range_of(expr(i.second), ranges).single() ? second_uses : 0;
                }
                const bool inside = expected.low >= 0 && expected.high <= program_.max_value_signed();
                const bool fails = value < expected.low || value > expected.high;
                return inside && fails && !differ(cell, expected.low, expected.high) ? 0 : first_uses;
            }
            default: return 0;
        }
    }

    // What assigns a register that stands for several values to another, which then does so too.
    bool is_copy(const Instruction& i) const { return expr(i.first).items.size() == 1; }

private:
    // Whether what `source` stands for is no more than what `reg` may.
    bool follows(int thread, int reg, int source) const {
        const std::vector<Lag>& lags = program_.threads[idx(thread)].lags;
        return lags[idx(reg)].cell == lags[idx(source)].cell && lags[idx(reg)].by <= lags[idx(source)].by;
    }

    static std::size_t idx(int i) { return static_cast<std::size_t>(i); }
    const Expr& expr(std::int32_t id) const { return program_.expressions[idx(id)]; }
    Mask uses(std::int32_t id) const { return id < 0 ? 0 : registers_in(expr(id)); }
    Value first(const Lag& lag) const { return program_.cells[idx(lag.cell)].initial; }

    // A monitor asks of every value that the cell may have had whether it would end the wait.
    bool wait_differs(const Expr& until, int cell, Value value, const Range* ranges) const {
        if (!range_of(until, ranges, value).decided()) return true;
        const std::vector<std::uint16_t>& classes = program_.cells[idx(cell)].classes;
        for (std::size_t other = 0; other < classes.size(); ++other)
            if (classes[other] != no_class && !range_of(until, ranges, static_cast<std::int64_t>(other)).decided()) return true;
        return false;
    }

    const Program& program_;
    std::vector<Mask> registers_;  // per thread, those that have a lag
    bool any_ = false;
};

}  // namespace fencepost
