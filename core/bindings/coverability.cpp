#include "bindings/coverability.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <utility>

#include "coverability/coverability.hpp"

namespace nb = nanobind;

namespace fencepost::bindings {

namespace {

nb::dict as_dict(const CoverabilityAnswer& answer) {
    const auto local = [](std::uint32_t number) { return number == Crowd::none ? -1 : static_cast<std::int64_t>(number); };
    nb::list path;
    for (const CoverabilityStep& step : answer.path) {
        nb::list choices;
        for (int i = 0; i < step.move.choice_count; ++i) choices.append(static_cast<int>(step.move.choices[i]));
        const auto move = nb::make_tuple(static_cast<int>(step.move.thread), static_cast<int>(step.move.instructions),
                                         nb::tuple(choices), step.move.delays);
        path.append(nb::make_tuple(move, local(step.mover), local(step.moved)));
    }
    nb::dict out;
    out["kind"] = static_cast<int>(answer.kind);
    out["path"] = path;
    out["coverable"] = static_cast<int>(answer.coverable);
    out["copies"] = answer.copies;
    out["elements"] = answer.elements;
    return out;
}

nb::dict as_dict(const CoverabilityResult& result) {
    nb::list answers;
    for (const CoverabilityAnswer& answer : result.answers) answers.append(as_dict(answer));
    nb::dict out;
    out["ending"] = static_cast<int>(result.ending);
    out["globals"] = result.globals;
    out["locals"] = result.locals;
    out["steps"] = result.steps;
    out["elements"] = result.elements;
    out["bytes"] = result.bytes;
    out["answers"] = answers;
    return out;
}

AttackGoal goal_called(const std::string& name) {
    if (name == "cycle") return AttackGoal::cycle;
    if (name == "triangle") return AttackGoal::triangle;
    if (name == "none") return AttackGoal::none;
    throw std::invalid_argument("no goal is called " + name);
}

}  // namespace

void bind_coverability(nb::module_& m) {
    nb::class_<Coverability>(m, "Coverability")
        .def("run", [](Coverability& search) {
            CoverabilityResult result;
            {
                const nb::gil_scoped_release release;
                result = search.run();
            }
            return as_dict(result);
        })
        .def("stop", &Coverability::stop)
        .def_prop_ro("states", &Coverability::states)
        .def_prop_ro("transitions", &Coverability::transitions)
        .def_prop_ro("bytes", &Coverability::bytes);

    m.def("create_coverability", [](const Program& program, const std::vector<std::pair<int, int>>& templates, const std::string& goal,
                                    bool dead_registers, bool fuse_local, bool prune, std::uint64_t max_states,
                                    std::uint64_t max_bytes, double max_seconds) {
        CoverabilitySpec spec;
        spec.goal = goal_called(goal);
        spec.reductions = Reductions{dead_registers, fuse_local, false, false};
        spec.prune = prune;
        spec.max_states = max_states;
        spec.max_bytes = max_bytes;
        spec.max_seconds = max_seconds;
        std::vector<TemplateSlots> slots;
        for (const auto& [member, attacker] : templates) slots.push_back({member, attacker});
        return std::make_unique<Coverability>(program, std::move(slots), spec);
    }, nb::arg("program"), nb::kw_only(), nb::arg("templates"), nb::arg("goal"), nb::arg("dead_registers"),
       nb::arg("fuse_local"), nb::arg("prune"), nb::arg("max_states"), nb::arg("max_bytes"), nb::arg("max_seconds"));
}

}  // namespace fencepost::bindings
