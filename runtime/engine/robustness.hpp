// The checks before an access (appendix A of the paper, "Robustness Check"), on histories.
#pragma once

#include "engine/access.hpp"
#include "engine/location.hpp"
#include "engine/thread.hpp"

namespace fencepost::rt {

// Whether a value ends the wait of the access.
bool ends_wait(const Access& access, std::uint64_t seen);

// Fills `finding`. Called only if the thread does not know the newest write by happens-before.
void check_slowly(const ThreadState& thread, const Location& location, const Access& access, Finding& finding);

inline Finding check(const ThreadState& thread, const Location& location, const Access& access) {
    Finding finding;
    const Event newest = location.sc_write.owner;
    if (__builtin_expect(!thread.knows(newest), 0)) check_slowly(thread, location, access, finding);
    return finding;
}

}  // namespace fencepost::rt
