// What an access changes: the repaired rules of appendices A and B of the paper, on vector clocks (see clock.hpp).
// The location is locked by the caller.
#pragma once

#include "engine/access.hpp"
#include "engine/location.hpp"
#include "engine/thread.hpp"

namespace fencepost::rt {

// Every location begins with a write that everybody knows.
void begin_history(Location& location, std::uint64_t value);

// Reads the newest write: a load, or a compare-and-swap that fails.
void read_slowly(ThreadState& thread, Location& location, const Access& access);
inline void read_step(ThreadState& thread, Location& location, const Access& access);

void write_step(ThreadState& thread, Location& location, const Access& access, std::uint64_t value);
void rmw_step(ThreadState& thread, Location& location, const Access& access, std::uint64_t value);

void fence_step(ThreadState& thread, Order order, std::uintptr_t place);

// Edges of happens-before that are not by atomics.
void acquire_step(ThreadState& thread, Location& location);
void release_step(ThreadState& thread, Location& location);

// A read that tells the thread nothing, and tells others nothing of it, in most cases: a loop that waits.
inline void read_step(ThreadState& thread, Location& location, const Access& access) {
    const Publication& all = location.sc_all;
    const bool others_know = all.empty() ? location.sc_write.owner == thread.now()
                             : all.mixed ? thread.slot < all.width && location.sc_all_array()[thread.slot] == thread.epoch
                                         : all.owner == thread.now();
    if (others_know && thread.knows(location.sc_write.owner) && !location.release.mixed &&
        thread.knows(location.release.owner) && access.order != SeqCst)
        return;
    read_slowly(thread, location, access);
}

}  // namespace fencepost::rt
