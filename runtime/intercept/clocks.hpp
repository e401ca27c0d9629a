// Time under control is virtual: a step takes a microsecond, and when everybody sleeps the next deadline is now.
#pragma once

#include <time.h>

#include <cstdint>

namespace fencepost::intercept {

// What `clock` shows at virtual time 0 under control: the same in every run, so that a seed means the same.
std::uint64_t virtual_clock(clockid_t clock);

// The virtual time at which `clock` shows `when`.
std::uint64_t deadline(clockid_t clock, const timespec* when);

bool is_valid(const timespec* time);

}  // namespace fencepost::intercept
