#include "base/busy.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/os.hpp"

namespace fencepost::rt {

constinit thread_local int busy __attribute__((tls_model("initial-exec"))) = 0;
constinit thread_local int held_back __attribute__((tls_model("initial-exec"))) = 0;
void (*deliver_signals)() = nullptr;
bool world_stops = false;

namespace {

thread_local bool stops_world __attribute__((tls_model("initial-exec"))) = false;

bool is_registered = false;

}  // namespace

bool can_fence_everybody() {
    if (!is_registered) is_registered = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    return is_registered;
}

void fence_everybody() {
    for (int tries = 0; tries < 2; ++tries) {
        if (!can_fence_everybody()) break;
        if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return;
        is_registered = false;  // in the child of a fork, for all we know
    }
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0) return;
    const timespec moment = {0, 10000000};  // where the kernel has no such call, store buffers drain in this time
    syscall(SYS_nanosleep, &moment, nullptr);
}

void step_aside() {
    if (busy > 1 || stops_world) return;  // inside already: it comes out by itself
    while (__atomic_load_n(&world_stops, __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
        while (__atomic_load_n(&world_stops, __ATOMIC_ACQUIRE)) yield_processor();
        __atomic_store_n(&busy, 1, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
}

void stop_world() {
    while (__atomic_exchange_n(&world_stops, true, __ATOMIC_ACQ_REL)) yield_processor();  // one after the other
    stops_world = true;
    fence_everybody();
}

void start_world() {
    stops_world = false;
    __atomic_store_n(&world_stops, false, __ATOMIC_RELEASE);
}

}  // namespace fencepost::rt
