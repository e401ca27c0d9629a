// What is remembered of the accesses to an atomic location: the newest writes in modification order, and reads that tell
// a thread about a write which it does not know by happens-before.
//
// A stamp is the timestamp of the paper (appendix A). It wraps around: only differences between what is in one history
// count. The paper's second timestamp, which RMWs do not advance, is not needed: it grows between two writes if the later
// one is no RMW.
#pragma once

#include <cstdint>

#include "engine/clock.hpp"

namespace fencepost::rt {

using Stamp = std::uint32_t;

inline bool older(Stamp a, Stamp b) { return static_cast<std::int32_t>(a - b) < 0; }

struct Write {
    Event by;  // none: the value that was there before anybody looked
    std::uint64_t value;
    Stamp stamp;
    std::uint32_t stack;
    std::uint32_t fences;  // how many seq_cst fences there had been in the whole program
    std::uint8_t order;
    bool is_rmw : 1;
    bool is_cas : 1;
    bool is_sc : 1;
};
static_assert(sizeof(Write) == 32);

struct Read {
    Event by;
    Stamp stamp;  // of the write that was read
};

}  // namespace fencepost::rt
