// Start and end of the process. Every module calls __tsan_init from a constructor, before main.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "abi/atomic.hpp"
#include "abi/entry.hpp"
#include "report/injection.hpp"
#include "base/options.hpp"
#include "report/report.hpp"
#include "schedule/scheduler.hpp"

namespace fencepost::rt {
namespace {

bool is_started = false;

void finish(int status, void*) {
    ThreadState* const thread = this_thread;
    if (thread && thread->injection && thread->injection->is_open) settle_injection(*thread, nullptr);
    sched::finish_run();
    write_end(status);
    const int wanted = final_status(status);
    if (wanted == status) return;
    fflush(nullptr);
    _exit(wanted);
}

}  // namespace

FENCEPOST_ABI void __tsan_init() {
    // gcc's linker also calls this from .preinit_array, when the C library is not ready for anything.
    if (is_started || !environ) return;
    is_started = true;
    waits_are_confirmed = options().benign_waits;
    is_usual = !waits_are_confirmed && options().sc != ScAccesses::Fence;
    current();
    if (strcmp(options().schedule, "native") == 0) allow_owned_locks();
    write_start();
    on_exit(finish, nullptr);
}

}  // namespace fencepost::rt
