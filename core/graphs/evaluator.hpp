// Computes the relations of a model on one execution.
#pragma once

#include <algorithm>
#include <vector>

#include "graphs/relation.hpp"
#include "graphs/rules.hpp"
#include "graphs/skeleton.hpp"

namespace fencepost::graphs {

inline constexpr int passed = -1;

template <int W>
class Evaluator {
public:
    explicit Evaluator(const Rules& rules) : rules_(&rules) {}

    // A new choice of paths.
    void begin(const Skeleton<W>& skeleton) {
        n_ = skeleton.events;
        stride_ = static_cast<std::size_t>(std::max(1, n_));  // a set needs a row even where there are no events
        rows_.assign(static_cast<std::size_t>(rules_->slots) * stride_, Bits<W>{});
        for (const BaseSlot& base : rules_->bases)
            if (base.base < Base::rf) fill(base, skeleton);
        run(rules_->fixed);
    }

    // The number of the first check that fails, or `passed`.
    int prune(const Bits<W>* rf, const Bits<W>* co, const Bits<W>* fr) { return choose(rf, co, fr), run(rules_->pruning); }
    int judge(const Bits<W>* rf, const Bits<W>* co, const Bits<W>* fr) { return choose(rf, co, fr), run(rules_->full); }

private:
    Bits<W>* at(int slot) { return rows_.data() + static_cast<std::size_t>(slot) * stride_; }

    void choose(const Bits<W>* rf, const Bits<W>* co, const Bits<W>* fr) {
        for (const BaseSlot& base : rules_->bases)
            if (base.base >= Base::rf) {
                const Bits<W>* from = base.base == Base::rf ? rf : base.base == Base::co ? co : fr;
                std::copy(from, from + n_, at(base.slot));
            }
    }

    void fill(const BaseSlot& base, const Skeleton<W>& s) {
        Bits<W>* out = at(base.slot);
        const auto number = static_cast<std::size_t>(base.number);
        const auto relation = [&](const std::vector<Bits<W>>& from) { std::copy(from.begin(), from.end(), out); };
        switch (base.base) {
            case Base::kind_r: out[0] = s.reads; break;
            case Base::kind_w: out[0] = s.writes; break;
            case Base::kind_f: out[0] = s.fences; break;
            case Base::kind_m: out[0] = s.reads | s.writes; break;
            case Base::initial: out[0] = first<W>(s.initial); break;
            case Base::tag: out[0] = s.tags[number]; break;
            case Base::everything: out[0] = first<W>(n_); break;
            case Base::identity:
                for (int i = 0; i < n_; ++i) out[i].set(i);
                break;
            case Base::po: relation(s.po); break;
            case Base::loc: relation(s.loc); break;
            case Base::same_thread: relation(s.same_thread); break;
            case Base::other_thread:
                for (int i = 0; i < n_; ++i) out[i] = ~s.same_thread[static_cast<std::size_t>(i)] & first<W>(n_);
                break;
            case Base::given: relation(s.given[number]); break;
            default: break;  // empty
        }
    }

    int run(const std::vector<RuleStep>& steps) {
        for (const RuleStep& step : steps) {
            if (step.op == RuleOp::check) {
                if (!holds(rules_->checks[static_cast<std::size_t>(step.a)])) return step.a;
            } else {
                apply(step);
            }
        }
        return passed;
    }

    bool holds(const Check& check) {
        const Bits<W>* rows = at(check.slot);
        switch (check.test) {
            case Test::acyclic: return is_acyclic<W>(rows, n_) != check.negated;
            case Test::irreflexive: return is_irreflexive<W>(rows, n_) != check.negated;
            default: return is_empty<W>(rows, check.set ? 1 : n_) != check.negated;
        }
    }

    void apply(const RuleStep& step) {
        if (step.op == RuleOp::fix) {
            solve(rules_->groups[static_cast<std::size_t>(step.a)]);
            return;
        }
        Bits<W>* out = at(step.target);
        const Bits<W>* a = at(step.a);
        const Bits<W>* b = at(step.b);
        const int rows = step.set ? 1 : n_;
        switch (step.op) {
            case RuleOp::union_:
                for (int i = 0; i < rows; ++i) out[i] = a[i] | b[i];
                break;
            case RuleOp::intersection:
                for (int i = 0; i < rows; ++i) out[i] = a[i] & b[i];
                break;
            case RuleOp::difference:
                for (int i = 0; i < rows; ++i) out[i] = a[i] & ~b[i];
                break;
            case RuleOp::complement: out[0] = ~a[0] & first<W>(n_); break;
            case RuleOp::product:
                for (int i = 0; i < n_; ++i) out[i] = a[0].test(i) ? b[0] : Bits<W>{};
                break;
            case RuleOp::only:
                for (int i = 0; i < n_; ++i) {
                    out[i] = Bits<W>{};
                    if (a[0].test(i)) out[i].set(i);
                }
                break;
            case RuleOp::domain: {
                Bits<W> set{};
                for (int i = 0; i < n_; ++i)
                    if (a[i].any()) set.set(i);
                out[0] = set;
                break;
            }
            case RuleOp::range: {
                Bits<W> set{};
                for (int i = 0; i < n_; ++i) set |= a[i];
                out[0] = set;
                break;
            }
            case RuleOp::sequence: sequence<W>(out, a, b, n_); break;
            case RuleOp::inverse: inverse<W>(out, a, n_); break;
            case RuleOp::plus:
            case RuleOp::star:
                std::copy(a, a + n_, out);
                close<W>(out, n_);
                if (step.op == RuleOp::star)
                    for (int i = 0; i < n_; ++i) out[i].set(i);
                break;
            default:  // maybe
                for (int i = 0; i < n_; ++i) {
                    out[i] = a[i];
                    out[i].set(i);
                }
        }
    }

    // By iteration from the empty relations; they only grow, as only monotone equations are compiled.
    void solve(const RuleGroup& group) {
        for (int name : group.names) std::fill(at(name), at(name) + n_, Bits<W>{});
        for (bool changed = true; changed;) {
            for (const RuleStep& step : group.body) apply(step);
            changed = false;
            for (std::size_t k = 0; k < group.names.size(); ++k) {
                const Bits<W>* from = at(group.results[k]);
                Bits<W>* to = at(group.names[k]);
                if (std::equal(from, from + n_, to)) continue;
                changed = true;
                std::copy(from, from + n_, to);
            }
        }
    }

    const Rules* rules_;
    int n_ = 0;
    std::size_t stride_ = 1;
    std::vector<Bits<W>> rows_;
};

}  // namespace fencepost::graphs
