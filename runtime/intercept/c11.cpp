// The threads of C11. glibc's do not call the pthread functions that a program can replace, so these do; the types are
// laid out alike in glibc.
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>

#include "mutexes.hpp"
#include "real.hpp"
#include "sync.hpp"
#include "threads.hpp"

namespace {

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));
static_assert(sizeof(once_flag) == sizeof(pthread_once_t) && sizeof(thrd_t) == sizeof(pthread_t));

pthread_mutex_t* mutex_of(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* condition_of(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

int result_of(int error) {
    switch (error) {
        case 0: return thrd_success;
        case ENOMEM: return thrd_nomem;
        case ETIMEDOUT: return thrd_timedout;
        case EBUSY: return thrd_busy;
        default: return thrd_error;
    }
}

}  // namespace

using namespace fencepost::intercept;

FENCEPOST_INTERCEPTOR int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
    auto* const any = reinterpret_cast<Routine>(reinterpret_cast<void*>(routine));
    const int error = create_thread(thread, nullptr, any, argument, true);
    return error == EAGAIN ? thrd_nomem : result_of(error);
}

FENCEPOST_INTERCEPTOR int thrd_join(thrd_t thread, int* result) {
    CALLED_FROM_HERE();
    void* value = nullptr;
    const int error = join_thread(thread, &value);
    if (result != nullptr) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
    return result_of(error);
}

FENCEPOST_INTERCEPTOR int thrd_detach(thrd_t thread) { return result_of(detach_thread(thread)); }

FENCEPOST_INTERCEPTOR void thrd_exit(int result) { pthread_exit(reinterpret_cast<void*>(std::intptr_t{result})); }

FENCEPOST_INTERCEPTOR void thrd_yield() { sched_yield(); }

FENCEPOST_INTERCEPTOR int thrd_sleep(const timespec* duration, timespec* remaining) {
    if (nanosleep(duration, remaining) == 0) return 0;
    return errno == EINTR ? -1 : -2;
}

FENCEPOST_INTERCEPTOR int mtx_lock(mtx_t* mutex) {
    CALLED_FROM_HERE();
    return result_of(lock_mutex(mutex_of(mutex)));
}
FENCEPOST_INTERCEPTOR int mtx_unlock(mtx_t* mutex) { return result_of(unlock_mutex(mutex_of(mutex))); }
FENCEPOST_INTERCEPTOR int mtx_trylock(mtx_t* mutex) { return result_of(pthread_mutex_trylock(mutex_of(mutex))); }
FENCEPOST_INTERCEPTOR void mtx_destroy(mtx_t* mutex) { pthread_mutex_destroy(mutex_of(mutex)); }

FENCEPOST_INTERCEPTOR int mtx_timedlock(mtx_t* mutex, const timespec* when) {
    CALLED_FROM_HERE();
    return result_of(pthread_mutex_timedlock(mutex_of(mutex), when));
}

FENCEPOST_INTERCEPTOR int cnd_wait(cnd_t* condition, mtx_t* mutex) {
    CALLED_FROM_HERE();
    return result_of(pthread_cond_wait(condition_of(condition), mutex_of(mutex)));
}

FENCEPOST_INTERCEPTOR int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* when) {
    CALLED_FROM_HERE();
    return result_of(pthread_cond_timedwait(condition_of(condition), mutex_of(mutex), when));
}

FENCEPOST_INTERCEPTOR int cnd_signal(cnd_t* condition) {
    return result_of(pthread_cond_signal(condition_of(condition)));
}

FENCEPOST_INTERCEPTOR int cnd_broadcast(cnd_t* condition) {
    return result_of(pthread_cond_broadcast(condition_of(condition)));
}

FENCEPOST_INTERCEPTOR void cnd_destroy(cnd_t* condition) { pthread_cond_destroy(condition_of(condition)); }

FENCEPOST_INTERCEPTOR void call_once(once_flag* flag, void (*routine)()) {
    CALLED_FROM_HERE();
    pthread_once(reinterpret_cast<pthread_once_t*>(flag), routine);
}
