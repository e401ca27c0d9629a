#include "coverability/coverability.hpp"

#include <chrono>
#include <new>
#include <stdexcept>

#include "coverability/backward.hpp"
#include "coverability/forward.hpp"

namespace fencepost {

namespace {

// Finds out how a step is made, or an error comes about.
struct Retrace {
    void step(std::uint32_t global, std::uint32_t local, const Move& how) {
        if (found || wanted.to != global || wanted.moved != local) return;
        move = how;
        found = true;
    }
    void error(const Violation& violation) {
        if (found || wanted.to != Crowd::none || violation.kind != wanted.error) return;
        move = violation.move;
        found = true;
    }

    const CrowdStep& wanted;
    Move move{};
    bool found = false;
};

void describe(Crowd& crowd, const std::vector<CrowdStep>& path, CoverabilityAnswer& answer) {
    answer.copies.assign(static_cast<std::size_t>(crowd.templates()), 0);
    for (const CrowdStep& step : path) {
        if (step.mover != Crowd::none && crowd.is_entry(step.mover))
            ++answer.copies[static_cast<std::size_t>(crowd.template_of(step.mover))];
        Retrace retrace{step};
        crowd.expand(step.from, step.mover, retrace);
        if (!retrace.found) throw std::logic_error("a step of a crowd cannot be retraced");
        answer.path.push_back({retrace.move, step.mover, step.moved});
    }
}

}  // namespace

Coverability::Coverability(Program program, std::vector<TemplateSlots> templates, const CoverabilitySpec& spec) : spec_(spec) {
    program.validate();
    const int threads = static_cast<int>(program.threads.size());
    for (const TemplateSlots& slots : templates)
        if (slots.member < 0 || slots.member >= threads || slots.attacker < 0 || slots.attacker >= threads)
            throw std::invalid_argument("a template names a thread that is not there");
    for (const Thread& thread : program.threads) {
        const std::size_t points = static_cast<std::size_t>(thread.size()) + 1;
        if (thread.locked.size() != points || thread.open_loads.size() != points)
            throw std::invalid_argument("the analysis of delays does not cover every control point");
    }
    crowd_ = std::make_unique<Crowd>(program, std::move(templates), spec.goal, spec.reductions);
}

CoverabilityResult Coverability::run() {
    const auto started = std::chrono::steady_clock::now();
    ForwardViews views(*crowd_);
    CoverabilityResult result;
    for (const ViolationKind kind : {ViolationKind::cycle, ViolationKind::assertion, ViolationKind::range})
        result.answers.push_back(CoverabilityAnswer{kind, Coverable::undecided, {}, {}, 0});

    // Whether the budgets allow to go on.
    const auto watch = [&](std::uint64_t elements, std::uint64_t bytes) {
        result.elements = elements;
        result.bytes = std::max(result.bytes, bytes);
        states_.store(views.globals() + elements, std::memory_order_relaxed);
        transitions_.store(views.steps().size(), std::memory_order_relaxed);
        bytes_.store(bytes, std::memory_order_relaxed);
        const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        if (stop_.load(std::memory_order_relaxed)) result.ending = Ending::stopped;
        else if (spec_.max_states != 0 && views.globals() + elements > spec_.max_states) result.ending = Ending::states;
        else if (spec_.max_bytes != 0 && bytes > spec_.max_bytes) result.ending = Ending::memory;
        else if (spec_.max_seconds > 0 && spent > spec_.max_seconds) result.ending = Ending::time;
        return result.ending == Ending::exhausted;
    };

    try {
        while (!views.advance() && watch(0, crowd_->bytes() + views.bytes())) {}
        watch(0, crowd_->bytes() + views.bytes());
        std::uint64_t elements = 0;
        if (result.ending == Ending::exhausted) {
            const Predecessors predecessors(views.steps());
            const std::uint64_t before = crowd_->bytes() + views.bytes() + predecessors.bytes();
            for (CoverabilityAnswer& answer : result.answers) {
                BackwardSearch search(*crowd_, views, predecessors, spec_.prune);
                for (const CrowdStep& error : views.errors())
                    if (error.error == answer.kind) search.add_target(error);
                bool over = false;
                while (!(over = search.advance()) && watch(elements + search.elements(), before + search.bytes())) {}
                elements += search.elements();
                answer.elements = search.elements();
                if (over) answer.coverable = search.found() ? Coverable::yes : Coverable::no;
                if (search.found()) describe(*crowd_, search.path(), answer);
                if (!watch(elements, before + search.bytes())) break;
            }
        }
    } catch (const std::bad_alloc&) {
        result.ending = Ending::memory;  // Unknown for lack of memory
    } catch (const std::length_error&) {
        result.ending = Ending::memory;  // likewise, for lack of numbers for states
    }
    result.globals = views.globals();
    result.locals = crowd_->locals();
    result.steps = views.steps().size();
    return result;
}

}  // namespace fencepost
