// Which processors there are, and which of them a thread may use. A controlled process uses one (schedule/processors.hpp),
// which the program, whose choices may depend on it, is not to see.
#include <pthread.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cstring>

#include "real.hpp"
#include "schedule/processors.hpp"
#include "sync.hpp"

namespace fencepost::intercept {

namespace {

bool answer(std::size_t size, cpu_set_t* processors) {
    const cpu_set_t* const before = sched::processors_before();
    if (before == nullptr) return false;
    memset(processors, 0, size);
    memcpy(processors, before, size < sizeof *before ? size : sizeof *before);
    return true;
}

}  // namespace

}  // namespace fencepost::intercept

using namespace fencepost;
using namespace fencepost::intercept;

FENCEPOST_INTERCEPTOR int sched_getaffinity(pid_t process, std::size_t size, cpu_set_t* processors) {
    if ((process == 0 || process == getpid()) && answer(size, processors)) return 0;
    return REAL(sched_getaffinity)(process, size, processors);
}

FENCEPOST_INTERCEPTOR int sched_setaffinity(pid_t process, std::size_t size, const cpu_set_t* processors) {
    sched::forget_processors_before();
    return REAL(sched_setaffinity)(process, size, processors);
}

FENCEPOST_INTERCEPTOR int pthread_getaffinity_np(pthread_t thread, std::size_t size, cpu_set_t* processors) {
    if (answer(size, processors)) return 0;
    return REAL(pthread_getaffinity_np)(thread, size, processors);
}

FENCEPOST_INTERCEPTOR int pthread_setaffinity_np(pthread_t thread, std::size_t size, const cpu_set_t* processors) {
    sched::forget_processors_before();
    return REAL(pthread_setaffinity_np)(thread, size, processors);
}

// Of libstdc++'s std::thread::hardware_concurrency.
FENCEPOST_INTERCEPTOR int get_nprocs() {
    const cpu_set_t* const before = sched::processors_before();
    return before != nullptr ? CPU_COUNT(before) : REAL(get_nprocs)();
}

FENCEPOST_INTERCEPTOR long sysconf(int name) {
    const cpu_set_t* const before = name == _SC_NPROCESSORS_ONLN ? sched::processors_before() : nullptr;
    return before != nullptr ? CPU_COUNT(before) : REAL(sysconf)(name);
}
