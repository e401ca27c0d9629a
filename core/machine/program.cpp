#include "machine/program.hpp"

namespace fencepost {

namespace {

// Signed arithmetic that wraps: through unsigned, where overflow is defined.
std::int64_t wrapping(std::uint64_t value) { return static_cast<std::int64_t>(value); }
std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

// A zero divisor is only reached where `&&` or `||` discards the result: front ends guard every other division.
std::int64_t divide(std::int64_t a, std::int64_t b) {
    if (b == 0) return 0;
    return b == -1 ? wrapping(0 - bits(a)) : a / b;
}

std::int64_t binary(ExprOp op, std::int64_t a, std::int64_t b) {
    switch (op) {
        case ExprOp::logical_or: return (a != 0) | (b != 0);
        case ExprOp::logical_and: return (a != 0) & (b != 0);
        case ExprOp::bit_or: return a | b;
        case ExprOp::bit_xor: return a ^ b;
        case ExprOp::bit_and: return a & b;
        case ExprOp::equal: return a == b;
        case ExprOp::not_equal: return a != b;
        case ExprOp::less: return a < b;
        case ExprOp::less_equal: return a <= b;
        case ExprOp::greater: return a > b;
        case ExprOp::greater_equal: return a >= b;
        case ExprOp::add: return wrapping(bits(a) + bits(b));
        case ExprOp::subtract: return wrapping(bits(a) - bits(b));
        case ExprOp::multiply: return wrapping(bits(a) * bits(b));
        case ExprOp::divide: return divide(a, b);
        case ExprOp::shift_left: return wrapping(bits(a) << (b & 63));
        case ExprOp::shift_right: return wrapping(bits(a) >> (b & 63));
        default: return b == 0 || b == -1 ? 0 : a % b;  // modulo
    }
}

int arity(ExprOp op) {
    if (op <= ExprOp::read_value) return 0;
    return op <= ExprOp::complement ? 1 : 2;
}

}  // namespace

Mask registers_in(const Expr& expr) {
    Mask mask = 0;
    for (const ExprItem& item : expr.items)
        if (item.op == ExprOp::reg) mask |= Mask{1} << item.argument;
    return mask;
}

namespace {

template <class Register>
std::int64_t evaluate_on(const Expr& expr, const Register* registers, std::int64_t read_value) {
    std::int64_t stack[max_expression_depth];
    int top = -1;
    for (const ExprItem& item : expr.items) {
        switch (item.op) {
            case ExprOp::constant: stack[++top] = item.argument; break;
            case ExprOp::reg: stack[++top] = static_cast<std::int64_t>(registers[item.argument]); break;
            case ExprOp::read_value: stack[++top] = read_value; break;
            case ExprOp::not_: stack[top] = stack[top] == 0; break;
            case ExprOp::negate: stack[top] = wrapping(0 - bits(stack[top])); break;
            case ExprOp::complement: stack[top] = ~stack[top]; break;
            default:
                stack[top - 1] = binary(item.op, stack[top - 1], stack[top]);
                --top;
        }
    }
    return stack[0];
}

}  // namespace

std::int64_t evaluate(const Expr& expr, const Value* registers, std::int64_t read_value) {
    return evaluate_on(expr, registers, read_value);
}

std::int64_t evaluate_signed(const Expr& expr, const std::int64_t* registers, std::int64_t read_value) {
    return evaluate_on(expr, registers, read_value);
}

namespace {

constexpr Range anything{INT64_MIN, INT64_MAX};
constexpr Range truths{0, 1};

bool small(const Range& range) {
    constexpr std::int64_t limit = std::int64_t{1} << 40;
    return range.low > -limit && range.high < limit;
}

std::int64_t least(const Range& range) { return range.fixed() ? range.low : range.floor; }

Range truth(bool value) { return Range::exactly(value); }

Range less(const Range& a, const Range& b) {
    if (a.counter == b.counter ? a.high < b.low : a.fixed() && a.high < b.floor) return truth(true);
    if (a.counter == b.counter ? a.low >= b.high : b.fixed() && a.floor >= b.high) return truth(false);
    return truths;
}

Range negated(const Range& a) { return a.decided() ? truth(a.single() && a.low == 0) : truths; }

Range both(const Range& a, const Range& b) {
    const Range no_a = negated(a);
    const Range no_b = negated(b);
    if (no_a.low == 1 || no_b.low == 1) return truth(false);
    return no_a.high == 0 && no_b.high == 0 ? truth(true) : truths;
}

Range subtract(const Range& a, const Range& b) {
    if (!small(a) || !small(b)) return anything;
    if (a.counter == b.counter) return {a.low - b.high, a.high - b.low};
    return b.fixed() ? Range{a.low - b.high, a.high - b.low, a.floor - b.high, a.counter} : anything;
}

Range binary(ExprOp op, const Range& a, const Range& b) {
    if (a.single() && b.single()) return Range::exactly(binary(op, a.low, b.low));
    switch (op) {
        case ExprOp::logical_or: return negated(both(negated(a), negated(b)));
        case ExprOp::logical_and: return both(a, b);
        case ExprOp::equal: return equal(a, b);
        case ExprOp::not_equal: return negated(equal(a, b));
        case ExprOp::less: return less(a, b);
        case ExprOp::less_equal: return negated(less(b, a));
        case ExprOp::greater: return less(b, a);
        case ExprOp::greater_equal: return negated(less(a, b));
        case ExprOp::add: return add(a, b);
        case ExprOp::subtract: return subtract(a, b);
        default: return anything;
    }
}

}  // namespace

Range equal(const Range& a, const Range& b) {
    if (a.counter == b.counter) {
        if (a.high < b.low || b.high < a.low) return truth(false);
        return a.low == a.high && b.low == b.high ? truth(true) : truths;
    }
    const bool apart = (a.fixed() && a.high < b.floor) || (b.fixed() && b.high < a.floor);
    return apart ? truth(false) : truths;
}

Range add(const Range& a, const Range& b) {
    if (!small(a) || !small(b) || (!a.fixed() && !b.fixed())) return anything;
    const Range sum{a.low + b.low, a.high + b.high, least(a) + least(b), a.fixed() ? b.counter : a.counter};
    return sum;
}

Range range_of(const Expr& expr, const Range* registers, const Range& read_value) {
    Range stack[max_expression_depth];
    int top = -1;
    for (const ExprItem& item : expr.items) {
        switch (item.op) {
            case ExprOp::constant: stack[++top] = Range::exactly(item.argument); break;
            case ExprOp::reg: stack[++top] = registers[item.argument]; break;
            case ExprOp::read_value: stack[++top] = read_value; break;
            case ExprOp::not_: stack[top] = negated(stack[top]); break;
            case ExprOp::negate: stack[top] = subtract(Range::exactly(0), stack[top]); break;
            case ExprOp::complement: stack[top] = subtract(Range::exactly(-1), stack[top]); break;
            default:
                stack[top - 1] = binary(item.op, stack[top - 1], stack[top]);
                --top;
        }
    }
    return stack[0];
}

std::int64_t apply(RmwOp op, std::int64_t old, std::int64_t operand) {
    switch (op) {
        case RmwOp::add: return wrapping(bits(old) + bits(operand));
        case RmwOp::sub: return wrapping(bits(old) - bits(operand));
        case RmwOp::and_: return old & operand;
        case RmwOp::or_: return old | operand;
        case RmwOp::xor_: return old ^ operand;
        default: return operand;  // exchange
    }
}

void Program::validate() const {
    const auto require = [](bool ok, const std::string& what) {
        if (!ok) throw std::invalid_argument(what);
    };
    require(!threads.empty() && threads.size() <= max_threads,
            "1 to " + std::to_string(max_threads) + " threads are supported, not " + std::to_string(threads.size()));
    const Value largest = wraps ? max_max_value : max_integer;
    require(max_value <= largest,
            "values up to " + std::to_string(largest) + " are supported, not " + std::to_string(max_value));
    require(cells.size() <= max_cells,
            "at most " + std::to_string(max_cells) + " shared locations are supported, not " + std::to_string(cells.size()));
    for (const Cell& cell : cells) {
        require(cell.initial <= max_value && (cell.class_count == 0 || cell.classes.size() == std::size_t{max_value} + 1),
                "a location's value or value classes are out of range");
        for (std::uint16_t number : cell.classes)
            require(number == no_class || number < cell.class_count, "a value class is out of range");
        require(cell.lag.cell < static_cast<int>(cells.size()), "a lag is malformed");
        require(cell.class_count == 0 || cell.classes[cell.initial] != no_class, "a location cannot hold its initial value");
    }
    for (const Expr& expr : expressions) {
        int depth = 0;
        for (const ExprItem& item : expr.items) {
            depth += 1 - arity(item.op);
            require(depth >= 1 && depth <= max_expression_depth, "an expression is malformed or nested too deeply");
        }
        require(depth == 1, "an expression is malformed");
    }
    const auto expression = [&](std::int32_t id) { return id >= 0 && id < static_cast<int>(expressions.size()); };
    for (const Thread& thread : threads) {
        const int size = thread.size();
        const auto readable = [&](std::int32_t id) {
            for (const ExprItem& item : expressions[static_cast<std::size_t>(id)].items)
                if (item.op == ExprOp::reg && (item.argument < 0 || item.argument >= thread.registers())) return false;
            return true;
        };
        require(thread.registers() <= max_registers,
                "at most " + std::to_string(max_registers) + " registers per thread are supported");
        const std::size_t points = static_cast<std::size_t>(size) + 1;
        require(thread.live.size() == points && thread.future_reads.size() == points && thread.future_writes.size() == points,
                "an analysis does not cover every control point");
        for (const StaleRule& rule : thread.stale_rules)
            require(rule.reg >= 0 && rule.reg < thread.registers() && rule.cell >= 0 &&
                        rule.cell < static_cast<int>(cells.size()) && rule.kept.size() == points,
                    "a staleness rule is malformed");
        require(thread.lags.empty() || thread.lags.size() == thread.initial.size(), "a lag has no register");
        for (const Lag& lag : thread.lags)
            require(lag.cell >= -1 && lag.cell < static_cast<int>(cells.size()), "a lag is malformed");
        for (const Instruction& i : thread.code) {
            require(i.reg >= -1 && i.reg < thread.registers(), "a register number is out of range");
            if (i.reg >= 0 && i.cell >= 0 && i.cell < static_cast<int>(cells.size())) {
                const Cell& read = cells[static_cast<std::size_t>(i.cell)];
                const int counter = read.moves ? i.cell : read.lag.cell;
                require(counter < 0 || (!thread.lags.empty() && thread.lags[static_cast<std::size_t>(i.reg)].cell == counter),
                        "a register without a lag reads what has one");
            }
            const bool access = i.op >= Op::load && i.op <= Op::wait;
            require(!access || (i.by_address && i.index >= 0) || (i.cell >= 0 && i.cells >= 1 && i.cell + i.cells <= static_cast<int>(cells.size())),
                    "a location number is out of range");
            require(i.index == -1 || expression(i.index), "an index expression is out of range");
            const bool plain = i.op == Op::load || i.op == Op::fence || i.op == Op::jump || i.op == Op::choose ||
                               i.op == Op::lock || i.op == Op::unlock;
            require(plain || expression(i.first), "an expression number is out of range");
            for (std::int32_t id : {i.index, i.first, i.second})
                require(id == -1 || (expression(id) && readable(id)), "an expression reads a register that is not there");
            require((i.op != Op::cas && i.op != Op::blocking_cas) || expression(i.second), "a CAS lacks its new value");
            const auto place = [&](std::int32_t pc) { return pc >= 0 && pc <= size; };
            require((i.op != Op::jump && i.op != Op::branch) || place(i.target), "a jump leaves its thread");
            require(i.op != Op::choose || (!i.targets.empty() && i.targets.size() <= 255), "a choice has 1 to 255 alternatives");
            for (std::int32_t pc : i.targets) require(place(pc), "a choice leaves its thread");
        }
    }
}

}  // namespace fencepost
