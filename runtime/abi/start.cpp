// Start and end of the process. Every module calls __tsan_init from a constructor, before main.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/atomic.hpp"
#include "abi/entry.hpp"
#include "report/injection.hpp"
#include "base/options.hpp"
#include "intercept/real.hpp"
#include "report/report.hpp"
#include "schedule/scheduler.hpp"

namespace fencepost::rt {
namespace {

bool is_started = false;

long process = 0;  // which is watched: not a child made by vfork, in which memory is still the parent's
bool has_ended = false;
int quick_status = 0;

long this_process() { return syscall(SYS_getpid); }

void finish(int status, void*) {
    const int wanted = end_process(status);
    if (wanted == status) return;
    fflush(nullptr);
    leave_process(wanted);
}

void finish_quickly() {
    const int wanted = end_process(quick_status);
    if (wanted != quick_status) leave_process(wanted);
}

}  // namespace

int end_process(int status) {
    if (!is_started || has_ended || process != this_process()) return status;
    has_ended = true;
    ThreadState* const thread = this_thread;
    if (thread && thread->injection && thread->injection->is_open) settle_injection(*thread, nullptr);
    sched::finish_run();
    write_end(status);
    return final_status(status);
}

void process_has_forked() {
    process = this_process();
    has_ended = false;
    forget_findings();
}

FENCEPOST_INTERCEPTOR void _exit(int status) { leave_process(end_process(status)); }
FENCEPOST_INTERCEPTOR void _Exit(int status) { leave_process(end_process(status)); }
FENCEPOST_INTERCEPTOR void quick_exit(int status) {
    quick_status = status;
    using Exit = void(int);
    reinterpret_cast<Exit*>(intercept::find_next("quick_exit", nullptr, false))(status);
    leave_process(status);
}

FENCEPOST_ABI void __tsan_init() {
    // gcc's linker also calls this from .preinit_array, when the C library is not ready for anything.
    if (is_started || !environ) return;
    is_started = true;
    intercept::find_free();
    watch_copies();
    waits_are_confirmed = options().benign_waits;
    is_usual = !waits_are_confirmed && options().sc != ScAccesses::Fence;
    current();
    if (strcmp(options().schedule, "native") == 0) allow_owned_locks();
    write_start();
    process = this_process();
    on_exit(finish, nullptr);
    at_quick_exit(finish_quickly);
}

}  // namespace fencepost::rt
