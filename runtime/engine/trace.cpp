#include "engine/trace.hpp"

namespace fencepost::rt {
namespace {

// A stack that grows and shrinks while a part is gone through. What lies too deep is not kept.
struct Replay {
    static constexpr unsigned most = 256;
    std::uintptr_t frames[most];  // outermost first
    unsigned depth = 0;
    unsigned beyond = 0;

    void begin(std::uint32_t stack) {
        std::uintptr_t inner[deepest_stack];
        depth = frames_of(stack, inner, deepest_stack);
        for (unsigned i = 0; i < depth; ++i) frames[i] = inner[depth - 1 - i];
        beyond = 0;
    }
    void call(std::uintptr_t caller) {
        if (depth == most) ++beyond;
        else frames[depth++] = caller;
    }
    void leave() {
        if (beyond) --beyond;
        else if (depth) --depth;
    }
    std::uint32_t name(std::uintptr_t place) const {
        std::uintptr_t inner[deepest_stack];
        unsigned count = 0;
        inner[count++] = place;
        for (unsigned i = depth; i > 0 && count < deepest_stack; --i) inner[count++] = frames[i - 1];
        return name_of_stack(inner, count);
    }
};

}  // namespace

void Trace::begin_part(std::uint32_t stack, std::uint32_t in_segment) {
    const std::uint32_t number = begun.load(std::memory_order_relaxed);
    Part& part = ring[number % parts];
    part.stack.store(stack, std::memory_order_relaxed);
    part.segment.store(in_segment, std::memory_order_relaxed);
    begun.store(number + 1, std::memory_order_release);
    next = part.events;
    end = part.events + part_events;
}

std::uint32_t Trace::find(std::uint32_t in_segment, std::uintptr_t address) const {
    const std::uint64_t wanted = of_access(address, 0);
    const std::uint32_t last = begun.load(std::memory_order_acquire);
    const std::atomic<std::uint64_t>* const stop = next;
    std::uint32_t found = 0;
    Replay stack;
    // The oldest part may be overwritten while it is read: its owner does not wait for reports.
    for (std::uint32_t number = last > parts ? last - parts + 1 : 0; number < last; ++number) {
        const Part& part = ring[number % parts];
        stack.begin(part.stack.load(std::memory_order_relaxed));
        std::uint32_t now = part.segment.load(std::memory_order_relaxed);
        for (const std::atomic<std::uint64_t>& entry : part.events) {
            if (number + 1 == last && &entry == stop) break;
            const std::uint64_t event = entry.load(std::memory_order_relaxed);
            if (event >> 63) {
                if (now == in_segment && (event & ~place_mask) == wanted) found = stack.name(event & place_mask);
                continue;
            }
            switch (event & kind_mask) {
                case call: stack.call(event & place_mask); break;
                case ret: stack.leave(); break;
                case segment: now = static_cast<std::uint32_t>(event); break;
                default: break;
            }
        }
    }
    return found;
}

}  // namespace fencepost::rt
