#include "report/path.hpp"

#include "engine/threads.hpp"

namespace fencepost::rt {
namespace {

// What the thread has learnt at `except`, the location of the write, does not count: that is the access in question.
// Goes back from (thread, epoch) along edges until the thread of the write; depth first, a few edges wide.
unsigned search(const ThreadState& thread, Epoch until, Event write, std::uintptr_t except, Step* steps, unsigned room,
                unsigned& budget) {
    if (room == 0 || budget == 0) return 0;
    --budget;
    const unsigned made = thread.edges_made.load(std::memory_order_acquire);
    const unsigned kept = made < ThreadState::edges_kept ? made : ThreadState::edges_kept;
    const auto step_of = [&thread](const Edge& edge) {
        return Step{thread.number, static_cast<Kind>(edge.kind.load(std::memory_order_relaxed)),
                    static_cast<Order>(edge.order.load(std::memory_order_relaxed)),
                    edge.address.load(std::memory_order_relaxed), edge.stack.load(std::memory_order_relaxed)};
    };
    // The oldest edge from the write's own thread is the way to tell, if there is one.
    for (unsigned back = kept; back > 0; --back) {
        const Edge& edge = thread.edges[(made - back) % ThreadState::edges_kept];
        const Event from{edge.from.load(std::memory_order_relaxed)};
        if (edge.epoch.load(std::memory_order_relaxed) > until || from.slot() != write.slot()) continue;
        if (from.epoch() < write.epoch() || edge.address.load(std::memory_order_relaxed) == except) continue;
        steps[0] = step_of(edge);
        return 1;
    }
    for (unsigned back = 1; back <= kept; ++back) {
        const Edge& edge = thread.edges[(made - back) % ThreadState::edges_kept];
        const Event from{edge.from.load(std::memory_order_relaxed)};
        if (edge.epoch.load(std::memory_order_relaxed) > until || !from) continue;
        if (edge.address.load(std::memory_order_relaxed) == except) continue;
        const ThreadState* const other = thread_of_slot(from.slot());
        if (!other || other == &thread) continue;
        const unsigned count = search(*other, from.epoch(), write, 0, steps, room - 1, budget);
        if (count == 0) continue;
        steps[count] = step_of(edge);
        return count + 1;
    }
    return 0;
}

}  // namespace

unsigned path_between(const ThreadState& thread, Event write, std::uintptr_t address, Step* steps) {
    if (!write) return 0;
    unsigned budget = 200;
    return search(thread, thread.epoch, write, address, steps, longest_path, budget);
}

}  // namespace fencepost::rt
