// What is remembered of the accesses to an atomic location: the newest writes in modification order, and reads that tell
// a thread about a write which it does not know by happens-before.
//
// A stamp is the timestamp of the paper (appendix A): that of a write is the newest one's, less its age. It wraps around:
// only differences between what is in one history count. The paper's second timestamp, which RMWs do not advance, is not needed: it grows between two writes if the later
// one is no RMW.
#pragma once

#include <cstdint>

#include "engine/clock.hpp"

namespace fencepost::rt {

using Stamp = std::uint32_t;

inline bool older(Stamp a, Stamp b) { return static_cast<std::int32_t>(a - b) < 0; }

struct Write {
    // An event: none is the value that was there before anybody looked. The spare bits of its slot hold the rest.
    std::uint64_t bits;
    std::uint64_t value;
    std::uint32_t stack;
    std::uint32_t fences;  // how many seq_cst fences there had been in the whole program

    static constexpr unsigned order_shift = 12;
    static constexpr std::uint64_t rmw_bit = 1U << 15;
    static constexpr std::uint64_t extra_bits = 0xf000;

    static std::uint64_t pack(Event by, unsigned order, bool is_rmw) {
        return by.bits | order << order_shift | (is_rmw ? rmw_bit : 0);
    }
    Event by() const { return {bits & ~extra_bits}; }
    unsigned order() const { return bits >> order_shift & 7; }
    bool is_rmw() const { return bits & rmw_bit; }
};
static_assert(sizeof(Write) == 24 && most_slots <= 1U << Write::order_shift);

struct Read {
    Event by;
    Stamp stamp;  // of the write that was read
};

}  // namespace fencepost::rt
