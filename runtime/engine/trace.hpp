// The newest events of a thread that matter for plain accesses: where they were, and calls and returns, so that the stack
// of an access that turns out to race can be told. A ring of parts; each begins with the stack as it was then.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/stacks.hpp"

namespace fencepost::rt {

struct Trace {
    static constexpr unsigned parts = 8;
    static constexpr unsigned part_events = 2048;

    struct Part {
        std::atomic<std::uint32_t> stack;    // at its beginning
        std::atomic<std::uint32_t> segment;  // at its beginning
        std::atomic<std::uint64_t> events[part_events];
    };

    std::atomic<std::uint64_t>* next = nullptr;  // where the next event goes
    std::atomic<std::uint64_t>* end = nullptr;   // of the part
    std::atomic<std::uint32_t> begun{0};         // parts so far
    Part ring[parts];

    // An access: eight bytes by some bits of their number, and the place.
    static std::uint64_t of_access(std::uintptr_t address, std::uintptr_t place) {
        return std::uint64_t{1} << 63 | (address >> 3 & 0x7fff) << 48 | (place & place_mask);
    }
    static constexpr std::uint64_t place_mask = (std::uint64_t{1} << 48) - 1;
    static constexpr std::uint64_t call = std::uint64_t{1} << 60;
    static constexpr std::uint64_t ret = std::uint64_t{2} << 60;
    static constexpr std::uint64_t segment = std::uint64_t{3} << 60;
    static constexpr std::uint64_t kind_mask = std::uint64_t{7} << 60;

    bool is_full() const { return next == end; }
    void put(std::uint64_t event) {  // not if it is full
        next->store(event, std::memory_order_relaxed);
        ++next;
    }
    void begin_part(std::uint32_t stack, std::uint32_t in_segment);

    // The name of the stack of the newest such access in the segment; 0: not remembered.
    std::uint32_t find(std::uint32_t in_segment, std::uintptr_t address) const;
};

}  // namespace fencepost::rt
