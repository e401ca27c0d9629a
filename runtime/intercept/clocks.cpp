#include "clocks.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "real.hpp"
#include "sync.hpp"

namespace fencepost::intercept {

namespace {

constexpr std::uint64_t second = 1000000000;
constexpr std::uint64_t wall_start = 1767225600 * second;  // 1 January 2026
constexpr std::uint64_t other_start = 1000 * second;       // monotonic clocks do not begin with the process either
constexpr std::uint64_t longest_tick = 1000000;

// Reading a clock again and again, as a loop does that waits for a time, makes it go faster.
thread_local std::uint64_t reading_tick __attribute__((tls_model("initial-exec"))) = 1;
thread_local std::uint64_t last_reading __attribute__((tls_model("initial-exec"))) = 0;

bool is_wall(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

bool is_processor_time(clockid_t clock) {
    return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0;
}

std::uint64_t start_of(clockid_t clock) {
    return is_wall(clock) ? wall_start : is_processor_time(clock) ? 0 : other_start;
}

std::uint64_t nanoseconds(const timespec* time) {
    return static_cast<std::uint64_t>(time->tv_sec) * second + static_cast<std::uint64_t>(time->tv_nsec);
}

void read_clock(std::uint64_t value, timespec* time) {
    time->tv_sec = static_cast<time_t>(value / second);
    time->tv_nsec = static_cast<long>(value % second);
}

std::uint64_t now(clockid_t clock) {
    sched::point(sched::Point::LocalFence, nullptr, false);
    // Nothing but this thread's reading has happened since its last: it waits for a time.
    const bool again = sched::steps() - last_reading <= 4;
    reading_tick = !again ? 1 : reading_tick < longest_tick ? reading_tick * 2 : longest_tick;
    last_reading = sched::steps();
    sched::pass_time(reading_tick);
    return virtual_clock(clock);
}

void sleep_until(std::uint64_t when) {
    static const char bed = 0;
    sched::point(sched::Point::Sleep, nullptr, false);
    sched::block(&bed, "sleeps", when, sched::Point::Sleep);
    pthread_testcancel();
}

}  // namespace

std::uint64_t virtual_clock(clockid_t clock) { return start_of(clock) + sched::virtual_time(); }

std::uint64_t deadline(clockid_t clock, const timespec* when) {
    if (when->tv_sec < 0) return 0;
    if (static_cast<std::uint64_t>(when->tv_sec) > sched::never / second - 1) return sched::never - 1;
    const std::uint64_t wanted = nanoseconds(when);
    const std::uint64_t start = start_of(clock);
    return wanted > start ? wanted - start : 0;
}

bool is_valid(const timespec* time) { return time->tv_nsec >= 0 && time->tv_nsec < static_cast<long>(second); }

}  // namespace fencepost::intercept

using namespace fencepost;
using namespace fencepost::intercept;

FENCEPOST_INTERCEPTOR int clock_gettime(clockid_t clock, timespec* time) {
    if (!sched::controlled()) return REAL(clock_gettime)(clock, time);
    read_clock(now(clock), time);
    return 0;
}

FENCEPOST_INTERCEPTOR int gettimeofday(timeval* time, void* zone) {
    if (!sched::controlled()) return REAL(gettimeofday)(time, zone);
    const std::uint64_t value = now(CLOCK_REALTIME);
    time->tv_sec = static_cast<time_t>(value / second);
    time->tv_usec = static_cast<suseconds_t>(value % second / 1000);
    return 0;
}

FENCEPOST_INTERCEPTOR time_t time(time_t* result) {
    if (!sched::controlled()) return REAL(time)(result);
    const auto value = static_cast<time_t>(now(CLOCK_REALTIME) / second);
    if (result != nullptr) *result = value;
    return value;
}

FENCEPOST_INTERCEPTOR int sched_yield() {
    if (!sched::controlled()) return REAL(sched_yield)();
    sched::yield();
    return 0;
}

FENCEPOST_INTERCEPTOR int nanosleep(const timespec* request, timespec* remaining) {
    CALLED_FROM_HERE();
    CALLED_FROM_HERE();
    if (!sched::controlled()) return REAL(nanosleep)(request, remaining);
    if (request->tv_sec < 0 || !is_valid(request)) {
        errno = EINVAL;
        return -1;
    }
    sleep_until(sched::virtual_time() + nanoseconds(request));
    return 0;
}

FENCEPOST_INTERCEPTOR int clock_nanosleep(clockid_t clock, int flags, const timespec* request, timespec* remaining) {
    CALLED_FROM_HERE();
    if (!sched::controlled()) return REAL(clock_nanosleep)(clock, flags, request, remaining);
    if (request->tv_sec < 0 || !is_valid(request)) return EINVAL;
    const bool absolute = (flags & TIMER_ABSTIME) != 0;
    sleep_until(absolute ? deadline(clock, request) : sched::virtual_time() + nanoseconds(request));
    return 0;
}

FENCEPOST_INTERCEPTOR int usleep(useconds_t microseconds) {
    CALLED_FROM_HERE();
    if (!sched::controlled()) return REAL(usleep)(microseconds);
    sleep_until(sched::virtual_time() + std::uint64_t{microseconds} * 1000);
    return 0;
}

FENCEPOST_INTERCEPTOR unsigned sleep(unsigned seconds) {
    if (!sched::controlled()) return REAL(sleep)(seconds);
    sleep_until(sched::virtual_time() + seconds * second);
    return 0;
}
