// Condition variables. Under control the real ones are not used: who waits is blocked on the object's address, and a
// signal wakes who has waited longest. They make no edges of their own; the mutex does.
#include <pthread.h>

#include <cerrno>

#include "clocks.hpp"
#include "mutexes.hpp"
#include "real.hpp"
#include "sync.hpp"

namespace fencepost::intercept {

namespace {

// dlsym finds an older kind of condition variable, from before glibc 2.3.2, where there is one.
constexpr char version[] = "GLIBC_2.3.2";

#define REAL_COND(function) (real_function<#function, decltype(::function)>(version))

int controlled_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, std::uint64_t deadline) {
    // Nobody runs between the unlock and the wait: no signal is lost.
    sync_point(condition);
    releases(mutex);
    const int unlocked = REAL(pthread_mutex_unlock)(mutex);
    if (unlocked != 0) return unlocked;
    wake_all(mutex);
    const bool signalled = sched::block(condition, "waits for a condition variable", deadline);
    const int locked = lock_mutex(mutex);
    pthread_testcancel();
    if (locked != 0) return locked;
    return signalled ? 0 : ETIMEDOUT;
}

int signal(pthread_cond_t* condition, int count) {
    sync_point(condition);
    sched::wake(condition, count);
    sched::observed(condition, 0, true);
    return 0;
}

clockid_t clock_of(const pthread_cond_t* condition) {
    // Where glibc keeps what pthread_condattr_setclock said; the layout is part of its ABI.
    return (condition->__data.__wrefs & 2U) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

template <class Wait>
int native_wait(pthread_mutex_t* mutex, Wait wait) {
    releases(mutex);
    const int result = wait();
    mutex_taken(mutex, result == ETIMEDOUT ? 0 : result);
    return result;
}

}  // namespace

}  // namespace fencepost::intercept

using namespace fencepost;
using namespace fencepost::intercept;

FENCEPOST_INTERCEPTOR int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    CALLED_FROM_HERE();
    if (sched::controlled()) return controlled_wait(condition, mutex, sched::never);
    return native_wait(mutex, [=] { return REAL_COND(pthread_cond_wait)(condition, mutex); });
}

FENCEPOST_INTERCEPTOR int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                                 const timespec* when) {
    CALLED_FROM_HERE();
    if (!sched::controlled())
        return native_wait(mutex, [=] { return REAL_COND(pthread_cond_timedwait)(condition, mutex, when); });
    if (!is_valid(when)) return EINVAL;
    return controlled_wait(condition, mutex, deadline(clock_of(condition), when));
}

FENCEPOST_INTERCEPTOR int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                                 const timespec* when) {
    CALLED_FROM_HERE();
    if (!sched::controlled())
        return native_wait(mutex, [=] { return REAL(pthread_cond_clockwait)(condition, mutex, clock, when); });
    if (!is_valid(when)) return EINVAL;
    return controlled_wait(condition, mutex, deadline(clock, when));
}

FENCEPOST_INTERCEPTOR int pthread_cond_signal(pthread_cond_t* condition) {
    return sched::controlled() ? signal(condition, 1) : REAL_COND(pthread_cond_signal)(condition);
}

FENCEPOST_INTERCEPTOR int pthread_cond_broadcast(pthread_cond_t* condition) {
    return sched::controlled() ? signal(condition, sched::everybody) : REAL_COND(pthread_cond_broadcast)(condition);
}

FENCEPOST_INTERCEPTOR int pthread_cond_destroy(pthread_cond_t* condition) {
    // The real one would wait for waiters that it has never seen; under control there are none in it.
    return REAL_COND(pthread_cond_destroy)(condition);
}
