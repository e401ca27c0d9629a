// What may be given to the enumeration, and the values of expressions.
#include <stdexcept>

#include "graphs/paths.hpp"
#include "graphs/rules.hpp"

namespace fencepost::graphs {

namespace {

void require(bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(what);
}

bool below(std::int64_t number, std::size_t count) { return number >= 0 && number < static_cast<std::int64_t>(count); }

std::uint64_t low(Wide value) { return static_cast<std::uint64_t>(value); }

Wide as_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// Operands may be unsigned 64-bit values (registers) or signed ones (results); results are signed. See program/expr.py.
Wide binary(ExprOp op, Wide a, Wide b) {
    switch (op) {
        case ExprOp::logical_or: return a != 0 || b != 0;
        case ExprOp::logical_and: return a != 0 && b != 0;
        case ExprOp::bit_or: return as_signed(low(a) | low(b));
        case ExprOp::bit_xor: return as_signed(low(a) ^ low(b));
        case ExprOp::bit_and: return as_signed(low(a) & low(b));
        case ExprOp::equal: return a == b;
        case ExprOp::not_equal: return a != b;
        case ExprOp::less: return a < b;
        case ExprOp::less_equal: return a <= b;
        case ExprOp::greater: return a > b;
        case ExprOp::greater_equal: return a >= b;
        case ExprOp::add: return as_signed(low(a) + low(b));
        case ExprOp::subtract: return as_signed(low(a) - low(b));
        case ExprOp::multiply: return as_signed(low(a) * low(b));
        case ExprOp::divide: return b == 0 ? 0 : as_signed(low(a / b));
        case ExprOp::modulo: return b == 0 ? 0 : as_signed(low(a % b));
        case ExprOp::shift_left: return as_signed(low(a) << (low(b) & 63));
        default: return as_signed(low(a) >> (low(b) & 63));  // shift_right
    }
}

int arity(ExprOp op) { return op <= ExprOp::read_value ? 0 : op <= ExprOp::complement ? 1 : 2; }

void check_steps(const Rules& rules, const std::vector<RuleStep>& steps, bool checks) {
    const auto slots = static_cast<std::size_t>(rules.slots);
    for (const RuleStep& step : steps) {
        if (step.op == RuleOp::check) {
            require(checks && below(step.a, rules.checks.size()), "a model's check is out of place");
        } else if (step.op == RuleOp::fix) {
            require(below(step.a, rules.groups.size()), "a model's recursion is out of range");
        } else {
            require(below(step.target, slots) && below(step.a, slots) && below(step.b, slots) && step.target != step.a &&
                        step.target != step.b,
                    "a model's slot is out of range");
        }
    }
}

}  // namespace

Wide evaluate(const Expr& expr, const std::vector<Wide>& values) {
    Wide stack[max_expression_depth];
    int top = -1;
    for (const ExprItem& item : expr.items) {
        switch (item.op) {
            case ExprOp::constant: stack[++top] = item.argument; break;
            case ExprOp::reg: stack[++top] = values[static_cast<std::size_t>(item.argument)]; break;
            case ExprOp::not_: stack[top] = stack[top] == 0; break;
            case ExprOp::negate: stack[top] = as_signed(0 - low(stack[top])); break;
            case ExprOp::complement: stack[top] = as_signed(~low(stack[top])); break;
            default:
                stack[top - 1] = binary(item.op, stack[top - 1], stack[top]);
                --top;
        }
    }
    return stack[0];
}

void PathProgram::validate() const {
    require(min_value <= max_value, "a range of values is empty");
    require(tags >= 0 && tags <= 64, "at most 64 kinds of events are supported");
    for (const Expr& expr : expressions) {
        int depth = 0;
        for (const ExprItem& item : expr.items) {
            require(item.op != ExprOp::read_value, "an expression names what is read");
            depth += 1 - arity(item.op);
            require(depth >= 1 && depth <= max_expression_depth, "an expression is malformed or nested too deeply");
        }
        require(depth == 1, "an expression is malformed");
    }
    for (const std::vector<Path>& paths : threads)
        for (const Path& path : paths) {
            const auto expression = [&](int id) {
                if (!below(id, expressions.size())) return false;
                for (const ExprItem& item : expressions[static_cast<std::size_t>(id)].items)
                    if (item.op == ExprOp::reg && !below(item.argument, path.values.size())) return false;
                return true;
            };
            for (const PathEvent& event : path.events) {
                if (event.kind == EventKind::fence) continue;
                require(below(event.cell, initial.size()), "an event's location is out of range");
                require(event.kind == EventKind::read ? below(event.value, path.values.size()) : expression(event.value),
                        "an event's value is out of range");
            }
            for (const PathValue& value : path.values) {
                const bool reads = below(value.read, path.events.size()) &&
                                   path.events[static_cast<std::size_t>(value.read)].kind == EventKind::read;
                require(reads || (value.read == -1 && expression(value.expression)), "a value has no source");
            }
            for (int id : path.conditions) require(expression(id), "a condition is out of range");
            for (int id : path.observed) require(expression(id), "an observed register is out of range");
            require(path.relations.size() == static_cast<std::size_t>(relations), "a path lacks a relation");
            for (const auto& pairs : path.relations)
                for (const auto& [a, b] : pairs)
                    require(below(a, path.events.size()) && below(b, path.events.size()), "a pair is out of range");
        }
    for (const Observed& what : observed) {
        require(what.thread == -1 ? below(what.number, initial.size()) : below(what.thread, threads.size()),
                "what is observed is out of range");
        if (what.thread >= 0)
            for (const Path& path : threads[static_cast<std::size_t>(what.thread)])
                require(below(what.number, path.observed.size()), "what is observed is out of range");
    }
}

void Rules::validate(int tags, int relations) const {
    const auto count = static_cast<std::size_t>(slots);
    for (const BaseSlot& base : bases) {
        require(below(base.slot, count), "a model's slot is out of range");
        require(base.base != Base::tag || below(base.number, static_cast<std::size_t>(tags)), "a model's tag is out of range");
        require(base.base != Base::given || below(base.number, static_cast<std::size_t>(relations)),
                "a model's relation is out of range");
    }
    for (const RuleGroup& group : groups) {
        require(group.names.size() == group.results.size(), "a model's recursion is malformed");
        for (int slot : group.names) require(below(slot, count), "a model's slot is out of range");
        for (int slot : group.results) require(below(slot, count), "a model's slot is out of range");
        check_steps(*this, group.body, false);
    }
    for (const Check& check : checks) require(below(check.slot, count), "a model's slot is out of range");
    check_steps(*this, fixed, false);
    check_steps(*this, pruning, true);
    check_steps(*this, full, true);
}

}  // namespace fencepost::graphs
