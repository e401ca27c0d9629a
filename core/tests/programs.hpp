// Small programs for the tests, put together by hand. Cells x, y; each thread has registers that start at 0.
#pragma once

#include <utility>
#include <vector>

#include "machine/program.hpp"

namespace fencepost::testing {

// Builds the tables that Python's analyses make, with the coarsest right answer: everything may still be accessed.
class Builder {
public:
    explicit Builder(int cells, Value max_value = 3) {
        program.max_value = max_value;
        for (int cell = 0; cell < cells; ++cell) {
            Cell made{0, true, {}, static_cast<int>(max_value) + 1};
            for (Value v = 0; v <= max_value; ++v) made.classes.push_back(static_cast<std::uint16_t>(v));
            program.cells.push_back(made);
        }
    }

    int constant(std::int64_t value) { return add({{ExprOp::constant, value}}); }
    int reg(int number) { return add({{ExprOp::reg, number}}); }
    int equals(int number, std::int64_t value) {
        return add({{ExprOp::reg, number}, {ExprOp::constant, value}, {ExprOp::equal, 0}});
    }
    int plus(int number, std::int64_t value) {
        return add({{ExprOp::reg, number}, {ExprOp::constant, value}, {ExprOp::add, 0}});
    }
    int add(std::vector<ExprItem> items) {
        program.expressions.push_back({std::move(items)});
        return static_cast<int>(program.expressions.size()) - 1;
    }

    Instruction load(int reg, int cell, bool acquire = false) {
        Instruction i;
        i.op = Op::load;
        i.reg = reg;
        i.cell = cell;
        i.acquire = acquire;
        return i;
    }
    Instruction store(int cell, std::int64_t value, bool release = false) {
        Instruction i;
        i.op = Op::store;
        i.cell = cell;
        i.first = constant(value);
        i.release = release;
        return i;
    }
    Instruction rmw(int reg, int cell, std::int64_t operand) {
        Instruction i;
        i.op = Op::rmw;
        i.reg = reg;
        i.cell = cell;
        i.first = constant(operand);
        i.acquire = i.release = true;
        return i;
    }
    Instruction conditional(Op op, int condition, int target = -1) {
        Instruction i;
        i.op = op;
        i.first = condition;
        i.target = target;
        for (const ExprItem& item : program.expressions[static_cast<std::size_t>(condition)].items)
            if (item.op == ExprOp::reg) i.used |= Mask{1} << item.argument;
        return i;
    }
    Instruction jump(int target) {
        Instruction i;
        i.op = Op::jump;
        i.target = target;
        return i;
    }

    void thread(std::vector<Instruction> code, int registers = 2) {
        Thread made;
        made.initial.assign(static_cast<std::size_t>(registers), 0);
        const std::size_t points = code.size() + 1;
        const Mask all = (Mask{1} << program.cells.size()) - 1;
        made.live.assign(points, (Mask{1} << registers) - 1);
        made.future_reads.assign(points, all);
        made.future_writes.assign(points, all);
        made.future_reads.back() = made.future_writes.back() = 0;
        made.code = std::move(code);
        program.threads.push_back(std::move(made));
    }

    Program program;
};

// x := 1; a := y  ||  y := 1; b := x
inline Program store_buffering() {
    Builder b(2);
    b.thread({b.store(0, 1), b.load(0, 1)});
    b.thread({b.store(1, 1), b.load(0, 0)});
    return b.program;
}

// x := 1; y := 1  ||  a := y; b := x, with the order that makes it robust or without
inline Program message_passing(bool ordered) {
    Builder b(2);
    b.thread({b.store(0, 1), b.store(1, 1, ordered)});
    b.thread({b.load(0, 1, ordered), b.load(1, 0)});
    return b.program;
}

}  // namespace fencepost::testing
