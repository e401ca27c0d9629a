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
// only its own entries move.
__attribute__((always_inline)) inline bool writes_again(const ThreadState& thread, const Location& location, Order order, bool is_rmw) {
    const Publication& sc = location.sc_write;
    if (sc.owner.slot() != thread.slot || sc.since != thread.sc_since || !location.sc_all.empty()) return false;
    if (location.room <= history_kept || location.written != location.room || location.plain_seen || location.is_mixed)
        return false;
    if (__builtin_expect(order == SeqCst, 0)) {
        if (!psc_writes_again(thread, location)) return false;
    } else if (psc_matters()) {
        return false;
    }
    if (thread.clocks[fence_slot] != 0 || (location.stamp & 0xffff) == 0xffff) return false;
    const Publication& release = location.release;
    const bool is_own = release.owner.slot() == thread.slot && !release.mixed;
    if (releases(order)) return is_own && release.since == thread.current_since;
    return !thread.fence && (!is_rmw || is_own || release.empty());
}
__attribute__((always_inline)) inline void write_again(ThreadState& thread, Location& location, Order order, std::uintptr_t place,
                                                       std::uint64_t value, bool is_rmw) {
    thread.tick();
    if (__builtin_expect(order == SeqCst, 0)) psc_write_again(thread, location);
    if (releases(order)) {
        location.release.owner = thread.now();
        thread.released = thread.epoch;
        thread.segment = no_segment;
    } else if (!is_rmw) {
        location.release.owner = Event();
        location.release.mixed = 0;
    }
    location.sc_write.owner = thread.now();
    ++location.stamp;
    location.writes[location.first] = {Write::pack(thread.now(), order, is_rmw), value, thread.stack.name(place),
                                       fences_executed.load(std::memory_order_relaxed)};
    location.first = static_cast<std::uint8_t>(location.first + 1U == location.room ? 0 : location.first + 1U);
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

// The location of a read like one that the thread has done, if since then the thread has neither learnt nor done anything
// that others might learn of; null if not. If the location has not changed either, the read is no event at all.
inline Location* read_again(const ThreadState& thread, std::uintptr_t address, unsigned size, Order order) {
    const RecentRead& recent = const_cast<ThreadState&>(thread).recent_read(address);
    if (recent.key != Location::key_of(address, size, false) || recent.epoch != thread.epoch || order == SeqCst || psc_matters()) return nullptr;
    return recent.has_acquired || order == Relaxed ? recent.location : nullptr;
}
// Asked after the value is read, and without the lock: who is about to write says so first.
inline bool is_unchanged(const ThreadState& thread, std::uintptr_t address, const Location& location) {
    const RecentRead& recent = const_cast<ThreadState&>(thread).recent_read(address);
    return recent.version == location.version.load(std::memory_order_relaxed);
}
inline void remember_as_recent(ThreadState& thread, const Location& location, Order order) {
    if (location.plain_seen || location.is_mixed || order == SeqCst) return;  // those are looked at each time
    const bool has_acquired = acquires(order) || location.release.empty() ||
                              (!location.release.mixed && thread.knows(location.release.owner));
    thread.recent_read(location.address()) = {location.key.load(std::memory_order_relaxed), const_cast<Location*>(&location), thread.epoch,
                                              location.version.load(std::memory_order_relaxed), has_acquired};
}

}  // namespace fencepost::rt
