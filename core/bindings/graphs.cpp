#include "bindings/graphs.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "graphs/enumerate.hpp"

namespace nb = nanobind;

namespace fencepost::bindings {

using namespace fencepost::graphs;

namespace {

using StepTuple = std::tuple<int, int, int, int, bool>;

std::vector<RuleStep> steps_from(const std::vector<StepTuple>& tuples) {
    std::vector<RuleStep> steps;
    for (const auto& [op, target, a, b, set] : tuples) {
        if (op < 0 || op > static_cast<int>(RuleOp::check)) throw std::invalid_argument("a model's operation is unknown");
        steps.push_back({static_cast<RuleOp>(op), target, a, b, set});
    }
    return steps;
}

nb::object as_tuple(const Graph& graph) {
    nb::list order;
    for (const auto& writes : graph.order) order.append(nb::tuple(nb::cast(writes)));
    return nb::make_tuple(nb::tuple(nb::cast(graph.paths)), nb::tuple(nb::cast(graph.sources)), nb::tuple(order));
}

nb::dict as_dict(const Result& result) {
    nb::dict out;
    out["ending"] = static_cast<int>(result.ending);
    out["executions"] = result.executions;
    out["over"] = result.over;
    out["blocked"] = result.blocked;
    out["failed"] = result.failed;
    out["cut"] = result.cut;
    out["choices"] = result.choices;
    out["skeletons"] = result.skeletons;
    nb::list states;
    for (const auto& [values, state] : result.states)
        states.append(nb::make_tuple(nb::tuple(nb::cast(values)), state.executions, as_tuple(state.graph)));
    out["states"] = states;
    nb::list judgements;
    for (const Judgement& judgement : result.judgements) {
        nb::dict checks;
        for (const auto& [check, count] : judgement.checks) checks[nb::cast(check)] = count;
        nb::object graph = judgement.found ? as_tuple(judgement.graph) : nb::none();
        judgements.append(nb::make_tuple(judgement.violations, judgement.check, graph, checks, judgement.cut_violations));
    }
    out["judgements"] = judgements;
    out["failure"] = result.has_failure ? as_tuple(result.failure) : nb::none();
    nb::list all;
    for (const Graph& graph : result.all) all.append(as_tuple(graph));
    out["all"] = all;
    return out;
}

}  // namespace

void bind_graphs(nb::module_& m) {
    nb::class_<PathProgram>(m, "PathProgram")
        .def("__init__", [](PathProgram* self, std::int64_t min_value, std::uint64_t max_value,
                            const std::vector<std::int64_t>& initial, int tags, int relations) {
            new (self) PathProgram{};
            self->min_value = min_value;
            self->max_value = static_cast<Wide>(max_value);
            for (std::int64_t value : initial)  // modulo 2^64
                self->initial.push_back(value < min_value ? static_cast<Wide>(static_cast<std::uint64_t>(value)) : value);
            self->tags = tags;
            self->relations = relations;
        })
        .def("add_expression", [](PathProgram& p, const std::vector<int>& ops, const std::vector<std::int64_t>& arguments) {
            Formula formula;
            for (std::size_t i = 0; i < ops.size(); ++i) {
                const bool word = ops[i] < 0;  // a constant of 64 unsigned bits
                const Wide argument = word ? static_cast<Wide>(static_cast<std::uint64_t>(arguments.at(i))) : arguments.at(i);
                formula.push_back({word ? ExprOp::constant : static_cast<ExprOp>(ops[i]), argument});
            }
            p.expressions.push_back(std::move(formula));
            return p.expressions.size() - 1;
        })
        .def("add_thread", [](PathProgram& p) { p.threads.emplace_back(); })
        .def("add_path", [](PathProgram& p, const std::vector<std::tuple<int, int, std::uint64_t, int>>& events,
                            const std::vector<std::pair<int, int>>& values, std::vector<int> conditions,
                            std::vector<std::vector<std::pair<int, int>>> relations, std::vector<int> observed, int end) {
            Path path;
            for (const auto& [kind, cell, tags, value] : events)
                path.events.push_back({static_cast<EventKind>(kind), cell, tags, value});
            for (const auto& [read, expression] : values) path.values.push_back({read, expression});
            path.conditions = std::move(conditions);
            path.relations = std::move(relations);
            path.observed = std::move(observed);
            path.end = static_cast<PathEnd>(end);
            p.threads.back().push_back(std::move(path));
        })
        .def("observe", [](PathProgram& p, int thread, int number) { p.observed.push_back({thread, number}); });

    nb::class_<Rules>(m, "GraphRules")
        .def("__init__", [](Rules* self, int slots, const std::vector<std::tuple<int, int, int>>& bases,
                            const std::vector<std::tuple<std::vector<int>, std::vector<StepTuple>, std::vector<int>>>& groups,
                            const std::vector<std::tuple<int, int, bool, bool>>& checks, const std::vector<StepTuple>& fixed,
                            const std::vector<StepTuple>& pruning, const std::vector<StepTuple>& full) {
            new (self) Rules{};
            self->slots = slots;
            for (const auto& [base, number, slot] : bases) self->bases.push_back({static_cast<Base>(base), number, slot});
            for (const auto& [names, body, results] : groups) self->groups.push_back({names, steps_from(body), results});
            for (const auto& [test, slot, set, negated] : checks) self->checks.push_back({static_cast<graphs::Test>(test), slot, set, negated});
            self->fixed = steps_from(fixed);
            self->pruning = steps_from(pruning);
            self->full = steps_from(full);
        });

    nb::class_<Watch>(m, "GraphWatch")
        .def(nb::init<>())
        .def("stop", [](Watch& watch) { watch.stop = true; })
        .def_prop_ro("executions", [](const Watch& watch) { return watch.executions.load(); })
        .def_prop_ro("choices", [](const Watch& watch) { return watch.choices.load(); });

    m.def("enumerate_graphs", [](const PathProgram& program, const Rules& model, const std::vector<const Rules*>& against,
                                 Watch& watch, std::uint64_t max_graphs, double max_seconds, std::uint64_t collect,
                                 std::uint64_t max_violations, std::uint64_t max_states) {
        std::vector<Rules> judges;
        for (const Rules* rules : against) judges.push_back(*rules);
        program.validate();
        model.validate(program.tags, program.relations);
        for (const Rules& rules : judges) rules.validate(program.tags, program.relations);
        Result result;
        {
            const nb::gil_scoped_release release;
            result = enumerate(program, model, judges, Limits{max_graphs, max_seconds, collect, max_violations, max_states}, watch);
        }
        return as_dict(result);
    }, nb::arg("program"), nb::arg("model"), nb::arg("against"), nb::arg("watch"), nb::kw_only(), nb::arg("max_graphs"),
       nb::arg("max_seconds"), nb::arg("collect"), nb::arg("max_violations"), nb::arg("max_states"));
}

}  // namespace fencepost::bindings
