// The Python face of the core: plain data in, plain data out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/coverability.hpp"
#include "bindings/graphs.hpp"
#include "search/search.hpp"

namespace nb = nanobind;
using namespace fencepost;

namespace {

nb::dict as_dict(const Discovery& discovery) {
    nb::list moves;
    for (const Move& move : discovery.moves) {
        nb::list choices;
        for (int i = 0; i < move.choice_count; ++i) choices.append(static_cast<int>(move.choices[i]));
        moves.append(nb::make_tuple(static_cast<int>(move.thread), static_cast<int>(move.instructions), nb::tuple(choices), move.delays));
    }
    nb::dict out;
    out["kind"] = static_cast<int>(discovery.kind);
    out["thread"] = discovery.thread;
    out["pc"] = discovery.pc;
    out["moves"] = moves;
    return out;
}

nb::dict as_dict(const SearchResult& result) {
    nb::dict out;
    out["ending"] = static_cast<int>(result.ending);
    out["states"] = result.states;
    out["transitions"] = result.transitions;
    out["levels"] = result.levels;
    out["bytes"] = result.bytes;
    out["undecided"] = result.undecided;
    out["not_rising"] = result.not_rising;
    out["told_apart"] = nb::make_tuple(result.told_apart_thread, result.told_apart, result.told_apart_counters);
    out["violation"] = as_dict(result.violation);
    out["assertion"] = as_dict(result.assertion);
    out["deadlock"] = as_dict(result.deadlock);
    out["range"] = as_dict(result.range);
    return out;
}

}  // namespace

NB_MODULE(_core, m) {
    m.attr("MAX_THREADS") = max_threads;
    m.attr("MAX_REGISTERS") = max_registers;
    m.attr("MAX_CELLS") = max_cells;
    m.attr("MAX_VALUE") = max_max_value;
    m.attr("MAX_INTEGER") = max_integer;

    nb::class_<Program>(m, "Program")
        .def("__init__", [](Program* self, Value max_value) {
            new (self) Program();
            self->max_value = max_value;
        }, nb::arg("max_value"))
        .def("add_cell", [](Program& p, Value initial, bool atomic, std::vector<std::uint16_t> classes, int class_count) {
            Cell cell{initial, atomic, std::move(classes), class_count};
            for (Value v = 0; v < cell.classes.size(); ++v)
                cell.run_start.push_back(v > 0 && cell.classes[v] == cell.classes[v - 1] ? cell.run_start[v - 1] : v);
            p.cells.push_back(std::move(cell));
        })
        .def("set_range", [](Program& p, std::int64_t min_value, bool wraps) {
            p.min_value = min_value;
            p.wraps = wraps;
        })
        // To the cell added last.
        .def("set_address", [](Program& p, std::int64_t address) {
            p.cells.back().address = address;
            p.cells.back().has_address = true;
        })
        // To the thread added last: at each pc, whether it has locked the memory, and what may be loaded before a flush.
        .def("set_delays", [](Program& p, std::vector<std::uint8_t> locked, std::vector<Mask> open_loads) {
            p.threads.back().locked = std::move(locked);
            p.threads.back().open_loads = std::move(open_loads);
        })
        .def("add_expression", [](Program& p, const std::vector<int>& ops, const std::vector<std::int64_t>& arguments) {
            Expr expr;
            for (std::size_t i = 0; i < ops.size(); ++i)
                expr.items.push_back({static_cast<ExprOp>(ops[i]), arguments.at(i)});
            p.expressions.push_back(std::move(expr));
            return static_cast<int>(p.expressions.size()) - 1;
        })
        .def("add_thread", [](Program& p, std::vector<Value> initial, std::vector<Mask> live, std::vector<Mask> reads,
                              std::vector<Mask> writes) {
            Thread thread;
            thread.initial = std::move(initial);
            thread.live = std::move(live);
            thread.future_reads = std::move(reads);
            thread.future_writes = std::move(writes);
            p.threads.push_back(std::move(thread));
        })
        // To the thread added last.
        .def("add_instruction", [](Program& p, int op, int rmw_op, bool acquire, bool release, bool failure_acquire, int reg,
                                   int cell, int cells, int index, int first, int second, int target,
                                   std::vector<std::int32_t> targets, Mask used, bool flushes, bool by_address) {
            Instruction i;
            i.op = static_cast<Op>(op);
            i.rmw_op = static_cast<RmwOp>(rmw_op);
            i.acquire = acquire;
            i.release = release;
            i.failure_acquire = failure_acquire;
            i.reg = reg;
            i.cell = cell;
            i.cells = cells;
            i.index = index;
            i.first = first;
            i.second = second;
            i.target = target;
            i.targets = std::move(targets);
            i.used = used;
            i.flushes = flushes;
            i.by_address = by_address;
            p.threads.back().code.push_back(std::move(i));
        }, nb::kw_only(), nb::arg("op"), nb::arg("rmw_op"), nb::arg("acquire"), nb::arg("release"),
           nb::arg("failure_acquire"), nb::arg("reg"), nb::arg("cell"), nb::arg("cells"), nb::arg("index"),
           nb::arg("first"), nb::arg("second"), nb::arg("target"), nb::arg("targets"), nb::arg("used"),
           nb::arg("flushes") = false, nb::arg("by_address") = false)
        .def("add_stale_rule", [](Program& p, int reg, int cell, std::vector<Mask> kept) {
            p.threads.back().stale_rules.push_back(StaleRule{reg, cell, std::move(kept)});
            p.cells.at(static_cast<std::size_t>(cell)).rising = true;
        })
        // Values of register `reg` that are `by` or more behind `cell` are alike.
        .def("add_lag", [](Program& p, int thread, int reg, int cell, Value by) {
            Thread& lagging = p.threads.at(static_cast<std::size_t>(thread));
            lagging.lags.resize(lagging.initial.size());
            lagging.lags.at(static_cast<std::size_t>(reg)) = Lag{cell, by};
            p.cells.at(static_cast<std::size_t>(cell)).rising = true;
        })
        .def("add_cell_lag", [](Program& p, int cell, int counter, Value by) {
            p.cells.at(static_cast<std::size_t>(cell)).lag = Lag{counter, by};
        })
        // Everything that holds its values has a lag of `by`.
        .def("set_moving", [](Program& p, int cell, Value by) {
            Cell& counter = p.cells.at(static_cast<std::size_t>(cell));
            counter.lag.by = by;
            counter.moves = counter.rising = true;
        })
        .def("add_symmetric_group", [](Program& p, std::vector<int> group) { p.symmetric.push_back(std::move(group)); });

    nb::class_<Search>(m, "Search")
        .def("run", [](Search& search) {
            SearchResult result;
            {
                const nb::gil_scoped_release release;
                result = search.run();
            }
            return as_dict(result);
        })
        .def("stop", &Search::stop)
        .def_prop_ro("states", &Search::states)
        .def_prop_ro("transitions", &Search::transitions)
        .def_prop_ro("bytes", &Search::bytes);

    m.def("create_search", [](const Program& program, const std::string& monitor, bool observational, bool dead_registers,
                              bool fuse_local, bool partial_order, bool symmetry, bool forget, bool subsume, bool compress, int workers,
                              std::uint64_t max_states, std::uint64_t max_bytes, double max_seconds,
                              const std::string& goal, bool heaviest_first) {
        SearchSpec spec;
        if (monitor == "rc20") spec.monitor = MonitorKind::rc20;
        else if (monitor == "attacks") spec.monitor = MonitorKind::attacks;
        else if (monitor != "none") throw std::invalid_argument("no monitor is called " + monitor);
        if (goal == "triangle") spec.goal = AttackGoal::triangle;
        else if (goal == "none") spec.goal = AttackGoal::none;
        else if (goal != "cycle") throw std::invalid_argument("no goal is called " + goal);
        spec.observational = observational;
        spec.forget = forget;
        spec.subsume = subsume;
        spec.compress = compress;
        spec.heaviest_first = heaviest_first;
        spec.reductions = Reductions{dead_registers, fuse_local, partial_order, symmetry};
        spec.workers = workers;
        spec.max_states = max_states;
        spec.max_bytes = max_bytes;
        spec.max_seconds = max_seconds;
        return Search::create(program, spec);
    }, nb::arg("program"), nb::kw_only(), nb::arg("monitor"), nb::arg("observational"), nb::arg("dead_registers"),
       nb::arg("fuse_local"), nb::arg("partial_order"), nb::arg("symmetry"), nb::arg("forget"), nb::arg("subsume"), nb::arg("compress"), nb::arg("workers"),
       nb::arg("max_states"), nb::arg("max_bytes"), nb::arg("max_seconds"), nb::arg("goal") = "cycle", nb::arg("heaviest_first") = false);

    bindings::bind_graphs(m);
    bindings::bind_coverability(m);
}
