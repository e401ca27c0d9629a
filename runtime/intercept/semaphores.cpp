#include <pthread.h>
#include <semaphore.h>

#include <cerrno>

#include "clocks.hpp"
#include "real.hpp"
#include "sync.hpp"

namespace fencepost::intercept {

namespace {

int taking(sem_t* semaphore, int result) {
    if (result == 0) acquired(semaphore);
    return result;
}

int try_once(sem_t* semaphore) {
    if (REAL(sem_trywait)(semaphore) == 0) return 0;
    return errno == EAGAIN ? EBUSY : errno;
}

int controlled_wait(sem_t* semaphore, std::uint64_t deadline, bool valid) {
    const int error = until_done(semaphore, "waits for a semaphore", deadline, [=] {
        pthread_testcancel();
        const int result = try_once(semaphore);
        return result == EBUSY && !valid ? EINVAL : result;
    });
    if (error == 0) return taking(semaphore, 0);
    errno = error;
    return -1;
}

}  // namespace

}  // namespace fencepost::intercept

using namespace fencepost;
using namespace fencepost::intercept;

FENCEPOST_INTERCEPTOR int sem_wait(sem_t* semaphore) {
    CALLED_FROM_HERE();
    if (!sched::controlled()) return taking(semaphore, REAL(sem_wait)(semaphore));
    return controlled_wait(semaphore, sched::never, true);
}

FENCEPOST_INTERCEPTOR int sem_trywait(sem_t* semaphore) {
    sync_point(semaphore);
    const int result = REAL(sem_trywait)(semaphore);
    sched::observed(semaphore, 0, result == 0);
    return taking(semaphore, result);
}

FENCEPOST_INTERCEPTOR int sem_timedwait(sem_t* semaphore, const timespec* when) {
    CALLED_FROM_HERE();
    if (!sched::controlled()) return taking(semaphore, REAL(sem_timedwait)(semaphore, when));
    return controlled_wait(semaphore, deadline(CLOCK_REALTIME, when), is_valid(when));
}

FENCEPOST_INTERCEPTOR int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* when) {
    CALLED_FROM_HERE();
    if (!sched::controlled()) return taking(semaphore, REAL(sem_clockwait)(semaphore, clock, when));
    return controlled_wait(semaphore, deadline(clock, when), is_valid(when));
}

FENCEPOST_INTERCEPTOR int sem_post(sem_t* semaphore) {
    sync_point(semaphore);
    releases(semaphore);
    const int result = REAL(sem_post)(semaphore);
    if (result == 0) wake_all(semaphore);
    return result;
}

FENCEPOST_INTERCEPTOR int sem_destroy(sem_t* semaphore) {
    rt::sync_forget(semaphore);
    return REAL(sem_destroy)(semaphore);
}
