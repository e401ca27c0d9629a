// Threads: their creation, their end, and who waits for it.
#include "threads.hpp"

#include <signal.h>

#include <cerrno>
#include <climits>
#include <cstdint>

#include "base/os.hpp"
#include "clocks.hpp"
#include "real.hpp"
#include "sync.hpp"

namespace fencepost::intercept {

namespace {

constexpr char why[] = "waits for a thread to end";

// What is known of a thread that can be joined, or still runs. Entries are used again, never given back.
struct Entry {
    pthread_t handle;
    rt::ThreadToken* token;
    int task;  // under control, else -1
    bool ended;
    bool detached;
    bool joining;  // somebody waits for its end, and will give the entry back
    Routine routine;
    bool returns_int;
    void* argument;
    std::size_t stack_size;
    sigset_t signals;  // that its creator has blocked
    Entry* next;
};

rt::SpinLock lock;
Entry* entries = nullptr;
Entry* unused = nullptr;
pthread_key_t end_key;
thread_local Entry* mine __attribute__((tls_model("initial-exec"))) = nullptr;

Entry* take_entry() {
    const rt::Guard guard(lock);
    Entry* entry = unused;
    if (entry != nullptr) {
        unused = entry->next;
    } else {
        entry = static_cast<Entry*>(rt::allocate_forever(sizeof(Entry), "threads"));
    }
    *entry = Entry{};
    entry->next = entries;
    entries = entry;
    return entry;
}

// With `lock` held.
void give_back(Entry* entry) {
    for (Entry** at = &entries; *at != nullptr; at = &(*at)->next) {
        if (*at != entry) continue;
        *at = entry->next;
        break;
    }
    entry->next = unused;
    unused = entry;
}

// A thread that may still be joined or detached. With `lock` held.
Entry* find(pthread_t handle) {
    for (Entry* entry = entries; entry != nullptr; entry = entry->next) {
        if (!entry->joining && pthread_equal(entry->handle, handle) != 0) return entry;
    }
    return nullptr;
}

// The destructor of a thread-specific value. It asks to be called again as long as there are rounds left, so that what
// the other destructors of the thread do is still seen.
void thread_ends(void* rounds) {
    const auto left = reinterpret_cast<long>(rounds);
    if (left > 1) {
        REAL(pthread_setspecific)(end_key, reinterpret_cast<void*>(left - 1));
        return;
    }
    {
        const rt::Guard guard(lock);
        mine->ended = true;
        if (mine->detached) give_back(mine);
    }
    rt::thread_finished();
    if (sched::controlled()) sched::leave();
}

void arm_end() {
    REAL(pthread_setspecific)(end_key, reinterpret_cast<void*>(static_cast<long>(PTHREAD_DESTRUCTOR_ITERATIONS)));
}

#if defined(__x86_64__) && defined(__GLIBC__)
// What pthread_getattr_np tells, which allocates memory in the new thread, and with it an arena of the C library. The thread's
// descriptor lies at the upper end of its stack, in the last page.
void reset_stack(std::size_t size) {
    constexpr std::uintptr_t page = 4096;
    const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(pthread_self()) | (page - 1)) + 1;
    const std::uintptr_t here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (here < end && end - here < size) rt::memory_reset(reinterpret_cast<const void*>(end - size), size);
}
#else
void reset_stack(std::size_t) {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void* base = nullptr;
    std::size_t size = 0;
    if (pthread_attr_getstack(&attributes, &base, &size) == 0) rt::memory_reset(base, size);
    pthread_attr_destroy(&attributes);
}
#endif

std::size_t stack_size(const pthread_attr_t* attributes) {
    std::size_t size = 0;
    if (attributes != nullptr) {
        pthread_attr_getstacksize(attributes, &size);
        return size;
    }
    pthread_attr_t defaults;
    if (pthread_getattr_default_np(&defaults) != 0) return 0;
    pthread_attr_getstacksize(&defaults, &size);
    pthread_attr_destroy(&defaults);
    return size;
}

void* run_thread(void* argument) {
    mine = static_cast<Entry*>(argument);
    Entry start;
    {
        const rt::Guard guard(lock);
        mine->handle = pthread_self();  // the creator may not have come to it yet
        start = *mine;
    }
    if (start.task >= 0) sched::enter(start.task);
    reset_stack(start.stack_size);
    rt::thread_started(start.token);
    arm_end();
    pthread_sigmask(SIG_SETMASK, &start.signals, nullptr);
    if (!start.returns_int) return start.routine(start.argument);
    auto* const routine = reinterpret_cast<int (*)(void*)>(reinterpret_cast<void*>(start.routine));
    return reinterpret_cast<void*>(std::intptr_t{routine(start.argument)});
}

// `join` is the real thing. Whoever joins owns the entry meanwhile: when it is over, the handle may be another
// thread's.
template <class Join>
int joining(pthread_t handle, Join join) {
    Entry* entry = nullptr;
    {
        const rt::Guard guard(lock);
        entry = find(handle);
        if (entry != nullptr) entry->joining = true;
    }
    const int error = join();
    if (entry == nullptr) return error;
    rt::ThreadToken* token = nullptr;
    {
        const rt::Guard guard(lock);
        if (error != 0) {
            entry->joining = false;
        } else {
            token = entry->token;
            give_back(entry);
        }
    }
    if (token != nullptr) rt::thread_joined(rt::current(), token);
    return error;
}

int task_of(pthread_t handle) {
    const rt::Guard guard(lock);
    const Entry* const entry = find(handle);
    return entry != nullptr ? entry->task : -1;
}

// Blocks until the thread has come to its end, under control. Returns false when `deadline` came first.
bool await_end(pthread_t handle, std::uint64_t deadline) {
    const int task = task_of(handle);
    if (task < 0 || !sched::controlled() || task == sched::self)
        return true;  // itself: an error, which the real join tells
    const void* const object = sched::join_object(task);
    sched::point(sched::Point::Join, object, false);
    while (!sched::finished(task)) {
        const bool woken = sched::block(object, why, deadline, sched::Point::Join);
        pthread_testcancel();
        if (!woken) return false;
    }
    sched::observed(object, 0, true);
    return true;
}

}  // namespace

void watch_main_thread() {
    if (REAL(pthread_key_create)(&end_key, thread_ends) != 0) rt::fail("there is no key left for the ends of threads");
    mine = take_entry();
    mine->handle = pthread_self();
    mine->token = rt::token_of(rt::current());
    mine->task = sched::controlled() ? sched::self : -1;
    arm_end();
}

void prepare_stacks() {
    constexpr unsigned count = 4;
    pthread_t threads[count];
    unsigned made = 0;
    while (made < count && REAL(pthread_create)(&threads[made], nullptr, [](void* argument) { return argument; }, nullptr) == 0) ++made;
    while (made > 0) REAL(pthread_join)(threads[--made], nullptr);
}

int create_thread(pthread_t* thread, const pthread_attr_t* attributes, Routine routine, void* argument,
                  bool returns_int) {
    sched::point(sched::Point::Create, nullptr, false);
    Entry* const entry = take_entry();
    entry->routine = routine;
    entry->argument = argument;
    entry->returns_int = returns_int;
    entry->task = -1;
    entry->stack_size = stack_size(attributes);
    int kind = PTHREAD_CREATE_JOINABLE;
    if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &kind);
    entry->detached = kind == PTHREAD_CREATE_DETACHED;
    entry->token = rt::thread_created(rt::current());
    rt::ThreadToken* const token = entry->token;
    const bool detached = entry->detached;
    if (sched::controlled()) {
        entry->task = sched::create();
        if (entry->task < 0) rt::fail("more threads than controlled scheduling can hold");
    }
    const int task = entry->task;

    // No handler runs in the new thread before the runtime knows it.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &entry->signals);
    const sigset_t before = entry->signals;
    // `entry` is the new thread's from here on: a detached one may be over before this returns.
    pthread_t handle{};
    const int result = REAL(pthread_create)(&handle, attributes, run_thread, entry);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (result != 0) {
        rt::thread_not_created(token);
        if (task >= 0) sched::cancel_creation(task);
        const rt::Guard guard(lock);
        give_back(entry);
        return result;
    }
    if (detached) rt::thread_detached(token);
    {
        const rt::Guard guard(lock);
        if (!detached) entry->handle = handle;
    }
    *thread = handle;
    sched::observed(nullptr, 0, true);
    return 0;
}

int join_thread(pthread_t thread, void** result) {
    await_end(thread, sched::never);
    return joining(thread, [=] { return REAL(pthread_join)(thread, result); });
}

int detach_thread(pthread_t thread) {
    rt::ThreadToken* token = nullptr;
    {
        const rt::Guard guard(lock);
        Entry* const entry = find(thread);
        if (entry != nullptr && !entry->detached) {
            token = entry->token;
            entry->detached = true;
            if (entry->ended) give_back(entry);
        }
    }
    if (token != nullptr) rt::thread_detached(token);
    return REAL(pthread_detach)(thread);
}

void lock_threads() { lock.lock(); }
void unlock_threads() { lock.unlock(); }

}  // namespace fencepost::intercept

using namespace fencepost;
using namespace fencepost::intercept;

FENCEPOST_INTERCEPTOR int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, Routine routine,
                                         void* argument) {
    return create_thread(thread, attributes, routine, argument, false);
}

FENCEPOST_INTERCEPTOR int pthread_join(pthread_t thread, void** result) {
    CALLED_FROM_HERE();
    return join_thread(thread, result);
}

FENCEPOST_INTERCEPTOR int pthread_detach(pthread_t thread) { return detach_thread(thread); }

// Deferred cancellation: a thread that is blocked under control looks again, and finds that it is cancelled.
FENCEPOST_INTERCEPTOR int pthread_cancel(pthread_t thread) {
    const int task = task_of(thread);
    if (task < 0 || !sched::controlled()) return REAL(pthread_cancel)(thread);
    sched::point(sched::Point::Sync, sched::join_object(task), true);
    const int result = REAL(pthread_cancel)(thread);
    sched::interrupt(task);
    return result;
}

FENCEPOST_INTERCEPTOR int pthread_tryjoin_np(pthread_t thread, void** result) {
    const int task = task_of(thread);
    if (task >= 0 && sched::controlled()) {
        sched::point(sched::Point::Join, sched::join_object(task), false);
        if (!sched::finished(task)) {
            sched::observed(sched::join_object(task), 0, false);
            return EBUSY;
        }
        return join_thread(thread, result);
    }
    return joining(thread, [=] { return REAL(pthread_tryjoin_np)(thread, result); });
}

FENCEPOST_INTERCEPTOR int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* when) {
    CALLED_FROM_HERE();
    if (sched::controlled() && task_of(thread) >= 0) {
        if (!is_valid(when)) return EINVAL;
        return await_end(thread, deadline(CLOCK_REALTIME, when)) ? join_thread(thread, result) : ETIMEDOUT;
    }
    return joining(thread, [=] { return REAL(pthread_timedjoin_np)(thread, result, when); });
}

FENCEPOST_INTERCEPTOR int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* when) {
    CALLED_FROM_HERE();
    if (sched::controlled() && task_of(thread) >= 0) {
        if (!is_valid(when)) return EINVAL;
        return await_end(thread, deadline(clock, when)) ? join_thread(thread, result) : ETIMEDOUT;
    }
    return joining(thread, [=] { return REAL(pthread_clockjoin_np)(thread, result, clock, when); });
}
