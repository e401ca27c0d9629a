// What an access changes: the repaired rules of appendices A and B of the paper, on vector clocks (see clock.hpp).
// The location is locked by the caller.
#pragma once

#include "engine/access.hpp"
#include "engine/location.hpp"
#include "engine/psc.hpp"
#include "engine/thread.hpp"

namespace fencepost::rt {

extern unsigned history_kept;  // option history

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

// A write by the thread that wrote there last, with nothing new in between for it to pass on and nobody else there:
// only its own entries move. False: it is not so, and nothing is done.
__attribute__((always_inline)) inline bool write_again(ThreadState& thread, Location& location, const Access& access, std::uint64_t value, bool is_rmw) {
    Publication& sc = location.sc_write;
    Publication& release = location.release;
    if (sc.owner.slot() != thread.slot || sc.since != thread.sc_since || !location.sc_all.empty()) return false;
    if (access.order == SeqCst || psc_matters() || location.room <= history_kept || location.written != location.room)
        return false;
    if (thread.clocks[fence_slot] != 0 || (location.stamp & 0xffff) == 0xffff) return false;
    const bool is_own = release.owner.slot() == thread.slot && !release.mixed;
    if (releases(access.order)) {
        if (!is_own || release.since != thread.current_since) return false;
        thread.tick();
        release.owner = thread.now();
        thread.released = thread.epoch;
        thread.segment = no_segment;
    } else if (is_rmw) {
        if (thread.fence || (!is_own && !release.empty())) return false;
        thread.tick();
    } else {
        if (thread.fence) return false;
        thread.tick();
        release.owner = Event();
        release.mixed = 0;
    }
    sc.owner = thread.now();
    ++location.stamp;
    location.writes[location.first] = {Write::pack(thread.now(), access.order, is_rmw), value, thread.stack.name(access.place),
                                       fences_executed.load(std::memory_order_relaxed)};
    location.first = static_cast<std::uint8_t>(location.first + 1U == location.room ? 0 : location.first + 1U);
    return true;
}

// A read that tells the thread nothing, and tells others nothing of it, in most cases: a loop that waits.
inline void read_step(ThreadState& thread, Location& location, const Access& access) {
    Publication& all = location.sc_all;
    if (__builtin_expect(!thread.knows(location.sc_write.owner) || location.release.mixed ||
                             !thread.knows(location.release.owner) || access.order == SeqCst || psc_matters(),
                         0)) {
        read_slowly(thread, location, access);
        return;
    }
    // M_SC |_|= T_SC(t), where that is a step.
    if (all.mixed) {
        Epoch* const array = location.sc_all_array();
        if (thread.slot < all.width && array[thread.slot] >= thread.sc_since) array[thread.slot] = thread.epoch;
        else read_slowly(thread, location, access);
    } else if (all.owner) {
        if (all.owner.slot() == thread.slot && all.since == thread.sc_since) all.owner = thread.now();
        else read_slowly(thread, location, access);
    } else if (location.sc_write.owner != thread.now()) {
        read_slowly(thread, location, access);
    }
}

}  // namespace fencepost::rt
