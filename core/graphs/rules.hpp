// A memory model as a program of operations on relations, compiled from its axioms (engines/graphs/rules.py).
//
// Slots hold relations, or sets of events (then row 0 only). What depends on the program's paths alone is computed once
// per choice of paths; the rest after every choice of a source or of a place in the coherence order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fencepost::graphs {

// What a model starts from.
enum class Base : std::uint8_t {
    kind_r, kind_w, kind_f, kind_m, initial, tag, everything, nothing,  // sets
    empty, identity, po, loc, same_thread, other_thread, given,         // relations that the paths determine
    rf, co, fr                                                          // and those that are chosen
};

struct BaseSlot {
    Base base;
    int number;  // of the tag, or of the given relation
    int slot;
};

enum class RuleOp : std::uint8_t {
    union_, intersection, difference, complement, product, only, domain, range, sequence, inverse, plus, star, maybe,
    fix,    // computes group a
    check,  // applies check a
};

struct RuleStep {
    RuleOp op;
    int target;
    int a;
    int b;
    bool set;  // the operands of union, intersection and difference are sets
};

// The least relations in `names` that equal `results`, which `body` computes from them.
struct RuleGroup {
    std::vector<int> names;
    std::vector<RuleStep> body;
    std::vector<int> results;
};

enum class Test : std::uint8_t { acyclic, irreflexive, empty };

struct Check {
    Test test;
    int slot;
    bool set;
    bool negated;
};

struct Rules {
    int slots = 0;
    std::vector<BaseSlot> bases;
    std::vector<RuleGroup> groups;
    std::vector<Check> checks;
    std::vector<RuleStep> fixed;    // once per choice of paths
    std::vector<RuleStep> pruning;  // for parts of executions: only checks that stay violated when more is chosen
    std::vector<RuleStep> full;     // for whole executions: all checks

    void validate(int tags, int relations) const;  // throws std::invalid_argument
};

}  // namespace fencepost::graphs
