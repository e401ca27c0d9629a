// syscall(SYS_futex, ..), with which std::atomic::wait, latches, barriers and futures of libstdc++ block. Under control
// waiters are blocked on the address instead. No edges: what is read before and after is atomic itself.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>

#include "clocks.hpp"
#include "real.hpp"
#include "sync.hpp"

namespace fencepost::intercept {

namespace {

long failed(int error) {
    errno = error;
    return -1;
}

long wait(const int* word, int expected, const timespec* time, bool relative, clockid_t clock) {
    if (time != nullptr && !is_valid(time)) return failed(EINVAL);
    sync_point(word);
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != expected) return failed(EAGAIN);
    std::uint64_t until = sched::never;
    if (time != nullptr) {
        until = relative ? sched::virtual_time() + deadline(CLOCK_PROCESS_CPUTIME_ID, time) : deadline(clock, time);
    }
    return sched::block(word, "waits for a futex", until) ? 0 : failed(ETIMEDOUT);
}

// Whether it is an operation that is emulated; then `result` is what it returns.
bool emulate(const int* word, int operation, int value, const timespec* time, long& result) {
    const clockid_t clock = (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    switch (operation & FUTEX_CMD_MASK) {
        case FUTEX_WAIT: result = wait(word, value, time, true, clock); return true;
        case FUTEX_WAIT_BITSET: result = wait(word, value, time, false, clock); return true;
        case FUTEX_WAKE:
        case FUTEX_WAKE_BITSET:
            sync_point(word);
            result = sched::wake(word, value);
            sched::observed(word, 0, true);
            return true;
        default: return false;
    }
}

}  // namespace

}  // namespace fencepost::intercept

using namespace fencepost;
using namespace fencepost::intercept;

FENCEPOST_INTERCEPTOR long syscall(long number, ...) {
    CALLED_FROM_HERE();
    va_list arguments;
    va_start(arguments, number);
    long a[6];
    for (long& argument : a) argument = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_futex && sched::controlled()) {
        long result = 0;
        if (emulate(reinterpret_cast<const int*>(a[0]), static_cast<int>(a[1]), static_cast<int>(a[2]),
                    reinterpret_cast<const timespec*>(a[3]), result))
            return result;
    }
    if (number == SYS_sched_yield && sched::controlled()) {
        sched::yield();
        return 0;
    }
    return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
