// The threads' control-flow paths, as models/axiomatic/paths.py lists them: what an execution is put together from.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "machine/program.hpp"

namespace fencepost::graphs {

// Values of registers up to 64 bits without a sign, and intermediate results with one, as in program/expr.py.
__extension__ typedef __int128 Wide;

enum class EventKind : std::uint8_t { read, write, fence };

struct PathEvent {
    EventKind kind;
    int cell;             // -1 for a fence
    std::uint64_t tags;
    int value;            // of a read: the number of the value; of a write: an expression; -1 for a fence
};

struct PathValue {
    int read;        // the event that reads it, or -1
    int expression;  // what it is computed from, or -1
};

enum class PathEnd : std::uint8_t { over, blocked, failed, cut };

struct Path {
    std::vector<PathEvent> events;
    std::vector<PathValue> values;
    std::vector<int> conditions;                                // expressions: all must not be zero
    std::vector<std::vector<std::pair<int, int>>> relations;    // by number, between the path's events
    std::vector<int> observed;                                  // expressions: final values of the observed registers
    PathEnd end = PathEnd::over;
};

// Part of what tells final states apart.
struct Observed {
    int thread;  // -1: memory
    int number;  // of the thread's observed registers, or the cell
};

struct PathProgram {
    Wide min_value = 0;  // values wrap around between the two
    Wide max_value = 255;
    std::vector<Wide> initial;           // of the cells
    std::vector<Expr> expressions;       // `reg` stands for a value of the path
    std::vector<std::vector<Path>> threads;
    std::vector<Observed> observed;
    int tags = 0;
    int relations = 0;

    Wide wrap(Wide value) const {
        const Wide range = max_value - min_value + 1;
        const Wide rest = (value - min_value) % range;
        return (rest < 0 ? rest + range : rest) + min_value;
    }

    void validate() const;  // throws std::invalid_argument
};

// Assumes that the values which the expression names are known.
Wide evaluate(const Expr& expr, const std::vector<Wide>& values);

}  // namespace fencepost::graphs
