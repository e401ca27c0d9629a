// Things that are done once: pthread_once, and the guards of static variables in functions.
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdint>

#include "real.hpp"
#include "sync.hpp"

extern "C" {
char __tsan_atomic8_load(const volatile char* address, int order);
void __tsan_atomic8_store(volatile char* address, char value, int order);
}

namespace fencepost::intercept {

namespace {

constexpr char why[] = "waits for an initialisation";

// pthread_once, under control: a thread that comes while another one is at it must not block in the C library, whose
// bits these are. A routine that leaves by an exception starts afresh, and nobody tells; so those who wait look again.
constexpr std::uint64_t look_again = 1000000;

bool is_running(const pthread_once_t* control) { return (__atomic_load_n(control, __ATOMIC_ACQUIRE) & 3) == 1; }

thread_local void (*routine)() __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local pthread_once_t* routine_control __attribute__((tls_model("initial-exec"))) = nullptr;

// What is released here is acquired by all who find it done. A routine that leaves by an exception releases nothing (no
// handler of exceptions may stand here: C programs have no C++ runtime).
void run_routine() {
    pthread_once_t* const control = routine_control;
    routine();
    releases(control);
}

int call_real(pthread_once_t* control, void (*wanted)()) {
    routine = wanted;
    routine_control = control;
    const int result = REAL(pthread_once)(control, run_routine);
    acquired(control);
    return result;
}

// Guards, as in the C++ ABI and with libstdc++'s bits: the first byte says that the variable is there.
constexpr std::uint32_t done = 1;
constexpr std::uint32_t pending = 1U << 8;
constexpr std::uint32_t awaited = 1U << 16;

std::uint32_t* word(std::int64_t* guard) { return reinterpret_cast<std::uint32_t*>(guard); }

void end_guard(std::int64_t* guard) {
    const std::uint32_t before = __atomic_fetch_and(word(guard), done, __ATOMIC_ACQ_REL);
    if (sched::controlled()) {
        wake_all(guard);
    } else if ((before & awaited) != 0) {
        REAL(syscall)(SYS_futex, guard, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
    }
}

}  // namespace

}  // namespace fencepost::intercept

using namespace fencepost;
using namespace fencepost::intercept;

FENCEPOST_INTERCEPTOR int pthread_once(pthread_once_t* control, void (*wanted)()) {
    CALLED_FROM_HERE();
    if (!sched::controlled()) return call_real(control, wanted);
    sync_point(control);
    while (is_running(control)) sched::block(control, why, sched::virtual_time() + look_again);
    const int result = call_real(control, wanted);
    wake_all(control);
    return result;
}

// The program reads the first byte by an instrumented load, so that byte is written, and read, as the program would.

FENCEPOST_INTERCEPTOR int __cxa_guard_acquire(std::int64_t* guard) {
    CALLED_FROM_HERE();
    for (;;) {
        if ((__tsan_atomic8_load(reinterpret_cast<volatile char*>(guard), __ATOMIC_ACQUIRE) & done) != 0) return 0;
        std::uint32_t seen = 0;
        if (__atomic_compare_exchange_n(word(guard), &seen, pending, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            acquired(guard);  // of an attempt before this one that failed
            return 1;
        }
        if ((seen & done) != 0) continue;
        if (sched::controlled()) {
            sched::block(guard, why);
            continue;
        }
        if ((seen & awaited) == 0 &&
            !__atomic_compare_exchange_n(word(guard), &seen, seen | awaited, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        REAL(syscall)(SYS_futex, guard, FUTEX_WAIT_PRIVATE, pending | awaited, nullptr, nullptr, 0);
    }
}

FENCEPOST_INTERCEPTOR void __cxa_guard_release(std::int64_t* guard) {
    __tsan_atomic8_store(reinterpret_cast<volatile char*>(guard), done, __ATOMIC_RELEASE);
    end_guard(guard);
}

FENCEPOST_INTERCEPTOR void __cxa_guard_abort(std::int64_t* guard) {
    sync_point(guard);
    releases(guard);
    end_guard(guard);
}
