// The program as the core runs it: the same instructions as src/fencepost/program/form.py, with names resolved.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace fencepost {

using Value = std::uint32_t;
using Mask = std::uint64_t;  // a set of registers, of cells, ...

inline constexpr int max_threads = 16;
inline constexpr int max_registers = 64;  // per thread
inline constexpr int max_cells = 64;      // shared locations, array slots counted one by one
inline constexpr Value max_max_value = (1u << 20) - 1;   // that wrap around
inline constexpr Value max_integer = (1u << 31) - 1;  // that do not

enum class Op : std::uint8_t {
    assign, load, store, rmw, cas, blocking_cas, wait, fence, branch, jump, choose, assume, assert_, use, lock, unlock
};

enum class RmwOp : std::uint8_t { add, sub, and_, or_, xor_, exchange, update };

enum class ExprOp : std::uint8_t {
    constant, reg, read_value, not_, negate, complement,
    logical_or, logical_and, bit_or, bit_xor, bit_and, equal, not_equal,
    less, less_equal, greater, greater_equal, add, subtract, multiply, divide, modulo,
    shift_left, shift_right  // of 64 unsigned bits, the count modulo 64
};

struct ExprItem {
    ExprOp op;
    std::int64_t argument;  // the constant, or the register's number
};

// An expression in postfix order. Arithmetic wraps at 64 bits; see program/expr.py, which rules.
struct Expr {
    std::vector<ExprItem> items;
};

inline constexpr int max_expression_depth = 64;

struct Instruction {
    Op op = Op::jump;
    RmwOp rmw_op = RmwOp::add;
    bool acquire = false;          // of the access, or of a fence; of a CAS that succeeds
    bool release = false;
    bool failure_acquire = false;  // of a CAS that fails
    bool flushes = false;          // of a fence: no store can be delayed past it
    bool by_address = false;       // `index` is an address, of whichever cell is there
    std::int32_t reg = -1;         // register written, or -1
    std::int32_t cell = -1;        // first cell of the location
    std::int32_t cells = 1;        // how many it has
    std::int32_t index = -1;       // expression, or -1
    std::int32_t first = -1;       // value, operand, expected, until or condition
    std::int32_t second = -1;      // desired
    std::int32_t target = -1;
    std::vector<std::int32_t> targets;
    Mask used = 0;                 // R_in
};

// While a register is less than a cell that never decreases: which registers matter at each pc (analysis/staleness.py).
struct StaleRule {
    std::int32_t reg;
    std::int32_t cell;
    std::vector<Mask> kept;  // all ones: the rule gains nothing there
};

// A register or cell of values of a counter (a cell that never decreases): all that are `by` or more behind it, and not
// below the counter's initial value, are alike until something tells them apart (machine/lagging.hpp).
struct Lag {
    std::int32_t cell = -1;  // none
    Value by = 0;
};

struct Thread {
    std::vector<Value> initial;
    std::vector<Instruction> code;
    // For every pc, 0..code.size(): what control can still reach (program/analysis).
    std::vector<Mask> live;
    std::vector<Mask> future_reads;
    std::vector<Mask> future_writes;
    std::vector<StaleRule> stale_rules;
    std::vector<Lag> lags;  // per register; empty: none
    std::vector<std::uint8_t> locked;  // whether the thread has locked the memory there; empty: nowhere, ever
    std::vector<Mask> open_loads;      // cells that may still be loaded before something flushes the store buffer

    int size() const { return static_cast<int>(code.size()); }
    int registers() const { return static_cast<int>(initial.size()); }
};

inline constexpr std::uint16_t no_class = 0xffff;

struct Cell {
    Value initial;
    bool atomic;
    // The class of every value, or no_class if the cell never holds it: views only distinguish classes (Remark 3).
    std::vector<std::uint16_t> classes;
    int class_count = 0;
    std::vector<Value> run_start{};  // for every value, the least from which on up to it all are of one class
    std::int64_t address = 0;  // where addresses are values
    bool has_address = false;
    Lag lag{};
    bool moves = false;   // a counter whose values matter only relative to each other, and all that hold them have a lag
    bool rising = false;  // some StaleRule or Lag relies on its never decreasing: to be observed on every write
};

struct Program {
    Value max_value = 255;
    std::int64_t min_value = 0;
    bool wraps = true;  // if not, runs that leave min_value..max_value are not followed
    std::vector<Cell> cells;
    std::vector<Expr> expressions;
    std::vector<Thread> threads;
    std::vector<std::vector<int>> symmetric;  // groups of interchangeable threads

    Value wrap(std::int64_t value) const {
        const std::int64_t range = static_cast<std::int64_t>(max_value) + 1;
        if (static_cast<std::uint64_t>(value) <= max_value) return static_cast<Value>(value);
        const std::int64_t rest = value % range;
        return static_cast<Value>(rest < 0 ? rest + range : rest);
    }

    std::int64_t max_value_signed() const { return static_cast<std::int64_t>(max_value); }

    void validate() const;  // throws std::invalid_argument
};

Mask registers_in(const Expr& expr);

// The values from `low` to `high`. With a counter they are relative to an unknown offset, the same for all values of that
// counter, and none is less than `floor`, whatever the offset is.
struct Range {
    std::int64_t low;
    std::int64_t high;
    std::int64_t floor = 0;
    int counter = -1;  // a cell

    static Range exactly(std::int64_t value) { return {value, value}; }
    bool fixed() const { return counter < 0; }
    bool single() const { return low == high && fixed(); }
    bool decided() const { return fixed() ? low > 0 || high < 0 || low == high : floor > 0; }  // as a truth value
};

Range add(const Range& a, const Range& b);
Range equal(const Range& a, const Range& b);

// Includes every value that `expr` has where each register is in its range. All are single where those are.
Range range_of(const Expr& expr, const Range* registers, const Range& read_value = {0, 0});
std::int64_t evaluate(const Expr& expr, const Value* registers, std::int64_t read_value = 0);
std::int64_t evaluate_signed(const Expr& expr, const std::int64_t* registers, std::int64_t read_value = 0);
std::int64_t apply(RmwOp op, std::int64_t old, std::int64_t operand);

}  // namespace fencepost
