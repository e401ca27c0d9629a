// The seam of the controlled scheduler: what the rest of the runtime tells it. Until there is one, all threads run freely.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::sched {

enum class Point : std::uint8_t { Load, Store, Rmw, Fence, LocalFence, Sync, Create, Start, Join, Yield, Sleep, Exit };

inline bool controlled() { return false; }
inline void point(Point, const void*, bool) {}
inline void observed(const void*, std::uint64_t, bool) {}

struct Description {
    const char* strategy;
    std::uint64_t seed;
    unsigned depth;
    std::uint64_t expected_steps;
};
inline Description description() { return {"native", 0, 0, 0}; }
inline std::uint64_t steps() { return 0; }

}  // namespace fencepost::sched
