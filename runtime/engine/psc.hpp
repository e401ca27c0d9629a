// seq_cst accesses as in RC11 (Lahav et al., PLDI 2017).
//
// A seq_cst access e may not take a write from which, or from what overwrites it, a path of psc leads back to e. The
// predecessors of a thread's next seq_cst event in psc+ are closed under program order among seq_cst events, so a vector
// clock describes them: Psc of the thread ("K"), with the thread's newest seq_cst access in each entry. It grows
//   - with each seq_cst access of the thread (po);
//   - at a seq_cst write to x, by the predecessors of all seq_cst accesses to x (mo, fr): `Accesses` of x;
//   - at a seq_cst read of x, by those of the write (hb on one location): `Writes` of x;
//   - with happens-before, if there is a step to another location before it (po|/=loc;hb;po|/=loc): `Flow` of x.
// seq_cst fences are RMWs on a hidden location, so they are totally ordered by happens-before: a number is enough, in the
// entry of `fence_slot`. An access after the n-th fence is taken to see all seq_cst writes that were executed before that
// fence, and a seq_cst access that comes psc-after it to see all writes: more than RC11 demands, so that what is reported
// is a violation, while some violations that mix seq_cst fences and seq_cst accesses are only found with the other
// order of the threads.
#pragma once

#include <atomic>

#include "engine/access.hpp"
#include "engine/location.hpp"
#include "engine/thread.hpp"

namespace fencepost::rt {

enum PscClock : unsigned { Accesses, Writes, Flow };

extern std::atomic<bool> psc_in_use;                 // there has been a seq_cst access, and they mean what RC11 says
extern std::atomic<std::uint32_t> fences_executed;   // seq_cst ones

inline bool psc_matters() { return __builtin_expect(psc_in_use.load(std::memory_order_relaxed), 0); }

// Whether the write, which is newer than what the access would take, must not be missed for reasons of psc.
bool psc_forbids_missing(const ThreadState& thread, const Location& location, const Access& access, const Write& write);

// Steps of an access, in this order. The location is locked.
void psc_enter(ThreadState& thread, const Location& location, bool is_sc);
void psc_sc_write(ThreadState& thread, Location& location);  // and RMW
void psc_sc_read(ThreadState& thread, Location& location);
void psc_acquire(ThreadState& thread, const Location& location);          // what the newest write released has come
void psc_acquire_later(ThreadState& thread, const Location& location);    // by a relaxed read, for an acquire fence
void psc_release(ThreadState& thread, Location& location, bool is_release, bool is_rmw, bool is_sc);

// A seq_cst write like the thread's last one to the location, with nothing learnt by the one or the other since.
inline bool psc_writes_again(const ThreadState& thread, const Location& location) {
    return thread.psc_again == location.address() && location.psc_capacity >= thread.width;
}
void psc_write_again(ThreadState& thread, Location& location);

void psc_acquire_fence(ThreadState& thread);
void psc_release_fence(ThreadState& thread);

}  // namespace fencepost::rt
