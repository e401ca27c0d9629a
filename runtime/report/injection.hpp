// Option benign_waits: a load that may miss a newer write is given the old value that the model allows. If the thread's
// next atomic access is the same load again, it was waiting for a change, and the old value only made it wait longer.
//
// Otherwise the finding is told, and, as the run is not one of SC any more, nothing else is concluded from it.
#pragma once

#include <cstdint>

#include "engine/access.hpp"

namespace fencepost::rt {

struct ThreadState;

struct Injection {
    bool is_open = false;
    unsigned depth = 0;  // of the stack
    Access access{};
    Finding finding;
};

extern bool waits_are_confirmed;  // the option; set once
extern bool run_has_left_sc;

// To be called before every atomic access and fence, and at the end of a thread.
void settle_injection(ThreadState& thread, const Access* next);

// Whether the load shall be given `finding.stale` instead of what it has read.
bool inject(ThreadState& thread, const Access& access, const Finding& finding, std::uint64_t seen);

}  // namespace fencepost::rt
