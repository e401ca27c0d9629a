// Happens-before edges of the intercepted operations, and the points of the scheduler before them.
#pragma once

#include <cerrno>

#include "engine/engine.hpp"
#include "schedule/scheduler.hpp"

namespace fencepost::intercept {

// Where the program called the intercepted function that the thread is in: the innermost frame of its stack, should it
// be blocked there for good.
extern thread_local const void* called_from __attribute__((tls_model("initial-exec")));
#define CALLED_FROM_HERE() (::fencepost::intercept::called_from = __builtin_return_address(0))

// Connects the scheduler with the reports; once, before main.
void connect_scheduler();

inline void acquired(const void* object) { rt::sync_acquire(rt::current(), object); }
inline void releases(const void* object) { rt::sync_release(rt::current(), object); }

inline void sync_point(const void* object) { sched::point(sched::Point::Sync, object, true); }

// Tries until it works, letting others run in between. `attempt` returns 0, or EBUSY for "not now", or another error,
// which is final. Only under control.
template <class Attempt>
int until_done(const void* object, const char* why, std::uint64_t deadline, Attempt attempt) {
    sync_point(object);
    for (;;) {
        const int result = attempt();
        if (result != EBUSY) {
            sched::observed(object, 0, true);
            return result;
        }
        if (!sched::block(object, why, deadline)) return ETIMEDOUT;
    }
}

// After an operation that may let blocked threads go on.
inline void wake_all(const void* object) {
    if (sched::controlled()) {
        sched::wake(object, sched::everybody);
        sched::observed(object, 0, true);
    }
}

}  // namespace fencepost::intercept
