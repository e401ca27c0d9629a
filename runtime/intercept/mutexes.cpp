#include "mutexes.hpp"

#include <cerrno>

#include "clocks.hpp"
#include "real.hpp"
#include "sync.hpp"

namespace fencepost::intercept {

namespace {

constexpr char why_mutex[] = "waits for a mutex";
constexpr char why_rwlock[] = "waits for a read-write lock";

// EOWNERDEAD: the lock is taken, and its last owner died with it.
bool taken(int result) { return result == 0 || result == EOWNERDEAD; }

int taking(const void* object, int result) {
    if (taken(result)) acquired(object);
    return result;
}

// A try that fails shows that the object is as it was: who tries in a loop spins.
int tried(const void* object, int result) {
    sched::observed(object, static_cast<std::uint64_t>(result), taken(result));
    return taking(object, result);
}

int timed_lock(pthread_mutex_t* mutex, clockid_t clock, const timespec* when) {
    return until_done(mutex, why_mutex, deadline(clock, when), [=] {
        const int result = REAL(pthread_mutex_trylock)(mutex);
        return result == EBUSY && !is_valid(when) ? EINVAL : result;
    });
}

}  // namespace

int lock_mutex(pthread_mutex_t* mutex) {
    if (!sched::controlled()) return taking(mutex, REAL(pthread_mutex_lock)(mutex));
    bool first = true;
    return taking(mutex, until_done(mutex, why_mutex, sched::never, [&] {
                      // An error-checking mutex says EDEADLK to its owner, where trylock only says EBUSY. A normal one
                      // that its owner locks again blocks for good, as it would without the tool.
                      const int result = REAL(pthread_mutex_trylock)(mutex);
                      if (result != EBUSY || !first) return result;
                      first = false;
                      static const timespec past = {0, 0};
                      const int precise = REAL(pthread_mutex_timedlock)(mutex, &past);
                      return precise == ETIMEDOUT ? EBUSY : precise;
                  }));
}

int unlock_mutex(pthread_mutex_t* mutex) {
    sync_point(mutex);
    releases(mutex);
    const int result = REAL(pthread_mutex_unlock)(mutex);
    if (result == 0) wake_all(mutex);
    return result;
}

void mutex_taken(pthread_mutex_t* mutex, int result) { taking(mutex, result); }

}  // namespace fencepost::intercept

using namespace fencepost;
using namespace fencepost::intercept;

FENCEPOST_INTERCEPTOR int pthread_mutex_lock(pthread_mutex_t* mutex) {
    CALLED_FROM_HERE();
    return lock_mutex(mutex);
}
FENCEPOST_INTERCEPTOR int pthread_mutex_unlock(pthread_mutex_t* mutex) { return unlock_mutex(mutex); }

FENCEPOST_INTERCEPTOR int pthread_mutex_trylock(pthread_mutex_t* mutex) {
    sync_point(mutex);
    return tried(mutex, REAL(pthread_mutex_trylock)(mutex));
}

FENCEPOST_INTERCEPTOR int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* when) {
    CALLED_FROM_HERE();
    if (!sched::controlled()) return taking(mutex, REAL(pthread_mutex_timedlock)(mutex, when));
    return taking(mutex, timed_lock(mutex, CLOCK_REALTIME, when));
}

FENCEPOST_INTERCEPTOR int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* when) {
    CALLED_FROM_HERE();
    if (!sched::controlled()) return taking(mutex, REAL(pthread_mutex_clocklock)(mutex, clock, when));
    return taking(mutex, timed_lock(mutex, clock, when));
}

FENCEPOST_INTERCEPTOR int pthread_mutex_destroy(pthread_mutex_t* mutex) {
    sync_point(mutex);
    const int result = REAL(pthread_mutex_destroy)(mutex);
    if (result == 0) rt::sync_forget(mutex);
    return result;
}

// Spin locks

FENCEPOST_INTERCEPTOR int pthread_spin_lock(pthread_spinlock_t* lock) {
    CALLED_FROM_HERE();
    const void* object = const_cast<int*>(lock);
    if (!sched::controlled()) return taking(object, REAL(pthread_spin_lock)(lock));
    return taking(object, until_done(object, "waits for a spin lock", sched::never,
                                     [=] { return REAL(pthread_spin_trylock)(lock); }));
}

FENCEPOST_INTERCEPTOR int pthread_spin_trylock(pthread_spinlock_t* lock) {
    const void* object = const_cast<int*>(lock);
    sync_point(object);
    return tried(object, REAL(pthread_spin_trylock)(lock));
}

FENCEPOST_INTERCEPTOR int pthread_spin_unlock(pthread_spinlock_t* lock) {
    const void* object = const_cast<int*>(lock);
    sync_point(object);
    releases(object);
    const int result = REAL(pthread_spin_unlock)(lock);
    wake_all(object);
    return result;
}

FENCEPOST_INTERCEPTOR int pthread_spin_destroy(pthread_spinlock_t* lock) {
    rt::sync_forget(const_cast<int*>(lock));
    return REAL(pthread_spin_destroy)(lock);
}

// Read-write locks. A reader's unlock is ordered before the next writer's lock, so it releases like a writer's.

FENCEPOST_INTERCEPTOR int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
    CALLED_FROM_HERE();
    if (!sched::controlled()) return taking(lock, REAL(pthread_rwlock_rdlock)(lock));
    return taking(lock,
                  until_done(lock, why_rwlock, sched::never, [=] { return REAL(pthread_rwlock_tryrdlock)(lock); }));
}

FENCEPOST_INTERCEPTOR int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
    CALLED_FROM_HERE();
    if (!sched::controlled()) return taking(lock, REAL(pthread_rwlock_wrlock)(lock));
    return taking(lock,
                  until_done(lock, why_rwlock, sched::never, [=] { return REAL(pthread_rwlock_trywrlock)(lock); }));
}

FENCEPOST_INTERCEPTOR int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
    sync_point(lock);
    return tried(lock, REAL(pthread_rwlock_tryrdlock)(lock));
}

FENCEPOST_INTERCEPTOR int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
    sync_point(lock);
    return tried(lock, REAL(pthread_rwlock_trywrlock)(lock));
}

namespace {

int timed_read(pthread_rwlock_t* lock, clockid_t clock, const timespec* when) {
    return taking(lock, until_done(lock, why_rwlock, deadline(clock, when),
                                   [=] { return REAL(pthread_rwlock_tryrdlock)(lock); }));
}

int timed_write(pthread_rwlock_t* lock, clockid_t clock, const timespec* when) {
    return taking(lock, until_done(lock, why_rwlock, deadline(clock, when),
                                   [=] { return REAL(pthread_rwlock_trywrlock)(lock); }));
}

}  // namespace

FENCEPOST_INTERCEPTOR int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* when) {
    CALLED_FROM_HERE();
    if (!sched::controlled()) return taking(lock, REAL(pthread_rwlock_timedrdlock)(lock, when));
    return timed_read(lock, CLOCK_REALTIME, when);
}

FENCEPOST_INTERCEPTOR int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* when) {
    CALLED_FROM_HERE();
    if (!sched::controlled()) return taking(lock, REAL(pthread_rwlock_timedwrlock)(lock, when));
    return timed_write(lock, CLOCK_REALTIME, when);
}

FENCEPOST_INTERCEPTOR int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* when) {
    CALLED_FROM_HERE();
    if (!sched::controlled()) return taking(lock, REAL(pthread_rwlock_clockrdlock)(lock, clock, when));
    return timed_read(lock, clock, when);
}

FENCEPOST_INTERCEPTOR int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* when) {
    CALLED_FROM_HERE();
    if (!sched::controlled()) return taking(lock, REAL(pthread_rwlock_clockwrlock)(lock, clock, when));
    return timed_write(lock, clock, when);
}

FENCEPOST_INTERCEPTOR int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
    sync_point(lock);
    releases(lock);
    const int result = REAL(pthread_rwlock_unlock)(lock);
    if (result == 0) wake_all(lock);
    return result;
}

FENCEPOST_INTERCEPTOR int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
    rt::sync_forget(lock);
    return REAL(pthread_rwlock_destroy)(lock);
}
