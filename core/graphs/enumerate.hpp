// All consistent executions of a program whose threads' paths are given, each once.
//
// Sources of reads and places of writes are chosen one by one; after each choice the model judges the part of the
// execution that is known, so that an inconsistent part is never completed. See enumerate.cpp for the order.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graphs/paths.hpp"
#include "graphs/rules.hpp"

namespace fencepost::graphs {

// One execution: which path each thread takes, what each read sees, in which order the writes to each cell come.
// Numbers are those of the events in a skeleton with these paths.
struct Graph {
    std::vector<int> paths;
    std::vector<std::pair<int, int>> sources;    // read, write
    std::vector<std::vector<int>> order;         // per accessed cell, oldest first
};

struct State {
    std::uint64_t executions = 0;
    Graph graph;  // the first
};

// Of the executions that a second model is asked about.
struct Judgement {
    std::uint64_t violations = 0;
    std::uint64_t cut_violations = 0;     // of executions that were cut short
    std::map<int, std::uint64_t> checks;  // how many fail which check first
    bool found = false;
    Graph graph;  // the first violation (one that is whole, if there is one), and the check that it fails
    bool of_cut = false;
    int check = -1;
};

enum class Ending : std::uint8_t { exhausted, graphs, time, stopped, states };

struct Result {
    Ending ending = Ending::exhausted;
    std::uint64_t executions = 0;               // consistent ones in which no thread was cut short
    std::uint64_t over = 0, blocked = 0, failed = 0, cut = 0;
    std::uint64_t choices = 0;                  // parts of executions that were judged
    std::uint64_t skeletons = 0;
    std::map<std::vector<std::int64_t>, State> states;  // of those in which every thread is over; values modulo 2^64
    std::vector<Judgement> judgements;          // in the order of the models
    bool has_failure = false;
    Graph failure;                              // the first execution in which an assertion fails
    std::vector<Graph> all;                     // as many as were asked for
};

struct Limits {
    std::uint64_t max_graphs = 0;  // 0: no limit, here and below
    double max_seconds = 0;
    std::uint64_t collect = 0;     // how many executions to return
    std::uint64_t max_violations = 0;  // stop when some model that judges has as many
    std::uint64_t max_states = 0;
};

struct Watch {
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> executions{0};
    std::atomic<std::uint64_t> choices{0};
};

// Throws std::invalid_argument if an execution has more events than can be held.
Result enumerate(const PathProgram& program, const Rules& model, const std::vector<Rules>& judges, const Limits& limits, Watch& watch);

inline constexpr int max_events = 256;

}  // namespace fencepost::graphs
