// Barriers: everybody releases before waiting, and acquires what all have released after it. Under control the real
// barrier counts nobody; how many it wants is remembered from its initialisation.
#include <pthread.h>

#include <cerrno>
#include <climits>

#include "base/os.hpp"
#include "real.hpp"
#include "sync.hpp"

namespace fencepost::intercept {

namespace {

struct Barrier {
    const void* object;
    unsigned wanted;
    unsigned arrived;
    Barrier* next;
};

rt::SpinLock lock;
Barrier* barriers = nullptr;  // entries are used again, never given back

Barrier* find(const void* object) {
    for (Barrier* barrier = barriers; barrier != nullptr; barrier = barrier->next) {
        if (barrier->object == object) return barrier;
    }
    return nullptr;
}

void remember(const void* object, unsigned wanted) {
    const rt::Guard guard(lock);
    Barrier* barrier = find(object);
    if (barrier == nullptr) barrier = find(nullptr);
    if (barrier == nullptr) {
        barrier = static_cast<Barrier*>(rt::allocate_forever(sizeof(Barrier), "barriers"));
        barrier->next = barriers;
        barriers = barrier;
    }
    barrier->object = object;
    barrier->wanted = wanted;
    barrier->arrived = 0;
}

int controlled_wait(Barrier& barrier) {
    sync_point(barrier.object);
    releases(barrier.object);
    const bool last = ++barrier.arrived == barrier.wanted;
    if (last) {
        barrier.arrived = 0;
        sched::wake(barrier.object, sched::everybody);
        sched::observed(barrier.object, 0, true);
    } else {
        sched::block(barrier.object, "waits at a barrier");
    }
    acquired(barrier.object);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

}  // namespace

}  // namespace fencepost::intercept

using namespace fencepost;
using namespace fencepost::intercept;

FENCEPOST_INTERCEPTOR int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                                               unsigned count) {
    const int result = REAL(pthread_barrier_init)(barrier, attributes, count);
    if (result == 0) remember(barrier, count);
    return result;
}

FENCEPOST_INTERCEPTOR int pthread_barrier_destroy(pthread_barrier_t* barrier) {
    {
        const rt::Guard guard(lock);
        if (Barrier* known = find(barrier)) known->object = nullptr;
    }
    rt::sync_forget(barrier);
    return REAL(pthread_barrier_destroy)(barrier);
}

FENCEPOST_INTERCEPTOR int pthread_barrier_wait(pthread_barrier_t* barrier) {
    CALLED_FROM_HERE();
    if (sched::controlled()) {
        if (Barrier* known = find(barrier)) return controlled_wait(*known);
    }
    releases(barrier);
    const int result = REAL(pthread_barrier_wait)(barrier);
    acquired(barrier);
    return result;
}
